import type { DuckDBConnection, DuckDBPreparedStatement } from '@duckdb/node-api';
import { LRUCache } from 'lru-cache';
import { digestText } from '../../process/digest.js';
import { StatementType } from '../../process/duckdb-api.js';
import { quoteName } from '../../process/quote.js';
import { createSequence } from '../../process/sequence.js';
import type { Select, Step } from '../engine.js';
import { checkStatement } from './check-statement.js';

/**
 * Verifies a SELECT before it runs: DuckDB's own parser parses the text again, and an allow-list must accept the
 * tree.
 * @throws Error `Refused statement: …`
 */
export type Verify = (select: Select) => Promise<void>;

/** The number of accepted statements to remember; the least recently used is evicted first. */
const maxAccepted = 10_000;

/**
 * Opens the verification for the macros of `bq` on a dedicated connection. A statement that was accepted before costs
 * only a digest. `close` waits for texts that are being parsed, and closes the connection; later statements are refused
 * with `backendBusy`.
 */
export async function openVerifier(connection: DuckDBConnection, macros: ReadonlySet<string>) {
  const accepted = new LRUCache<string, true>({ max: maxAccepted });
  const { serialize, close } = await openSerializer(connection);
  const verify: Verify = async ({ sql, tables, values }) => {
    const parameters = Object.keys(values);
    const key = digestText(JSON.stringify([sql, tables, parameters]));
    if (accepted.get(key)) return;
    // Some DuckDB functions read a string to its end, others only to its first NUL.
    if (sql.includes('\0')) throw new Error('Refused statement: it contains a NUL');
    checkStatement(await serialize(sql), {
      tables: new Set(tables),
      parameters: new Set(parameters),
      macros,
    });
    accepted.set(key, true);
  };
  return { verify, close };
}

/** Lets DuckDB parse texts one after another. */
async function openSerializer(connection: DuckDBConnection) {
  const prepared = await connection.prepare('select json_serialize_sql($1::varchar)');
  const { run, close } = createSequence(connection);
  const serialize = (sql: string) =>
    run(async () => {
      prepared.bind([sql]);
      const result = await prepared.run();
      return String(result.getChunk(0).getColumnVector(0).getItem(0));
    });
  return { serialize, close };
}

/**
 * Prepares SQL that must be a single SELECT.
 * @throws Error `Refused statement: …`; the engine's error for text that it cannot prepare
 */
export async function prepareSelect(
  connection: DuckDBConnection,
  { sql }: Pick<Select, 'sql'>,
): Promise<DuckDBPreparedStatement> {
  return prepareOne(connection, sql, { type: StatementType.SELECT, what: 'not a SELECT' });
}

/**
 * Prepares the CREATE TABLE of a step.
 * @throws Error as {@link prepareSelect} does
 */
export async function prepareStep(
  connection: DuckDBConnection,
  { table, sql }: Step,
): Promise<DuckDBPreparedStatement> {
  const text = `create temporary table ${quoteName(table)} as\n${sql}`;
  return prepareOne(connection, text, { type: StatementType.CREATE, what: 'not a CREATE TABLE' });
}

async function prepareOne(
  connection: DuckDBConnection,
  sql: string,
  { type, what }: { readonly type: number; readonly what: string },
): Promise<DuckDBPreparedStatement> {
  // DuckDB does not prepare texts with several statements.
  const prepared = await connection.prepare(sql);
  if (prepared.statementType === type) return prepared;
  prepared.destroySync();
  throw new Error(`Refused statement: it is ${what}`);
}
