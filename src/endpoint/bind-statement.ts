import type { CompiledQuery, CompiledText } from '../compiler/compiled-query.js';
import type { Constant, NewestRowsQuery } from '../compiler/rewrite/newest-rows.js';
import type { NewestRequest, Select, Statement } from '../engine/engine.js';
import type { Format } from '../formats/formats.js';
import type { Bindings } from './endpoint.js';

/** The parts of a statement that come from the endpoint and the request, besides the values. */
export interface BindOptions {
  readonly maxRows: number;
  readonly now: string;
  readonly redact?: boolean;
  /** The format of the result; JSON by default. */
  readonly format?: Format;
}

/**
 * Binds the values of a compiled query: parameter `x` as `p_x` and the request's time as `now`, each only if the
 * statement uses it.
 */
export function bindStatement(
  query: CompiledQuery,
  bindings: Bindings,
  { maxRows, now, redact = false, format = 'json' }: BindOptions,
): Statement {
  const select = (text: CompiledText): Select => {
    const parameters = text.parameters.map(
      (name) => [`p_${name}`, bindings[name] ?? null] as const,
    );
    const clock = text.readsClock ? [['now', now] as const] : [];
    const values = Object.fromEntries([...parameters, ...clock]);
    return { sql: text.sql, tables: text.tables, values, ...(text.types && bindTypes(text.types)) };
  };
  const steps = query.steps.map((step) => {
    return { ...select(step), table: step.table, isGather: step.isGather };
  });
  const { readsOwnRows, columns } = query;
  const encoding = format === 'json' && query.types === undefined ? {} : { format, columns };
  const newest = query.newest && bindNewest(query.newest, bindings);
  return {
    ...select(query),
    steps,
    readsOwnRows,
    maxRows,
    redact,
    ...encoding,
    ...(newest && { newest }),
    ...(query.window && { window: { ...query.window, now } }),
  };
}

function bindTypes(types: Readonly<Record<string, string>>): Pick<Select, 'types'> {
  const own = Object.entries(types).map(([name, type]) => [`p_${name}`, type] as const);
  return { types: { ...Object.fromEntries(own), now: 'TIMESTAMP', window_start: 'TIMESTAMP' } };
}

/** Binds a request for the newest rows; undefined if a value is NULL, which matches no project and no time. */
function bindNewest(
  { project, bounds, ...rest }: NewestRowsQuery,
  bindings: Bindings,
): NewestRequest | undefined {
  const boundText = (constant: Constant) =>
    'text' in constant ? constant.text : (bindings[constant.parameter] ?? undefined);
  const bound = bounds.flatMap(({ operator, time }) => {
    const text = boundText(time);
    return text === undefined ? [] : [{ operator, time: text }];
  });
  const own = project && boundText(project);
  if (bound.length < bounds.length || (project !== undefined && own === undefined))
    return undefined;
  return { ...rest, bounds: bound, ...(own !== undefined && { project: own }) };
}

/** Binds the clock of a stored statement to another time. */
export function rebindClock(statement: Statement, now: string): Statement {
  const { values, window } = statement;
  const bound = 'now' in values ? { ...statement, values: { ...values, now } } : statement;
  return window === undefined ? bound : { ...bound, window: { ...window, now } };
}
