import type { Compiler } from '../compiler/compile.js';
import type { CompiledQuery } from '../compiler/compiled-query.js';
import { bindStatement } from '../endpoint/bind-statement.js';
import type { Endpoint } from '../endpoint/endpoint.js';
import { exampleParameters } from '../endpoint/example-parameters.js';
import { knownValues } from '../endpoint/known-values.js';
import { bindParameters } from '../endpoint/parameters.js';
import { printTimestamp } from '../endpoint/timestamp.js';
import type { Statement } from '../engine/engine.js';
import { shownType } from '../formats/values.js';
import type { LoadedLogs } from '../start/logs.js';
import { sameType, typeName } from '../types/types.js';
import { compareTables } from './compare-tables.js';
import { ApiFailure } from './engine/api.js';
import type { BigQueryEngine, BigQueryPool } from './engine/engine.js';

/** The inputs of a check of endpoints. */
interface Parts {
  readonly compiler: Compiler;
  readonly engine: BigQueryEngine;
  readonly nowMs: number;
}

/**
 * Compares the tables with the declared sources, and asks BigQuery, without running anything, what each endpoint would
 * read with each set of parameters. It is an error if BigQuery rejects a statement or sees other columns, if a
 * statement has no start time, or if a later start does not reduce the bytes read. `compiler` knows the
 * tables' schemas; `sound` are the endpoints that it compiles without errors.
 */
export async function checkOnBigQuery(
  pool: BigQueryPool,
  tables: LoadedLogs,
  { compiler, sound }: { readonly compiler: Compiler; readonly sound: readonly Endpoint[] },
) {
  const parts = { compiler, engine: await pool.open(), nowMs: Date.now() };
  const checked: Line[] = [];
  for (const endpoint of sound) {
    for (const given of parameterSets(endpoint, parts.nowMs)) {
      checked.push(await checkStatement(endpoint, given, parts));
    }
  }
  const { missing, faults } = compareTables(tables);
  const toMessage = (message: string) => ({ message });
  return {
    warnings: [...missing, ...checked.flatMap(({ text }) => text ?? [])],
    tableFaults: faults.map(toMessage),
    endpointFaults: checked.flatMap(({ fault }) => fault ?? []).map(toMessage),
  };
}

/** A message about an endpoint. */
interface Line {
  readonly text?: string;
  readonly fault?: string;
}

async function checkStatement(
  endpoint: Endpoint,
  given: ReadonlyMap<string, string>,
  { compiler, engine, nowMs }: Parts,
): Promise<Line> {
  const { name, parameters, maxRows, redactPii: redact } = endpoint;
  const values = [...given].map(([name, value]) => `${name}=${value}`).join(', ');
  const title = `${name} (${values})`;
  const bindings = bindParameters(parameters, given);
  const known = knownValues(parameters, bindings, compiler.projects);
  const query = compiler.compile(endpoint, undefined, { redact, known });
  const starts = queryStart(query);
  if (starts === undefined) return { fault: `${title}: reads its tables without a start time` };
  const startingAt = (ms: number): Statement => {
    const start = printTimestamp(ms);
    const given = Object.fromEntries(starts.names.map((name) => [name, start]));
    const now = printTimestamp(starts.byClockMs === undefined ? nowMs : ms + starts.byClockMs);
    const statement = bindStatement(query, { ...bindings, ...given }, { maxRows, redact, now });
    const newest = starts.isNewest && { window_start: start };
    return { ...statement, values: { ...statement.values, ...newest } };
  };
  try {
    const usual = startingAt(nowMs - (starts.byClockMs ?? hourMs));
    const { totalBytesProcessed, schema } = await engine.dryRun(usual);
    const other = columnFault(query.columns, schema);
    if (other !== undefined) return { fault: `${title}: ${other}` };
    const text = `${title}: ${totalBytesProcessed} bytes`;
    if (!starts.canMove) return { text };
    // All records of a small table may be from the last hour, but none from the day after tomorrow.
    const [none, whole] = [
      await engine.dryRun(startingAt(nowMs + 48 * hourMs)),
      await engine.dryRun(startingAt(0)),
    ];
    const all = `of ${whole.totalBytesProcessed} without a start time`;
    const isLess = none.totalBytesProcessed < whole.totalBytesProcessed;
    if (isLess || whole.totalBytesProcessed === 0) return { text: `${text} ${all}` };
    const hint = 'is the table partitioned by timestamp?';
    return { fault: `${text} ${all}: the start time lowers nothing; ${hint}` };
  } catch (error) {
    if (!(error instanceof ApiFailure)) throw error;
    return { fault: `${title}: BigQuery: ${error.message}` };
  }
}

const hourMs = 3_600_000;

/**
 * Returns the parameters that determine the start of a query, or how long before the request it starts, in
 * milliseconds; undefined for a query without a start.
 */
function queryStart({ window, types }: CompiledQuery) {
  if (window === undefined || window.kind === 'open') return undefined;
  const isNewest = window.kind === 'newest';
  const starts = isNewest ? [] : window.starts.flat();
  const names = starts.flatMap(({ base }) =>
    typeof base === 'object' && 'parameter' in base && types?.[base.parameter] === 'TIMESTAMP'
      ? base.parameter
      : [],
  );
  const ofClock = starts.flatMap(({ base, msBefore }) => (base === 'now' ? msBefore : []));
  const byClockMs = names.length > 0 ? undefined : ofClock[0];
  const canMove = isNewest || names.length > 0 || byClockMs !== undefined;
  return { names, byClockMs, isNewest, canMove };
}

type Columns = Parameters<typeof bindStatement>[0]['columns'];

function columnFault(own: Columns, theirs: Columns): string | undefined {
  if (own.length !== theirs.length) {
    return `BigQuery returns ${theirs.length} columns, not ${own.length}`;
  }
  for (const [index, { name, type }] of own.entries()) {
    const other = theirs[index]?.type ?? type;
    if (!sameType(shownType(type), shownType(other))) {
      return `column ${name} is ${typeName(other)} in BigQuery, not ${typeName(type)}`;
    }
  }
  return undefined;
}

/**
 * Returns the values for checking an endpoint: each allowed value of a required parameter, with and without the
 * optional parameters.
 */
function parameterSets(endpoint: Endpoint, nowMs: number): readonly ReadonlyMap<string, string>[] {
  const { parameters } = endpoint;
  const choices = parameters.flatMap(({ name, required, oneOf }) =>
    required && oneOf !== undefined ? [{ name, oneOf }] : [],
  );
  const required = choices.reduce<readonly ReadonlyMap<string, string>[]>(
    (sets, { name, oneOf }) =>
      sets.flatMap((set) => oneOf.map((value) => new Map([...set, [name, value]]))),
    [exampleParameters(endpoint)],
  );
  const times = parameters.flatMap(({ name, type, required: isRequired }) =>
    type === 'timestamp' && !isRequired ? [[name, printTimestamp(nowMs)] as const] : [],
  );
  const sets = required.slice(0, maxSets);
  return times.length === 0 ? sets : sets.flatMap((set) => [set, new Map([...set, ...times])]);
}

/** The maximum number of combinations of required values to check. */
const maxSets = 16;
