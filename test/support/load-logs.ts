import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { readDeclaredSources } from '../../src/source/declared.js';
import { type LoadOptions, type LoadReport, load } from '../../src/source/load.js';
import type { Field } from '../../src/source/schema.js';

export const declared = readDeclaredSources('sql/sources');

/** What a load gave, and a look into the table of a source: its rows in order of `id`. */
export interface Loaded extends LoadReport {
  readonly database: string;
  readonly rows: (source: string, columns?: string) => Promise<readonly unknown[]>;
}

/** A folder of the given files, by name. */
export function makeFolder(files: Readonly<Record<string, string | Uint8Array>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'load-test-'));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  return folder;
}

/** Loads a folder into a database of its own. */
export async function loadFolder(
  dataFolder: string,
  options: Partial<LoadOptions> = {},
): Promise<Loaded> {
  const database = join(mkdtempSync(join(tmpdir(), 'load-test-')), "it's.duckdb");
  const limits = { memoryLimit: '1GB', threads: 2, strict: false };
  const report = await load({ dataFolder, declared, database, ...limits, ...options });
  return { ...report, database, rows: (source, columns) => readRows(database, source, columns) };
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

/** The fields of a source that are stored, as `path TYPE`, with `list` where a record is one. */
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
