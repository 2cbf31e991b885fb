import { randomBytes } from 'node:crypto';
import type { DuckDBConnection } from '@duckdb/node-api';
import { quoteName } from '../../process/quote.js';
import { type NewestTable, newestSchema } from '../../rows/newest-table.js';
import {
  hasOtherParts,
  hasRowIds,
  type Part,
  rowIdColumns,
  type SourceSchema,
} from '../../types/schema.js';

/** The data that an engine reads: one state of the log files. */
export interface EngineData {
  /** A database file with a table for each source; opened read-only. */
  readonly databaseFile: string;
  readonly sources: readonly StoredSource[];
  /** The sources whose newest rows may be kept in printed form; by default none. */
  readonly newest?: readonly NewestTable[];
}

/** The properties of a source that an engine needs. */
export interface StoredSource extends Pick<SourceSchema, 'name' | 'parts'> {
  readonly columns: readonly { readonly name: string }[];
}

/** A state that is open in an instance. */
export interface State {
  /** The database in memory with a view for each source, in the schema `logs`. */
  readonly database: string;
  /** The sources whose newest rows are kept in all of their database files; each has a view in the schema `newest`. */
  readonly newest: readonly NewestTable[];
  /** The name under which the main database file is attached. */
  readonly main: string;
  readonly close: () => Promise<void>;
}

/** Makes the tables of a database file available as a database with this name. */
export type AttachFile = (file: string, name: string) => Promise<unknown>;

/** Creates states that share database files, none of them open; the connection opens and closes them. */
export function createStates(connection: DuckDBConnection) {
  const prefix = `logs_${randomBytes(16).toString('hex')}`;
  let count = 0;
  const newName = () => `${prefix}_${count++}`;
  const detach = (name: string) => connection.run(`detach database if exists ${name}`);
  const files = createFiles(newName, detach);
  let work: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(step: () => Promise<T>): Promise<T> => {
    const done = work.then(step);
    work = done.catch(() => {});
    return done;
  };

  async function open(data: EngineData, attachFile: AttachFile): Promise<State> {
    const names = new Map<string, string>();
    const database = newName();
    const close = async () => {
      const released = [detach(database), ...[...names.keys()].map((file) => files.release(file))];
      const failed = (await Promise.allSettled(released)).find(
        ({ status }) => status === 'rejected',
      );
      if (failed?.status === 'rejected') throw failed.reason;
    };
    try {
      for (const file of databaseFiles(data)) names.set(file, await files.use(file, attachFile));
      const databaseNames = (source: StoredSource) =>
        sourceParts(source, data).map(({ file }) => names.get(file) ?? '');
      const newest = await findNewest(connection, data, databaseNames);
      const views = viewSql(data, { databaseNames, newest, database });
      await connection.run([`attach ':memory:' as ${database}`, ...views].join(';\n'));
      const main = names.get(data.databaseFile) ?? '';
      const tables = newest.map(({ table }) => table);
      return { database, newest: tables, main, close: () => inTurn(close) };
    } catch (error) {
      await close();
      throw error;
    }
  }

  return {
    /** Opens a state, after all earlier calls. On failure, leaves nothing behind. */
    open: (data: EngineData, attachFile: AttachFile) => inTurn(() => open(data, attachFile)),
    /** Returns the database files of a state that no open state uses. */
    newFiles: (data: EngineData) => databaseFiles(data).filter((file) => !files.has(file)),
  };
}

/** Attaches each database file once, for all states that use it. */
function createFiles(newName: () => string, detach: (name: string) => Promise<unknown>) {
  const attached = new Map<string, { readonly name: string; users: number }>();

  async function attach(file: string, attachFile: AttachFile) {
    const name = newName();
    await attachFile(file, name).catch(async (error: unknown) => {
      await detach(name);
      throw error;
    });
    return { name, users: 0 };
  }

  return {
    has: (file: string) => attached.has(file),
    async use(file: string, attachFile: AttachFile): Promise<string> {
      const known = attached.get(file) ?? (await attach(file, attachFile));
      known.users += 1;
      attached.set(file, known);
      return known.name;
    },
    async release(file: string): Promise<void> {
      const known = attached.get(file);
      if (known === undefined) return;
      known.users -= 1;
      if (known.users > 0) return;
      attached.delete(file);
      await detach(known.name);
    },
  };
}

