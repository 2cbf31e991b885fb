import { createCompiler } from '../compiler/compile.js';
import { bindStatement } from '../endpoint/bind-statement.js';
import type { Engine } from '../engine/engine.js';
import type { SourceSchema } from '../types/schema.js';

/** The sources, with the time of the last record of all of them as the one that queries see as now. */
export async function shiftToNow(
  sources: readonly SourceSchema[],
  engine: Engine,
): Promise<readonly SourceSchema[]> {
  const last = await lastRecord(sources, engine);
  return last === undefined ? sources : sources.map((source) => ({ ...source, seenAsNow: last }));
}

/** In unix microseconds; undefined if there is no record. */
async function lastRecord(
  sources: readonly SourceSchema[],
  engine: Engine,
): Promise<number | undefined> {
  const each = sources.map(({ name }) => `select max(timestamp) as t from \`logs.${name}\``);
  const sql = `select unix_micros(max(t)) as last from (${each.join(' union all ')})`;
  const query = createCompiler(sources).compile({ name: 'last', sql, maxRows: 1, parameters: [] });
  // The statement reads no clock.
  const statement = bindStatement(query, {}, { maxRows: 1, now: '' });
  const { signal } = new AbortController();
  const { json } = await engine.run(statement, { signal });
  const [row] = JSON.parse(Buffer.from(json).toString()) as readonly Row[];
  return row?.last ?? undefined;
}

interface Row {
  readonly last: number | null;
}
