import type { DuckDBConnection } from '@duckdb/node-api';

/** Each text redacted once, and that redacted again, by the macros of a database. */
export async function redactAll(
  database: DuckDBConnection,
  texts: readonly string[],
): Promise<readonly (readonly [string, string])[]> {
  const sql = `select cast(to_json([once, bq.redact(once)]) as varchar)
    from (select bq.redact(t) as once from (select unnest(cast(cast($texts as json) as varchar[])) as t))`;
  const reader = await database.runAndReadAll(sql, { texts: JSON.stringify(texts) });
  return reader.getRows().map(([pair]) => JSON.parse(String(pair)));
}