/** Returns the unique database files of a state, the main one first. */
function databaseFiles(data: EngineData): readonly string[] {
  const parts = data.sources.flatMap((source) => sourceParts(source, data));
  return [...new Set([data.databaseFile, ...parts.map(({ file }) => file)])];
}

function sourceParts({ name, parts }: StoredSource, { databaseFile }: EngineData): readonly Part[] {
  return parts ?? [{ file: databaseFile, view: name }];
}

/** Returns the names under which the parts of a source are attached. */
type DatabaseNames = (source: StoredSource) => readonly string[];

/** A source whose newest rows are kept, with the databases that keep them. */
interface KeptNewest {
  readonly table: NewestTable;
  readonly databases: readonly string[];
}

/** Returns the sources whose newest rows are in all of their parts, in the current printed format. */
async function findNewest(
  connection: DuckDBConnection,
  { newest = [], sources }: EngineData,
  databaseNames: DatabaseNames,
): Promise<readonly KeptNewest[]> {
  if (newest.length === 0) return [];
  const reader = await connection.runAndReadAll(
    `select database_name, table_name, comment from duckdb_tables() where schema_name = '${newestSchema}'`,
  );
  const stored = new Set(reader.getRowsJson().map((row) => JSON.stringify(row)));
  return newest.flatMap((table): readonly KeptNewest[] => {
    const { source, prints } = table;
    const databases = sources.filter(({ name }) => name === source).flatMap(databaseNames);
    const isKept = (name: string) =>
      prints.some((print) => stored.has(JSON.stringify([name, source, print])));
    return databases.length > 0 && databases.every(isKept) ? [{ table, databases }] : [];
  });
}

interface Views {
  readonly databaseNames: DatabaseNames;
  readonly newest: readonly KeptNewest[];
  readonly database: string;
}

/** Returns the schemas of a state's database in which its connections look for views. */
export function schemasIn(database: string): readonly [logs: string, newest: string] {
  return [`${database}.logs`, `${database}.${newestSchema}`];
}

/**
 * The statements that create a view for each source, for each part if it has several, and for its newest rows. If the
 * parts store records differently, the source has no view: statements read each part.
 */
function viewSql(data: EngineData, { databaseNames, newest, database }: Views): readonly string[] {
  const [logs, printed] = schemasIn(database);
  const ofSources = data.sources.flatMap((source) => {
    const databases = databaseNames(source);
    const parts = sourceParts(source, data).map(({ view }, part) => ({
      view,
      rows: `select *${rowIds(source, part)} from ${databases[part]}.main.${quoteName(source.name)}`,
    }));
    const all = { view: source.name, rows: parts.map(({ rows }) => rows).join(' union all ') };
    return parts.length > 1 ? [...parts, ...(hasOtherParts(source) ? [] : [all])] : [all];
  });
  const ofNewest = newest.map(({ table: { source }, databases }) => {
    const parts = databases.map(
      (name, part) => `select ${part} as part, * from ${name}.${newestSchema}.${quoteName(source)}`,
    );
    return `create view ${printed}.${quoteName(source)} as ${parts.join(' union all ')}`;
  });
  return [
    ...schemasIn(database).map((name) => `create schema ${name}`),
    ...ofSources.map(({ view, rows }) => `create view ${logs}.${quoteName(view)} as ${rows}`),
    ...ofNewest,
  ];
}

function rowIds(source: StoredSource, part: number): string {
  if (!hasRowIds(source)) return '';
  const [rowId, partId] = rowIdColumns.map(quoteName);
  return `, rowid as ${rowId}, ${part}::bigint as ${partId}`;
}
