import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { budgetWarnings } from '../../src/logs/columns/contents.js';
import type { DeclaredSource } from '../../src/logs/columns/declaration.js';
import { findLogFiles } from '../../src/logs/files/files.js';
import type { LoadOptions } from '../../src/logs/load/job.js';
import { load } from '../../src/logs/load/load.js';
import { type FileReport, refuseFaults } from '../../src/logs/load/report.js';
import type { SourceSchema } from '../../src/types/schema.js';
import type { Field } from '../../src/types/types.js';
import { readDeclaredSources } from './declared-sources.js';

export const declared = readDeclaredSources('sql/sources');

/** A key for ids that stay the same. */
export const idKey = 'the key of the tests';

/** The result of a load. */
export interface LoadReport {
  readonly sources: readonly SourceSchema[];
  readonly files: readonly FileReport[];
  readonly warnings: readonly string[];
}

/** The settings of a load. */
interface Options
  extends Pick<LoadOptions, 'idKey' | 'maxFields' | 'memoryLimit' | 'newestRows' | 'threads'> {
  readonly declared: readonly DeclaredSource[];
  readonly strict: boolean;
}

/** The same, with access to the tables: the rows of a source, ordered by `id`. */
export interface Loaded extends LoadReport {
  readonly database: string;
  readonly rows: (source: string, columns?: string) => Promise<readonly unknown[]>;
}

/** Makes a folder with the given files, by name. */
export function makeFolder(files: Readonly<Record<string, string | Uint8Array>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'load-test-'));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  return folder;
}

const defaults = { idKey, memoryLimit: '1GB', threads: 2, strict: false };

/** Loads a folder into a database of its own. */
export async function loadFolder(
  dataFolder: string,
  options: Partial<Options> = {},
): Promise<Loaded> {
  const database = join(mkdtempSync(join(tmpdir(), 'load-test-')), "it's.duckdb");
  const { strict, ...limits } = { ...defaults, ...options };
  const sources = jobsOf(dataFolder, options.declared);
  const report = reportOf(await load({ ...limits, sources, database }));
  refuseFaults(dataFolder, report.files, { shaped: new Set(), strict });
  return { ...report, database, rows: (source, columns) => readRows(database, source, columns) };
}

/** Loads all files of each source in a folder. */
export function jobsOf(dataFolder: string, sources = declared): LoadOptions['sources'] {
  const files = findLogFiles(dataFolder, sources);
  return sources.map((source) => {
    return { source, files: files.filter((file) => file.source === source.name), parts: [] };
  });
}

function reportOf(loaded: Awaited<ReturnType<typeof load>>): LoadReport {
  return {
    sources: loaded.map(({ schema }) => schema),
    files: loaded.flatMap(({ files }) => files.map(({ report }) => report)),
    warnings: loaded.flatMap(({ schema, contents }) => budgetWarnings(schema, contents)),
  };
}

/** Loads lines, one value each, as the only file of `edge_logs`. */
export function loadLines(lines: readonly unknown[]): Promise<Loaded> {
  const text = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line)));
  return loadFolder(makeFolder({ 'edge_logs.ndjson': `${text.join('\n')}\n` }));
}

async function readRows(database: string, source: string, columns = '*') {
  const instance = await DuckDBInstance.create(database, { access_mode: 'READ_ONLY' });
  const connection = await instance.connect();
  await connection.run("set timezone = 'UTC'");
  const reader = await connection.runAndReadAll(`select ${columns} from "${source}" order by id`);
  const rows = reader.getRowObjectsJson();
  connection.closeSync();
  instance.closeSync();
  return rows;
}

/** The stored fields of a source, as `path TYPE`, where the type of a record is its layout. */
export function storedFields(report: LoadReport, source: string): readonly string[] {
  const schema = report.sources.find((each) => each.name === source);
  return (schema?.columns ?? []).flatMap((field) => listField(field, ''));
}

function listField({ name, type, stored }: Field, parent: string): readonly string[] {
  if (!stored) return [];
  const path = `${parent}${name}`;
  if (type.kind !== 'ARRAY') return [`${path} ${type.kind}`];
  if (type.element.kind !== 'STRUCT') return [`${path} ${type.element.kind}[]`];
  const inner = type.element.fields.flatMap((field) => listField(field, `${path}.`));
  return [`${path} ${type.layout}`, ...inner];
}
