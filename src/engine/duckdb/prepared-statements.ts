import type { DuckDBConnection, DuckDBPreparedStatement } from '@duckdb/node-api';
import { LRUCache } from 'lru-cache';
import { DuckDBTypeId } from '../../common/duckdb-api.js';
import { quoteName } from '../../common/quote.js';
import { digestOf } from '../digest.js';
import type { Select, Statement } from '../engine.js';
import type { Connections } from './connect-ahead.js';

/** A connection that runs one statement only, and the statement's texts prepared on it: of its steps, then its own. */
export interface Prepared {
  readonly connection: DuckDBConnection;
  /** Verified; those that have not run yet are absent. */
  readonly texts: DuckDBPreparedStatement[];
}

/** Keeps prepared statements. DuckDB plans them again for the values of each run, but saves a third of the planning. */
export interface PreparedStatements {
  /** Runs work with a statement's connection, which no other run uses meanwhile. After a failure it is not used again. */
  use<T>(statement: Statement, work: (prepared: Prepared) => Promise<T>): Promise<T>;
  /** Closes all connections. */
  close(): Promise<void>;
}

/** How many statements are kept; each takes less than a megabyte. */
const maxKept = 32;

/** Creates a container without statements. */
export function createPreparedStatements(connections: Connections): PreparedStatements {
  const kept = new LRUCache<string, Promise<Prepared | undefined>>({
    max: maxKept,
    dispose: (prepared, _key, reason) => reason !== 'delete' && void endLater(prepared),
  });
  let isClosed = false;

  async function take(key: string): Promise<Prepared> {
    const known = kept.get(key);
    kept.delete(key);
    return (await known) ?? { connection: await connections.open(), texts: [] };
  }

  return {
    async use(statement, work) {
      const key = keyOf(statement);
      const prepared = await take(key);
      try {
        const result = await work(prepared);
        // The caller does not wait until the tables are dropped.
        const cleared = clear(prepared, statement);
        if (isClosed) await endLater(cleared);
        else kept.set(key, cleared);
        return result;
      } catch (error) {
        end(prepared);
        throw error;
      } finally {
        connections.openAhead();
      }
    },
    async close() {
      isClosed = true;
      const all = [...kept.values()];
      // Without ending them twice.
      for (const key of kept.keys()) kept.delete(key);
      await Promise.all(all.map(endLater));
    },
  };
}

/** Drops the tables of a run; undefined if the statement cannot be run again. */
async function clear(prepared: Prepared, { steps = [] }: Statement): Promise<Prepared | undefined> {
  const drops = steps.map(({ table }) => `drop table temp.${quoteName(table)}`);
  try {
    if (drops.length === 0) return prepared;
    if (prepared.texts.slice(0, steps.length).every(isPlannedAgain)) {
      await prepared.connection.run(drops.join(';'));
      return prepared;
    }
  } catch {
    // It is not kept then.
  }
  end(prepared);
  return undefined;
}

/**
 * Whether a text is planned for each run: where a parameter has no type until it has a value. DuckDB can run a plan of a
 * CREATE TABLE only once.
 */
function isPlannedAgain(text: DuckDBPreparedStatement): boolean {
  const indexes = Array.from({ length: text.parameterCount }, (_, index) => index + 1);
  return indexes.some((index) => text.parameterTypeId(index) === DuckDBTypeId.INVALID);
}

async function endLater(prepared: Promise<Prepared | undefined>): Promise<void> {
  const cleared = await prepared;
  if (cleared !== undefined) end(cleared);
}

/** Equal for statements that verification cannot tell apart. */
function keyOf(statement: Statement): string {
  const { steps = [] } = statement;
  const tables = steps.map(({ table }) => table);
  return digestOf(JSON.stringify([[...steps, statement].map(claimsOf), tables]));
}

function claimsOf({ sql, tables, values }: Select): readonly unknown[] {
  return [sql, tables, Object.keys(values)];
}

function end({ connection, texts }: Prepared): void {
  for (const text of texts) text.destroySync();
  connection.closeSync();
}
