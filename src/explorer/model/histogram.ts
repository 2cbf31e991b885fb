import type { AnswerRow } from './endpoint.js';
import { type Level, shownLevels } from './levels.js';

/** Records over time. Times are in milliseconds since 1970. */
export interface Histogram {
  readonly fromMs: number;
  readonly toMs: number;
  readonly stepMs: number;
  /** One bar for each step, even without records. */
  readonly bars: readonly Bar[];
  readonly total: number;
  readonly totals: Counts;
}

/** Numbers of records by level; records without one count as `other`. */
export type Counts = Readonly<Record<Level | 'other', number>>;

/** The records of one step. */
export interface Bar {
  readonly atMs: number;
  readonly counts: Counts;
}

const none: Counts = { error: 0, warn: 0, info: 0, debug: 0, other: 0 };

/** Creates bars from the rows that `countByTime` returns. */
export function histogramOfCounts(
  rows: readonly AnswerRow[],
  { fromMs, toMs, stepMs }: Pick<Histogram, 'fromMs' | 'toMs' | 'stepMs'>,
): Histogram {
  const first = Math.floor(fromMs / stepMs);
  const length = Math.max(1, Math.floor(toMs / stepMs) - first + 1);
  const bars = Array.from({ length }, () => ({ ...none }));
  const totals = { ...none };
  for (const row of rows) {
    const counts = bars[Math.floor(Number(row['time']) / 1000 / stepMs) - first];
    const known = shownLevels.map((name) => [name, Number(row[name])] as const);
    const rest = known.reduce((left, [, count]) => left - count, Number(row['records']));
    for (const [name, count] of [...known, ['other', rest] as const]) {
      if (counts !== undefined) counts[name] += count;
      totals[name] += count;
    }
  }
  const total = Object.values(totals).reduce((sum, count) => sum + count, 0);
  const placed = bars.map((counts, index) => ({ atMs: (first + index) * stepMs, counts }));
  return { fromMs, toMs, stepMs, bars: placed, total, totals };
}
