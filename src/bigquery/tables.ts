import type { Settings } from '../config/settings.js';
import { SetupError } from '../errors/errors.js';
import { digestValue } from '../process/digest.js';
import type { LoadedLogs, Logs } from '../start/logs.js';
import { createSourceReader, type OpenedSources } from '../start/source-files.js';
import { ApiFailure, type BigQueryApi } from './engine/api.js';
import { readTableSchema, withDeclared } from './engine/table-schema.js';
import { tablePath } from './target/target.js';

/**
 * Opens the sources as tables of BigQuery, with the tables' own columns. Each check for changes reads the columns
 * again, because BigQuery does not report changes.
 * @throws SetupError if BigQuery refuses
 */
export async function openTables(settings: Settings, options: TableOptions): Promise<Logs> {
  const readSources = createSourceReader(settings);
  const read = () => readTables(readSources(), options);
  const first = await read();
  let now = first;
  return {
    first,
    readSources,
    async refresh() {
      const next = await read();
      if (next.version === now.version) return undefined;
      now = next;
      return next;
    },
    restore: async () => false,
    // All tables are read together.
    changed: () => undefined,
    refreshSource: async () => async () => undefined,
    ignored: () => [],
    merge: async () => async () => undefined,
    verify: async () => true,
    reload: async () => undefined,
    async restart() {
      now = first;
      return first;
    },
  };
}

/** The options for reading tables. */
interface TableOptions {
  readonly api: BigQueryApi;
  /** The path of the tables, with `{source}` in place of a source's name. */
  readonly tables: string;
  /** Called with the location of the tables, such as `EU`. */
  readonly onLocation: (location: string) => void;
}

async function readTables(
  { declared, warnings }: OpenedSources,
  { tables, api, onLocation }: TableOptions,
): Promise<LoadedLogs> {
  const read = await Promise.all(
    declared.map(async (source) => {
      const path = tablePath(tables, source.name);
      const table = await tableAt(api, path);
      if (table?.location !== undefined) onLocation(table.location);
      return { source, path, columns: table?.columns };
    }),
  );
  const missing = read.flatMap(({ path, columns }) =>
    columns === undefined
      ? [`BigQuery has no table ${path.join('.')}: queries of it will fail`]
      : [],
  );
  const sources = read.map(({ source, columns }) => {
    const { name, aliases, projectPath, columns: declared } = source;
    // Without its table, a source has its declared columns, so that queries of it compile.
    const known = columns === undefined ? declared : withDeclared(columns, declared);
    return { name, columns: known, projectPath, ...(aliases && { aliases }) };
  });
  return {
    databaseFile: '',
    sources,
    files: [],
    inputs: [],
    unreadable: [],
    warnings: [...warnings, ...missing],
    declared,
    version: digestValue(sources),
    release: () => {},
  };
}

async function tableAt(api: BigQueryApi, path: readonly string[]) {
  try {
    return await readTableSchema(api, path);
  } catch (error) {
    if (!(error instanceof ApiFailure)) throw error;
    const hint = error.reason === 'authError' ? ' (see application default credentials)' : '';
    throw new SetupError([
      `BigQuery does not show the table ${path.join('.')}: ${error.message}${hint}`,
    ]);
  }
}
