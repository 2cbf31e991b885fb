import { execFileSync } from 'node:child_process';
import { tableStatement } from '../../src/bigquery/ddl.js';
import { tableField } from '../../test/support/bigquery-fields.js';
import type { StoredRecords } from '../../test/support/bigquery-project.js';
import { parseJson } from '../../test/support/json.js';
import { main } from '../../test/support/paths.js';

/** The tables that an emulator has, as `--bigquery-tables` names them. */
export const emulatorTables = 'stand-in.logs.{source}';

/** The result of making an emulator's tables. */
export interface MadeTables {
  /** The number of our statements that the emulator accepted. */
  readonly byDdl: number;
  /** The message of the first statement that the emulator refused. */
  readonly refused?: string;
}

/**
 * Makes the declared tables with the statements of `bigquery ddl`, and loads records into tables that the same statements
 * make of the fields that the records have, since `*` reads all fields of a table. If the emulator refuses a statement, its
 * API makes the table.
 */
export async function makeTables(
  emulator: string,
  sources: readonly StoredRecords[],
): Promise<MadeTables> {
  const project = `${emulator}/bigquery/v2/projects/stand-in`;
  for (const datasetId of ['logs', 'declared']) {
    await check('POST', `${project}/datasets`, {
      datasetReference: { projectId: 'stand-in', datasetId },
    });
  }
  const refusals: string[] = [];
  const runStatement = async (query: string) => {
    const answer = await send('POST', `${project}/queries`, { query, useLegacySql: false });
    if (answer.status !== 200) refusals.push(refusalMessage(answer.received));
  };
  for (const statement of ddl()) await runStatement(statement);
  for (const { source, rows } of sources) {
    const table = `${project}/datasets/logs/tables/${source.name}`;
    await runStatement(tableStatement(['stand-in', 'logs', source.name], source.columns));
    if ((await send('GET', table)).status !== 200) {
      const tableReference = { projectId: 'stand-in', datasetId: 'logs', tableId: source.name };
      const schema = { fields: source.columns.map(tableField) };
      await check('POST', `${project}/datasets/logs/tables`, { tableReference, schema });
    }
    await load(table, rows);
  }
  const byDdl = ddl().length + sources.length - refusals.length;
  return { byDdl, ...(refusals[0] !== undefined && { refused: refusals[0] }) };
}

async function load(table: string, rows: string): Promise<void> {
  const lines = rows.split('\n').filter((line) => line !== '');
  for (let from = 0; from < lines.length; from += batch) {
    const each = lines.slice(from, from + batch).map((line) => `{"json":${asSent(line)}}`);
    const answer = await sendText('POST', `${table}/insertAll`, `{"rows":[${each}]}`);
    if (answer.status !== 200 || /"insertErrors":\s*\[\s*\{/.test(answer.received)) {
      throw new Error(`${table}: ${answer.received.slice(0, 500)}`);
    }
  }
}

/** A record as the manual wants it in a request: integers that a number of ECMAScript cannot hold are strings. */
function asSent(line: string): string {
  return JSON.stringify(parseJson(line), (_key, value: unknown) => {
    if (typeof value !== 'bigint') return value;
    return Number.isSafeInteger(Number(value)) ? Number(value) : `${value}`;
  });
}

/** Rows of one request. */
const batch = 200;

/** The statements of `log-endpoints bigquery ddl`. */
function ddl(): readonly string[] {
  const flags = [main, 'bigquery', 'ddl', '--bigquery-tables', 'stand-in.declared.{source}'];
  const text = execFileSync(process.execPath, flags, { encoding: 'utf8' });
  return text.split(/;\n/).filter((statement) => statement.trim() !== '');
}

/** The message of a refusal; the text if it has none. */
export function refusalMessage(received: string): string {
  try {
    const { error } = parseJson(received) as { readonly error: { readonly message: string } };
    return error.message;
  } catch {
    return received.slice(0, 500);
  }
}

/** Sends a request. */
export function send(method: string, url: string, body?: object) {
  return sendText(method, url, body && JSON.stringify(body));
}

async function sendText(method: string, url: string, body?: string) {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(url, { method, headers, ...(body !== undefined && { body }) });
  return { status: response.status, received: await response.text() };
}

async function check(method: string, url: string, body: object): Promise<void> {
  const { status, received } = await send(method, url, body);
  if (status >= 300) throw new Error(`${method} ${url}: ${status} ${received}`);
}
