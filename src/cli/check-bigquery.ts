import { type Compiler, createCompiler } from '../compiler/compile.js';
import type { CompiledQuery } from '../compiler/compiled-query.js';
import type { Settings } from '../config/settings.js';
import { bindStatement } from '../endpoint/bind-statement.js';
import { readEndpoints } from '../endpoint/catalog.js';
import type { Endpoint } from '../endpoint/endpoint.js';
import type { Given } from '../endpoint/given.js';
import { knownValues } from '../endpoint/known-values.js';
import { bindParameters } from '../endpoint/parameters.js';
import { printTimestamp } from '../endpoint/timestamp.js';
import { ApiFailure } from '../engine/bigquery/api.js';
import type { BigQueryEngine } from '../engine/bigquery/bigquery.js';
import type { Statement } from '../engine/engine.js';
import { shownType } from '../formats/values.js';
import { bigQueryTarget } from '../start/bigquery-tables.js';
import type { OpenedBigQuery } from '../start/open-bigquery.js';
import { endpointFolders } from '../start/start-up.js';
import { sameType, typeName } from '../types/types.js';
import { type CheckReport, withPaths } from './check-report.js';
import { compareTables } from './compare-tables.js';
import { exampleParameters } from './example.js';

/** The inputs of a check of endpoints. */
interface Parts {
  readonly compiler: Compiler;
  readonly engine: BigQueryEngine;
  readonly nowMs: number;
}

/**
 * Compiles every endpoint against the tables, and asks BigQuery, without running anything, what each would read with
 * each set of parameters. It is an error if BigQuery rejects a statement or sees other columns, if a statement has no
 * start time, or if a later start does not reduce the bytes read.
 * @throws SetupError if BigQuery refuses the tables
 */
export async function checkOnBigQuery(
  settings: Settings,
  { pool, openLogs }: OpenedBigQuery,
  nowMs = Date.now(),
): Promise<CheckReport> {
  const { first } = await openLogs(settings);
  const bigQuery = bigQueryTarget(settings);
  const compiler = createCompiler(first.sources, { ...(bigQuery && { bigQuery }) });
  const folders = endpointFolders(settings, []);
  const { endpoints, faults, warnings } = readEndpoints(folders, compiler);
  const engine = await pool.open();
  const checked: Line[] = [];
  const faulty = new Set(faults.map(({ file }) => file));
  for (const endpoint of endpoints.filter(({ file }) => !faulty.has(file))) {
    for (const given of parameterSets(endpoint, nowMs)) {
      const values = [...given].map(([name, value]) => `${name}=${value}`).join(', ');
      const title = `${endpoint.name} (${values})`;
      checked.push(await checkStatement(endpoint, given, title, { compiler, engine, nowMs }));
    }
  }
  const tables = compareTables(first);
  const message = (text: string) => ({ message: text });
  return {
    endpoints: endpoints.length,
    warnings: [
      ...warnings,
      ...first.warnings,
      ...tables.missing,
      ...checked.flatMap(({ text }) => text ?? []),
    ],
    errors: [
      ...tables.faults.map(message),
      ...withPaths(faults, folders),
      ...checked.flatMap(({ fault }) => fault ?? []).map(message),
    ],
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
  title: string,
  { compiler, engine, nowMs }: Parts,
): Promise<Line> {
  const bindings = bindParameters(endpoint.parameters, new Map<string, Given>(given));
  const values = knownValues(endpoint.parameters, bindings, compiler.projects);
  const query = compiler.compile(endpoint, undefined, {
    redact: endpoint.redactPii,
    known: values,
  });
  const { maxRows, redactPii: redact } = endpoint;
  const starts = startsOf(query);
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

/** The start times of a query. */
interface Starts {
  /** The parameters that determine the start. */
  readonly names: readonly string[];
  /** The time before the request, in milliseconds, if no parameter determines the start. */
  readonly byClockMs?: number | undefined;
  readonly isNewest: boolean;
  readonly canMove: boolean;
}

/** Returns undefined for a query without a start. */
function startsOf({ window, types }: CompiledQuery): Starts | undefined {
  if (window?.kind === 'newest') return { names: [], isNewest: true, canMove: true };
  if (window?.kind !== 'bounded') return undefined;
  const starts = window.starts.flat();
  const names = starts.flatMap(({ base }) =>
    typeof base === 'object' && 'parameter' in base && types?.[base.parameter] === 'TIMESTAMP'
      ? base.parameter
      : [],
  );
  const [byClockMs] = starts.flatMap(({ base, msBefore }) => (base === 'now' ? msBefore : []));
  if (names.length > 0) return { names, isNewest: false, canMove: true };
  return { names, byClockMs, isNewest: false, canMove: byClockMs !== undefined };
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

const maxSets = 16;
