import type {
  CompiledQuery,
  CompiledText,
  KnownTime,
  TimeWindow,
} from '../compiler/compiled-query.js';
import type { Constant, NewestRowsQuery } from '../compiler/rewrite/newest-rows.js';
import type { NewestRequest, ReadWindow, Select, Statement, WindowTime } from '../engine/engine.js';
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
    ...(query.window && { window: bindWindow(query.window, bindings, now) }),
  };
}

function bindWindow(window: TimeWindow, bindings: Bindings, now: string): ReadWindow {
  if (window.kind === 'open') return window;
  const bind = (times: readonly KnownTime[]) => times.map((time) => bindTime(time, bindings));
  if (window.kind === 'newest') {
    const { rows } = window;
    const count = typeof rows === 'object' ? bindings[rows.parameter] : rows;
    return { kind: 'newest', rows: Number(count ?? Infinity), ends: bind(window.ends), now };
  }
  return { kind: 'bounded', starts: window.starts.map(bind), now };
}

/** Binds a time of a window; a comparison with NULL reads nothing, as if the window started now. */
function bindTime({ base, msBefore }: KnownTime, bindings: Bindings): WindowTime {
  if (base === 'now') return { msBefore };
  const time = 'time' in base ? base.time : bindings[base.parameter];
  return time === null || time === undefined ? { msBefore: 0 } : { time, msBefore };
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
  const textOf = (constant: Constant) =>
    'text' in constant ? constant.text : (bindings[constant.parameter] ?? undefined);
  const bound = bounds.flatMap(({ operator, time }) => {
    const text = textOf(time);
    return text === undefined ? [] : [{ operator, time: text }];
  });
  const own = project && textOf(project);
  if (bound.length < bounds.length || (project !== undefined && own === undefined))
    return undefined;
  return { ...rest, bounds: bound, ...(own !== undefined && { project: own }) };
}

/** Binds the clock of a stored statement to another time. */
export function rebindClock(statement: Statement, now: string): Statement {
  const { values, window } = statement;
  const bound = 'now' in values ? { ...statement, values: { ...values, now } } : statement;
  if (window === undefined || window.kind === 'open') return bound;
  return { ...bound, window: { ...window, now } };
}
