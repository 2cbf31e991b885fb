import { DuckDBInstance } from '@duckdb/node-api';
import type { OpenedServices } from '../../src/start/start-up.js';
import type { Field } from '../../src/types/types.js';

/** The contents of the database files of some logs, by the name of each source. */
export interface StoredRecords {
  /** The records of `mine` as JSON, in the order in which they are stored. */
  readonly own: ReadonlyMap<string, readonly string[]>;
  /** The number of records of all projects. */
  readonly count: ReadonlyMap<string, number>;
  /** The compression of `event_message`. */
  readonly messages: Readonly<Record<string, string>>;
}

/** Reads the database files that an open service reads too. */
export async function storedRecords({ logs }: OpenedServices): Promise<StoredRecords> {
  const own = new Map<string, readonly string[]>();
  const count = new Map<string, number>();
  const messages: Record<string, string> = {};
  for (const { name, parts = [] } of logs.sources) {
    const ask = await openFile(parts[0]?.file ?? logs.databaseFile);
    const texts = await ask(`select to_json(t) from ${name} as t where id like 'own-%'`);
    own.set(name, texts);
    count.set(name, Number((await ask(`select count(*) from ${name}`))[0]));
    const storage = `pragma_storage_info('${name}') where column_name = 'event_message'`;
    messages[name] = (await ask(`select compression from ${storage}`))[0] ?? '';
  }
  return { own, count, messages };
}

/** Gives the first column of what it is asked. */
async function openFile(file: string) {
  const instance = await DuckDBInstance.create(file, { access_mode: 'READ_ONLY', threads: '1' });
  const connection = await instance.connect();
  return async (sql: string): Promise<readonly string[]> => {
    const reader = await connection.runAndReadAll(sql);
    return reader.getRowsJson().map(([value]) => String(value));
  };
}

/**
 * The columns of some sources, by the name of each; without `notNullWitnesses`, which says where the engine
 * finds out that a record is there, and on which no answer depends.
 */
export function columnsOf({ logs }: OpenedServices): Readonly<Record<string, readonly Field[]>> {
  const entries = logs.sources.map(({ name, columns }) => [name, columns]);
  return JSON.parse(JSON.stringify(Object.fromEntries(entries), withoutWitnesses)) as Readonly<
    Record<string, readonly Field[]>
  >;
}

function withoutWitnesses(key: string, value: unknown): unknown {
  return key === 'notNullWitnesses' ? undefined : value;
}

/** The layout of a source's `metadata`. */
export function layoutOf(columns: readonly Field[] | undefined): string | undefined {
  const type = columns?.find(({ name }) => name === 'metadata')?.type;
  return type?.kind === 'ARRAY' ? type.layout : undefined;
}
