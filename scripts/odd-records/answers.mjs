import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { DuckDBInstance } from '@duckdb/node-api';
import { tableFromIPC } from '@uwdata/flechette';
import { sendRequest } from '../faults/send-request.mjs';

// The questions of a caller whose records never change, and how their answers are compared.

/** @typedef {{ readonly name: string, readonly table: string, readonly needsTypes: boolean, readonly parameters: Readonly<Record<string, string>>, readonly headers: Readonly<Record<string, string>> }} Question */

const formats = /** @type {const} */ (['json', 'ndjson', 'csv', 'arrow', 'parquet']);

/**
 * Every table, plain and redacted, in each format, by SQL and LQL, and the stored queries. A question needs types if its answer
 * shows those of undeclared fields. @param {readonly string[]} tables @returns {readonly Question[]}
 */
export function tableQuestions(tables) {
  /** @param {string} path of an undeclared field */
  const fields = (path) => `select t.id, t.event_message, ${path}, count(*) over () as n from `;
  const unnested = 'cross join unnest(t.metadata) as m order by t.timestamp, t.id';
  /** @type {readonly (readonly [string, string, Record<string, string>])[]} */
  const texts = [
    ['stored', 'edge_logs', {}],
    ...tables.flatMap(
      (table) =>
        /** @type {const} */ ([
          ['sql', table, { sql: `select * from ${table} order by timestamp desc` }],
          ['first', table, { sql: `select * from ${table} order by timestamp desc limit 7` }],
          ['fields', table, { sql: `${fields('m.note')} ${table} as t ${unnested}` }],
          [
            'values',
            table,
            { sql: `${fields('m.note[safe_offset(0)].text')} ${table} as t ${unnested}` },
          ],
          ['lql', table, { lql: `f:${table} s:*` }],
        ]),
    ),
  ];
  return texts.flatMap(([text, table, query]) =>
    ['', 'redacted'].flatMap((redacted) =>
      formats.map((format) => ({
        name: `${text} ${table} ${redacted} ${format}`,
        table,
        needsTypes: text !== 'values',
        parameters: { project: 'acme', format, ...query },
        headers: redacted === '' ? {} : { 'svc-endpoint-redact-pii': 'true' },
      })),
    ),
  );
}

/** @param {string} url @param {string} token @param {Pick<Question, 'parameters' | 'headers'>} question */
export async function ask(url, token, { parameters, headers }) {
  const answer = await sendRequest(url, {
    method: 'POST',
    path: '/api/endpoints/query/logs.all',
    headers: {
      ...headers,
      'x-api-key': token,
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: new URLSearchParams(parameters).toString(),
  });
  return { status: answer?.status ?? 0, body: answer?.body ?? Buffer.alloc(0) };
}

/** @typedef {Awaited<ReturnType<typeof ask>>} Answer */

/**
 * Whether an answer is still the same. The types of Arrow and Parquet are those of the whole source, so they may have gained
 * fields: the values of the fields before must be the same, and the new ones empty.
 * @param {Pick<Question, 'parameters'>} question @param {Answer} before @param {Answer} now
 */
export async function isSame({ parameters: { format } }, before, now) {
  if (before.status !== now.status) return false;
  if (before.body.equals(now.body)) return true;
  if (now.status !== 200) return false;
  if (format === 'arrow') return holds(readArrow(now.body), readArrow(before.body));
  if (format === 'parquet')
    return holds(await readParquet(now.body), await readParquet(before.body));
  return false;
}

/** @param {Buffer} bytes @returns {unknown} */
function readArrow(bytes) {
  return plain(tableFromIPC(bytes, { useBigInt: true }).toArray());
}

/** @param {Buffer} bytes @returns {Promise<unknown>} */
async function readParquet(bytes) {
  const folder = mkdtempSync(join(tmpdir(), 'odd-records-parquet-'));
  const file = join(folder, 'answer.parquet');
  writeFileSync(file, bytes);
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  try {
    const reader = await connection.runAndReadAll(
      `select to_json(t)::varchar from read_parquet('${file}') as t`,
    );
    return reader.getRowsJson().map(([row]) => JSON.parse(String(row)));
  } finally {
    connection.closeSync();
    instance.closeSync();
    rmSync(folder, { recursive: true });
  }
}

/** @param {unknown} value @returns {unknown} */
function plain(value) {
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Date || ArrayBuffer.isView(value)) return String(value);
  if (Array.isArray(value) || Symbol.iterator in value)
    return Array.from(/** @type {Iterable<unknown>} */ (value), plain);
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, plain(each)]));
}

/** Whether a value is another one, with empty members added at most. @param {unknown} now @param {unknown} before @returns {boolean} */
function holds(now, before) {
  if (Array.isArray(now) && Array.isArray(before)) {
    return now.length === before.length && now.every((each, at) => holds(each, before[at]));
  }
  if (!isObject(now) || !isObject(before))
    return isDeepStrictEqual(now, before) || (isEmpty(now) && isEmpty(before));
  return Object.keys({ ...now, ...before }).every((key) =>
    key in before ? holds(now[key], before[key]) : isEmpty(now[key]),
  );
}

/** @param {unknown} value @returns {value is Record<string, unknown>} */
function isObject(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** @param {unknown} value @returns {boolean} */
function isEmpty(value) {
  if (value === null || value === undefined) return true;
  if (Array.isArray(value)) return value.every(isEmpty);
  return isObject(value) && Object.values(value).every(isEmpty);
}
