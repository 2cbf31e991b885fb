import { ServiceError } from '../../errors/errors.js';
import type { Statement } from '../engine.js';

const hourMs = 3_600_000;

/** How far back the newest rows are looked for at first, in milliseconds. */
const stepsMs = [hourMs, 24 * hourMs, 7 * 24 * hourMs];

/** A client computes the start of its window before the request arrives. */
const slackMs = 300_000;

/** A statement with each start of its time window, in the order in which they are tried. */
export interface Tries {
  readonly statements: readonly Statement[];
  /** As soon as there are so many rows, the others need not run. */
  readonly rows: number;
  /** What to say if the last one has fewer; absent if it reads everything that was asked for. */
  readonly note?: string;
}

/**
 * The statement with each start of its time window: only one, unless it asks for the newest rows. 0 is no limit.
 * @throws ServiceError `resourcesExceeded` for a statement that would read more time than `maxWindowMs`
 */
export function withStarts(statement: Statement, maxWindowMs: number): Tries {
  const { window } = statement;
  const isLimited = maxWindowMs > 0;
  if (window?.kind === 'open' && isLimited) throw tooLong('has no start time', maxWindowMs);
  if (window?.kind !== 'newest') {
    const { starts, now } = window?.kind === 'bounded' ? window : { starts: [], now: '' };
    const instant = Date.parse(now);
    const timeOf = (start: string | number) =>
      typeof start === 'number' ? instant - start : Date.parse(start);
    const isEarlier = (list: readonly (string | number)[]) =>
      list.length > 0 && Math.max(...list.map(timeOf)) < instant - maxWindowMs - slackMs;
    if (isLimited && starts.some(isEarlier)) throw tooLong('starts too early', maxWindowMs);
    return { statements: [statement], rows: 0 };
  }
  const { rows, now } = window;
  const steps = stepsMs.filter((step) => !isLimited || step < maxWindowMs);
  const last = isLimited ? before(now, maxWindowMs) : firstInstant;
  const statements = [...steps.map((ms) => before(now, ms)), last].map((start) => {
    return { ...statement, values: { ...statement.values, window_start: start } };
  });
  if (!isLimited) return { statements, rows };
  return { statements, rows, note: `only rows of the last ${hoursOf(maxWindowMs)} are read` };
}

function hoursOf(ms: number): string {
  return `${ms / hourMs} hours`;
}

/** The first instant of BigQuery's TIMESTAMP. */
const firstInstant = '0001-01-01T00:00:00Z';

function before(now: string, ms: number): string {
  // Only milliseconds are read of an instant with microseconds.
  return new Date(Date.parse(now) - ms).toISOString();
}

function tooLong(problem: string, maxWindowMs: number): ServiceError {
  const hint = `compare timestamp with a start of at most ${hoursOf(maxWindowMs)} ago, such as the parameter iso_timestamp_start`;
  const message = `The query ${problem} (--bigquery-max-window): ${hint}`;
  return new ServiceError('resourcesExceeded', message);
}
