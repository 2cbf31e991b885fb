import type { DuckDBConnection, DuckDBPreparedStatement } from '@duckdb/node-api';
import { LRUCache } from 'lru-cache';
import { digestOf } from '../../common/digest.js';
import { StatementType } from '../../common/duckdb-api.js';
import { quoteName } from '../../common/quote.js';
import type { Select, Step } from '../engine.js';
import { checkStatement } from './check-statement.js';

/**
 * Reads a SELECT back with the engine's own parser before it runs.
 * @throws Error `Refused statement: …`
 */
export type VerifyStatement = (connection: DuckDBConnection, select: Select) => Promise<void>;

/** How many accepted statements are known again, the least recently used out first. */
const keptStatements = 10_000;

/** A second look that knows these macros of the database `bq`; a statement that it knows costs a digest. */
export function createVerifyStatement(macros: ReadonlySet<string>): VerifyStatement {
  const accepted = new LRUCache<string, true>({ max: keptStatements });
  return async (connection, { sql, tables, values }) => {
    const parameters = Object.keys(values);
    const key = digestOf(JSON.stringify([sql, tables, parameters]));
    if (accepted.get(key)) return;
    // The engine takes a text to its end in one place, and to its first NUL in another.
    if (sql.includes('\0')) throw new Error('Refused statement: it has a NUL');
    const reader = await connection.runAndReadAll('select json_serialize_sql($1::varchar)', [sql]);
    const serialized = String(reader.getRows()[0]?.[0]);
    checkStatement(serialized, {
      tables: new Set(tables),
      parameters: new Set(parameters),
      macros,
    });
    accepted.set(key, true);
  };
}

/**
 * The one statement of a text, a SELECT, ready to be given its values.
 * @throws Error `Refused statement: …`, and what the engine says of a text that it cannot prepare
 */
export async function prepareSelect(
  connection: DuckDBConnection,
  sql: string,
): Promise<DuckDBPreparedStatement> {
  return prepareOne(connection, sql, { type: StatementType.SELECT, what: 'no SELECT' });
}

/**
 * A step's table, ready to be written.
 * @throws Error as {@link prepareSelect} does
 */
export async function prepareStep(
  connection: DuckDBConnection,
  { table, sql }: Step,
): Promise<DuckDBPreparedStatement> {
  const text = `create temporary table ${quoteName(table)} as\n${sql}`;
  return prepareOne(connection, text, { type: StatementType.CREATE, what: 'no CREATE TABLE' });
}

async function prepareOne(
  connection: DuckDBConnection,
  sql: string,
  { type, what }: { readonly type: number; readonly what: string },
): Promise<DuckDBPreparedStatement> {
  const extracted = await connection.extractStatements(sql);
  if (extracted.count !== 1) throw new Error(`Refused statement: it is ${extracted.count}`);
  const prepared = await extracted.prepare(0);
  if (prepared.statementType === type) return prepared;
  prepared.destroySync();
  throw new Error(`Refused statement: it is ${what}`);
}
