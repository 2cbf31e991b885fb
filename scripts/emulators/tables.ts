import { execFileSync } from 'node:child_process';
import { tableStatement } from '../../src/bigquery/ddl.js';
import { tableField } from '../../test/support/bigquery-fields.js';
import type { StoredRecords } from '../../test/support/bigquery-project.js';
import { parseJson } from '../../test/support/json.js';
import { main } from '../../test/support/paths.js';
import { type Answered, asBigQuery } from './gateway.js';
import { insertStatement } from './insert-statement.js';
import type { Emulator } from './install.js';

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
 * make of the fields that the records have, since `*` reads all fields of a table. If the emulator refuses a statement, the
 * statement's columns alone make the table, or, if they are refused, too, the emulator's API.
 */
export async function makeTables(
  emulator: string,
  sources: readonly StoredRecords[],
  { insertsByStatement }: Pick<Emulator, 'insertsByStatement'>,
): Promise<MadeTables> {
  const project = `${emulator}/bigquery/v2/projects/stand-in`;
  for (const datasetId of ['logs', 'declared']) {
    await check('POST', `${project}/datasets`, {
      datasetReference: { projectId: 'stand-in', datasetId },
    });
  }
  const refusals: string[] = [];
  const query = async (text: string) =>
    asBigQuery(await send('POST', `${project}/queries`, { query: text, useLegacySql: false }));
  const runStatement = async (text: string) => {
    const answer = await query(text);
    if (answer.status !== 200) refusals.push(refusalMessage(answer.received));
    return answer.status === 200;
  };
  for (const statement of ddl()) await runStatement(statement);
  for (const { source, rows } of sources) {
    const table = `${project}/datasets/logs/tables/${source.name}`;
    const path = ['stand-in', 'logs', source.name];
    const statement = tableStatement(path, source.columns);
    const [columns = ''] = statement.split('\nPARTITION BY ');
    if (!(await runStatement(statement)) && (await query(columns)).status !== 200) {
      const tableReference = { projectId: 'stand-in', datasetId: 'logs', tableId: source.name };
      const schema = { fields: source.columns.map(tableField) };
      await check('POST', `${project}/datasets/logs/tables`, { tableReference, schema });
    }
    for (const records of batches(rows)) {
      const answer = insertsByStatement
        ? await query(insertStatement(path, source.columns, records.map(parseJson)))
        : await insertAll(table, records);
      checkInserted(source.name, answer);
    }
  }
  const byDdl = ddl().length + sources.length - refusals.length;
  return { byDdl, ...(refusals[0] !== undefined && { refused: refusals[0] }) };
}

/** Splits lines of JSON into a list for each request. */
function batches(rows: string): readonly (readonly string[])[] {
  const lines = rows.split('\n').filter((line) => line !== '');
  const count = Math.ceil(lines.length / batch);
  return Array.from({ length: count }, (_, at) => lines.slice(at * batch, (at + 1) * batch));
}

/** Rows of one request. */
const batch = 200;

function checkInserted(name: string, { status, received }: Answered): void {
  if (status !== 200 || /"insertErrors":\s*\[\s*\{/.test(received)) {
    throw new Error(`${name}: ${received.slice(0, 500)}`);
  }
}

function insertAll(table: string, records: readonly string[]) {
  const rows = records.map((line) => `{"json":${asSent(line)}}`);
  return sendText('POST', `${table}/insertAll`, `{"rows":[${rows}]}`);
}

/** A record as the manual wants it in a request: integers that a number of ECMAScript cannot hold are strings. */
function asSent(line: string): string {
  return JSON.stringify(parseJson(line), (_key, value: unknown) => {
    if (typeof value !== 'bigint') return value;
    return Number.isSafeInteger(Number(value)) ? Number(value) : `${value}`;
  });
}

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
