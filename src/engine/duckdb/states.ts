import { randomBytes } from 'node:crypto';
import type { DuckDBConnection } from '@duckdb/node-api';
import { quoteName, quoteText } from '../../common/quote.js';
import {
  hasOtherParts,
  hasRowIds,
  type Part,
  rowIdColumns,
  type SourceSchema,
} from '../../types/schema.js';
import { type NewestTable, newestSchema } from '../../values/newest-table.js';

/** The data that an engine reads: one state of the log files. */
export interface EngineData {
  /** A database file with a table for each source; opened read-only. */
  readonly databaseFile: string;
  readonly sources: readonly StoredSource[];
  /** The sources whose newest rows may be kept as they are printed; by default none. */
  readonly newest?: readonly NewestTable[];
}

/** What an engine needs to know of a source. */
export interface StoredSource extends Pick<SourceSchema, 'name' | 'parts'> {
  readonly columns: readonly { readonly name: string }[];
}

/** A state that is open in an instance. */
export interface State {
  /** The database in memory with a view for each source, in the schema `logs`. */
  readonly database: string;
  /** The sources whose newest rows are kept in all their database files, each with a view in the schema `newest`. */
  readonly newest: readonly NewestTable[];
  /** The name under which the main database file is attached. */
  readonly main: string;
  readonly close: () => Promise<void>;
}

/** Makes the tables of a database file those of a database with this name. */
export type AttachFile = (file: string, name: string) => Promise<unknown>;

/** Attaches a database under this name. */
type Attach = (name: string) => Promise<unknown>;

/** How a state is opened. */
export interface OpenState {
  readonly attachFile: AttachFile;
  /** An existing database for the views; by default a new one, which states with the same views share. */
  readonly database?: string;
}

/** The states that are open in one instance. They share database files. */
export interface States {
  /** Opens a state, after those before it. If that fails, it leaves nothing behind. */
  open(data: EngineData, how: OpenState): Promise<State>;
  /** The database files of a state that no open state has. */
  newFiles(data: EngineData): readonly string[];
}

/** No state is open yet; states are opened and closed over this connection. */
export function createStates(connection: DuckDBConnection): States {
  const attached = createAttached(connection);
  let work: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(step: () => Promise<T>): Promise<T> => {
    const done = work.then(step);
    work = done.catch(() => {});
    return done;
  };

  async function open(data: EngineData, { attachFile, database }: OpenState): Promise<State> {
    const ends: (() => Promise<unknown>)[] = [];
    const close = async () => {
      for (const end of ends.toReversed()) await end();
    };
    const use = async (key: string, attach: Attach) => {
      const { name, detach } = await attached.use(key, attach);
      ends.push(detach);
      return name;
    };
    const run = (statements: readonly string[]) => connection.run(statements.join(';\n'));
    const createIn = async (name: string, views: readonly string[]) => {
      ends.push(() =>
        run(schemasIn(name).map((schema) => `drop schema if exists ${schema} cascade`)),
      );
      await run(views);
      return name;
    };
    try {
      const names = new Map<string, string>();
      for (const file of filesOf(data)) {
        names.set(file, await use(file, (name) => attachFile(file, name)));
      }
      const newest = await findNewest(connection, data, names);
      const viewsIn = (name: string) => viewsOf(data, { names, newest, database: name });
      const attachViews: Attach = (name) => run([`attach ':memory:' as ${name}`, ...viewsIn(name)]);
      const own =
        database === undefined
          ? await use(viewsIn('').join(), attachViews)
          : await createIn(database, viewsIn(database));
      const main = names.get(data.databaseFile) ?? '';
      return { database: own, newest, main, close: () => inTurn(close) };
    } catch (error) {
      await close();
      throw error;
    }
  }

  return {
    open: (data, how) => inTurn(() => open(data, how)),
    newFiles: (data) => filesOf(data).filter((file) => !attached.has(file)),
  };
}

