import { createCompiler } from '../compiler/compile.js';
import type { Engine } from '../engine/engine.js';
import { readRows } from '../run/read-rows.js';
import type { SourceSchema } from '../types/schema.js';

/** The maximum time by which the last record may be ahead of the clock, in microseconds. */
const toleranceMicros = 24 * 3600e6;

/**
 * Creates a function that shifts sources, so that queries see the time of their last record as now. Records more than a
 * day ahead of the clock count only if there are no others.
 * @param now a fixed clock, which may be ahead of the real one, as an ISO string
 * @param onWarning called once if records are too far ahead to count
 */
export function createShift(now: string | undefined, onWarning?: (line: string) => void) {
  let hasWarned = false;
  return async (
    sources: readonly SourceSchema[],
    engine: Engine,
  ): Promise<readonly SourceSchema[]> => {
    const latest = await lastRecord(sources, engine);
    if (latest === undefined) return sources;
    const clock = Math.max(Date.now(), now === undefined ? 0 : Date.parse(now)) * 1000;
    const limit = clock + toleranceMicros;
    const counted = latest > limit ? await lastRecord(sources, engine, limit) : latest;
    const seenAsNow = counted ?? latest;
    if (seenAsNow !== latest && !hasWarned) {
      hasWarned = true;
      const last = new Date(seenAsNow / 1000).toISOString();
      onWarning?.(
        `--shift-to-now: records more than a day in the future do not count; the last of the others, at ${last}, is shown as now`,
      );
    }
    return sources.map((source) => ({ ...source, seenAsNow }));
  };
}

/** Returns the time of the last record up to a limit, in unix microseconds; undefined if there is none. */
async function lastRecord(
  sources: readonly SourceSchema[],
  engine: Engine,
  limit?: number,
): Promise<number | undefined> {
  const where = limit === undefined ? '' : ` where timestamp <= timestamp_micros(${limit})`;
  const each = sources.map(
    ({ name }) => `select max(timestamp) as t from \`logs.${name}\`${where}`,
  );
  const sql = `select unix_micros(max(t)) as last from (${each.join(' union all ')})`;
  const compiler = createCompiler(sources);
  const query = { name: 'last', sql, maxRows: 1 };
  const { rows } = await readRows<{ readonly last: number | null }>({ compiler, engine }, query);
  return rows[0]?.last ?? undefined;
}
