import { type BigQueryTarget, tablePath } from '../compiler/compile-for-bigquery.js';
import type { Settings } from '../config/settings.js';
import { ApiFailure, type BigQueryApi } from '../engine/bigquery/api.js';
import {
  type BigQueryTable,
  readTableSchema,
  withDeclared,
} from '../engine/bigquery/table-schema.js';
import { SetupError } from '../errors/errors.js';
import type { DeclaredSource } from '../logs/columns/declaration.js';
import { digestValue } from '../process/digest.js';
import type { Field } from '../types/types.js';
import type { LoadedLogs, Logs } from './logs.js';
import { createSourceReader } from './source-files.js';

/** Returns the location of the tables in BigQuery for compiled queries; undefined for another engine. */
export function bigQueryTarget({
  engine,
  bigqueryTables: tables,
  bigquerySandbox: sandbox,
}: Settings): BigQueryTarget | undefined {
  return engine === 'bigquery' && tables !== undefined ? { tables, sandbox } : undefined;
}

/**
 * Opens the sources as tables of BigQuery, with the columns that these have. Reads the columns again when asked for
 * changes, because BigQuery does not report them.
 * @throws SetupError if BigQuery refuses
 */
export async function openTables(
  settings: Settings,
  { tables }: Pick<BigQueryTarget, 'tables'>,
  { api, onLocation }: TableReader,
): Promise<Logs> {
  const readSources = createSourceReader(settings);
  const read = () => readTables(readSources(), { tables, api, onLocation });
  const first = await read();
  let now = first;
  return {
    first,
    readSources() {
      readSources();
    },
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
interface TableReader {
  readonly api: BigQueryApi;
  /** Called with the location of the tables, such as `EU`. */
  readonly onLocation: (location: string) => void;
}

type Tables = TableReader & Pick<BigQueryTarget, 'tables'>;

async function readTables(
  { declared, warnings }: ReturnType<ReturnType<typeof createSourceReader>>,
  { tables, api, onLocation }: Tables,
): Promise<LoadedLogs> {
  const read = await Promise.all(
    declared.map(async (source) => {
      const path = tablePath(tables, source.name);
      const table = await tableAt(api, path);
      if (table?.location !== undefined) onLocation(table.location);
      return { source, path, columns: table?.columns };
    }),
  );
  const missing = read.filter(({ columns }) => columns === undefined);
  const sources = read.map(({ source, columns }) => schemaOf(source, columns));
  return {
    databaseFile: '',
    sources,
    files: [],
    inputs: [],
    unreadable: [],
    warnings: [
      ...warnings,
      ...missing.map(
        ({ path }) => `BigQuery has no table ${path.join('.')}: queries of it will fail`,
      ),
    ],
    declared,
    version: digestValue(sources),
    release: () => {},
  };
}

async function tableAt(
  api: BigQueryApi,
  path: readonly string[],
): Promise<BigQueryTable | undefined> {
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

/** Without its table, a source has its declared columns, so that queries of it compile. */
function schemaOf(
  { name, aliases, projectPath, columns: declared }: DeclaredSource,
  columns: readonly Field[] | undefined,
) {
  return {
    name,
    columns: columns === undefined ? declared : withDeclared(columns, declared),
    projectPath,
    ...(aliases && { aliases }),
  };
}