/** Attaches each database once, by its key, for all states that use it. */
function createAttached(connection: DuckDBConnection) {
  const attached = new Map<string, { readonly name: string; users: number }>();
  const prefix = `logs_${randomBytes(16).toString('hex')}`;
  let count = 0;
  const detach = (name: string) => connection.run(`detach database if exists ${name}`);

  async function open(name: string, attach: Attach): Promise<void> {
    try {
      await attach(name);
    } catch (error) {
      await detach(name);
      throw error;
    }
  }

  return {
    has: (key: string) => attached.has(key),
    async use(key: string, attach: Attach) {
      const known = attached.get(key) ?? { name: `${prefix}_${count++}`, users: 0 };
      if (known.users === 0) await open(known.name, attach);
      known.users += 1;
      attached.set(key, known);
      return {
        name: known.name,
        async detach() {
          known.users -= 1;
          if (known.users > 0) return;
          attached.delete(key);
          await detach(known.name);
        },
      };
    },
  };
}

/** The database files of a state, each once; the main one is the first. */
function filesOf(data: EngineData): readonly string[] {
  const parts = data.sources.flatMap((source) => partsOf(source, data));
  return [...new Set([data.databaseFile, ...parts.map(({ file }) => file)])];
}

function partsOf({ name, parts }: StoredSource, { databaseFile }: EngineData): readonly Part[] {
  return parts ?? [{ file: databaseFile, view: name }];
}

/** The sources whose newest rows are in all of their parts, printed as they are now. */
async function findNewest(
  connection: DuckDBConnection,
  data: EngineData,
  names: ReadonlyMap<string, string>,
): Promise<readonly NewestTable[]> {
  const { newest = [] } = data;
  if (newest.length === 0) return [];
  const reader = await connection.runAndReadAll(
    `select database_name, table_name, comment from duckdb_tables() where schema_name = '${newestSchema}'`,
  );
  const stored = new Set(reader.getRowsJson().map((row) => JSON.stringify(row)));
  return newest.filter(({ source, prints }) => {
    const files = namesOf(source, data, names);
    const isKept = (name?: string) =>
      prints.some((print) => stored.has(JSON.stringify([name, source, print])));
    return files.length > 0 && files.every(isKept);
  });
}

/** The names under which the parts of a source are attached. */
function namesOf(
  source: string,
  data: EngineData,
  names: ReadonlyMap<string, string>,
): readonly (string | undefined)[] {
  const found = data.sources.find(({ name }) => name === source);
  return found === undefined ? [] : partsOf(found, data).map(({ file }) => names.get(file));
}

interface Views {
  /** The names under which the database files are attached. */
  readonly names: ReadonlyMap<string, string>;
  readonly newest: readonly NewestTable[];
  readonly database: string;
}

function schemasIn(database: string): readonly [logs: string, newest: string] {
  return [`${database}.logs`, `${database}.${newestSchema}`];
}

/**
 * The statements that create a view for each source, for each part if it has several, and for its newest rows. If the parts
 * store records in other ways, statements read each of them: there is no view of the source.
 */
function viewsOf(data: EngineData, { names, newest, database }: Views): readonly string[] {
  const [logs, printed] = schemasIn(database);
  const ofSources = data.sources.flatMap((source) => {
    const parts = partsOf(source, data).map(({ file, view }, part) => ({
      view,
      rows: `select *${rowIds(source, part)} from ${names.get(file)}.main.${quoteName(source.name)}`,
    }));
    const all = { view: source.name, rows: parts.map(({ rows }) => rows).join(' union all ') };
    return parts.length > 1 ? [...parts, ...(hasOtherParts(source) ? [] : [all])] : [all];
  });
  const ofNewest = newest.map(({ source }) => {
    const parts = namesOf(source, data, names).map(
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

/** The statement that attaches a database file, read-only. */
export function attachStatement(file: string, name: string): string {
  return `attach ${quoteText(file)} as ${name} (read_only)`;
}
