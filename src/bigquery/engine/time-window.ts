import type { Statement } from '../../engine/engine.js';
import { ServiceError } from '../../errors/errors.js';
import type { KnownTime, TimeWindow } from '../../types/time-window.js';

const hourMs = 3_600_000;

/** The time ranges in which to look for the newest rows, in milliseconds, smallest first. */
const stepsMs = [hourMs, 24 * hourMs, 7 * 24 * hourMs];

/** A client computes the start of its window before the request arrives. */
const slackMs = 300_000;

/** A statement with one start for its time window. */
export interface Try {
  readonly statement: Statement;
  /**
   * The note if no other try follows and there are too few rows; absent if this try reads everything that was asked
   * for.
   */
  readonly note?: string;
}

/** A statement with each start to try for its time window, in order. */
export interface Tries {
  readonly tries: readonly Try[];
  /** Once a try returns this many rows, the remaining ones are skipped. */
  readonly rows: number;
}

/**
 * Returns the statement with each start of its time window: only one, unless it asks for the newest rows. 0 means no
 * limit.
 * @throws ServiceError `resourcesExceeded` for a statement that would read a longer time range than `maxWindowMs`
 */
export function withStarts(statement: Statement, maxWindowMs: number): Tries {
  const { window } = statement;
  if (window?.kind === 'newest') return newestTries(statement, window, maxWindowMs);
  const isLimited = maxWindowMs > 0;
  if (window?.kind === 'open' && isLimited) throw tooLong('has no start time', maxWindowMs);
  if (window?.kind === 'bounded' && isLimited) checkStarts(statement, window, maxWindowMs);
  return { tries: [{ statement }], rows: 0 };
}

/** Returns the statement with the longest time window allowed, unless it has a window. */
export function withLongest(statement: Statement, maxWindowMs: number): Statement {
  const { window, values } = statement;
  if (window?.kind !== 'newest' || 'window_start' in values) return statement;
  return newestTries(statement, window, maxWindowMs).tries.at(-1)?.statement ?? statement;
}

function checkStarts(
  { values }: Statement,
  { starts, now }: WindowOf<'bounded'>,
  maxWindowMs: number,
): void {
  const earliest = Date.parse(now) - maxWindowMs - slackMs;
  for (const times of starts) {
    const latest = Math.max(...times.map((time) => knownTimeMs(time, { now, values })));
    if (times.length === 0)
      throw tooLong('has a start that only BigQuery can compute', maxWindowMs);
    if (latest < earliest) throw tooLong('starts too early', maxWindowMs);
  }
}

function newestTries(
  statement: Statement,
  { rows, ends, now }: WindowOf<'newest'>,
  maxWindowMs: number,
): Tries {
  const isLimited = maxWindowMs > 0;
  const earliest = isLimited ? Date.parse(now) - maxWindowMs : firstInstant;
  const { values } = statement;
  const known = ends.map((time) => knownTimeMs(time, { now, values })).filter(Number.isFinite);
  const end = Math.min(Date.parse(now), ...known);
  const starts = [...stepsMs.map((ms) => end - ms).filter((ms) => ms > earliest), earliest];
  const tries = starts.map((ms): Try => {
    const start = new Date(ms).toISOString();
    const bound = { ...statement, values: { ...values, window_start: start } };
    if (ms === firstInstant) return { statement: bound };
    return { statement: bound, note: `rows before ${start} were not read` };
  });
  const wanted = typeof rows === 'object' ? values[`p_${rows.parameter}`] : rows;
  return { tries, rows: Number(wanted ?? Infinity) };
}

type WindowOf<Kind> = Extract<TimeWindow, { readonly kind: Kind }> & { readonly now: string };

/**
 * Converts to milliseconds since 1970, without microseconds. A string that is not an ISO time comes before all
 * others.
 */
function knownTimeMs(
  { base, msBefore }: KnownTime,
  { now, values }: Pick<Statement, 'values'> & { readonly now: string },
): number {
  if (base === 'now') return Date.parse(now) - msBefore;
  const time = 'time' in base ? base.time : values[`p_${base.parameter}`];
  // A comparison with NULL reads nothing, as if the window started now.
  if (time === undefined || time === null) return Date.parse(now);
  const text = time.replace(' ', 'T');
  // Node would take a time without a zone as local time.
  const ms = Date.parse(/T[\d:.]+$/.test(text) ? `${text}Z` : text) - msBefore;
  return Number.isNaN(ms) ? Number.NEGATIVE_INFINITY : ms;
}

/** The first BigQuery TIMESTAMP. */
const firstInstant = Date.parse('0001-01-01T00:00:00Z');

function tooLong(problem: string, maxWindowMs: number): ServiceError {
  const hint = `compare timestamp with a start of at most ${maxWindowMs / hourMs}h ago, such as the parameter iso_timestamp_start`;
  const message = `The query ${problem} (--bigquery-max-window): ${hint}`;
  return new ServiceError('resourcesExceeded', message);
}
