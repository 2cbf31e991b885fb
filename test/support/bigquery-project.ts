import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BigQuery, type TableField } from '@google-cloud/bigquery';
import { createCompiler } from '../../src/compiler/compile.js';
import { readCommand } from '../../src/config/config.js';
import { bindStatement } from '../../src/endpoint/bind-statement.js';
import { openDuckDbEngine } from '../../src/engine/duckdb/duckdb.js';
import { openServices } from '../../src/start/start-up.js';
import type { SourceSchema } from '../../src/types/schema.js';
import { asTable } from './as-table.js';
import type { OpenedTables } from './bigquery-acceptance.js';
import { tableField } from './bigquery-fields.js';

/** The project and the dataset of `LOG_ENDPOINTS_TEST_BIGQUERY`; undefined if it is not set. */
export function testDataset(): { readonly project: string; readonly dataset: string } | undefined {
  const [project, dataset] = process.env['LOG_ENDPOINTS_TEST_BIGQUERY']?.split('.') ?? [];
  return project && dataset ? { project, dataset } : undefined;
}

/** Creates tables in a real project with the records of a folder of logs; they are removed at the end. */
export async function createTables(data: string): Promise<OpenedTables> {
  const place = testDataset();
  if (place === undefined) throw new Error('LOG_ENDPOINTS_TEST_BIGQUERY is project.dataset');
  const client = new BigQuery({ projectId: place.project });
  const dataset = client.dataset(place.dataset);
  const prefix = `log_endpoints_test_${Date.now().toString(36)}_`;
  const folder = mkdtempSync(join(tmpdir(), 'bigquery-test-'));
  const sources = await readSources(data);
  for (const { source, rows } of sources) {
    const file = join(folder, `${source.name}.ndjson`);
    writeFileSync(file, rows);
    const [table] = await dataset.createTable(`${prefix}${source.name}`, {
      schema: { fields: source.columns.map(tableField) as TableField[] },
      timePartitioning: { type: 'DAY', field: 'timestamp' },
    });
    if (rows !== '') await table.load(file, { sourceFormat: 'NEWLINE_DELIMITED_JSON' });
  }
  rmSync(folder, { recursive: true });
  const { PATH, HOME, GOOGLE_APPLICATION_CREDENTIALS } = process.env;
  return {
    tables: `${place.project}.${place.dataset}.${prefix}{source}`,
    environment: {
      ...{ PATH, HOME, GOOGLE_CLOUD_PROJECT: place.project },
      ...(GOOGLE_APPLICATION_CREDENTIALS && { GOOGLE_APPLICATION_CREDENTIALS }),
    },
    async close() {
      await Promise.all(
        sources.map(({ source }) => dataset.table(`${prefix}${source.name}`).delete()),
      );
    },
  };
}

/** A source with its records. */
export interface StoredRecords {
  readonly source: SourceSchema;
  /** As BigQuery loads them: lines of JSON. */
  readonly rows: string;
}

/** All sources of a folder of logs. */
export async function readSources(data: string): Promise<readonly StoredRecords[]> {
  const command = readCommand(['query', 'logs.all', '--data', data, '--no-disk-cache'], {});
  if (!('settings' in command)) throw new Error('no settings');
  const { logs, engine, serving } = await openServices(command.settings, openDuckDbEngine);
  const compiler = createCompiler(logs.sources);
  const read = logs.sources.map(async (each): Promise<StoredRecords> => {
    const source = asTable(each);
    // BigQuery reads a TIMESTAMP as a text; a number would be seconds.
    const others = source.columns.filter(({ name }) => name !== 'timestamp');
    const names = others.map(({ name }) => `t.\`${name}\``).join(', ');
    const sql = `select string(t.timestamp) as timestamp, ${names} from \`logs.${source.name}\` as t`;
    const query = compiler.compile({ name: 'records', sql, maxRows: 100_000, parameters: [] });
    const statement = bindStatement(query, {}, { maxRows: 100_000, now: '', format: 'ndjson' });
    const { body } = await engine.run(statement, { signal: new AbortController().signal });
    return { source, rows: Buffer.from(body).toString() };
  });
  const sources = await Promise.all(read);
  await serving.close();
  return sources;
}
