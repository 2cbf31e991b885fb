import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { DuckDBInstance } from '@duckdb/node-api';
import { tableFromIPC } from '@uwdata/flechette';
import { sendRequest } from '../faults/send-request.mjs';

// The questions of a caller whose records never change, and how their answers are compared.

/** @typedef {{ readonly name: string, readonly parameters: Readonly<Record<string, string>>, readonly headers: Readonly<Record<string, string>> }} Question */

const formats = /** @type {const} */ (['json', 'ndjson', 'csv', 'arrow', 'parquet']);

/** Every table, plain and redacted, in each format, by SQL and LQL, and the stored queries. @param {readonly string[]} tables @returns {readonly Question[]} */
export function tableQuestions(tables) {
  const texts = [
    ['stored', {}],
    ...tables.flatMap((table) => [
      [`sql ${table}`, { sql: `select * from ${table} order by timestamp desc` }],
      [`first ${table}`, { sql: `select * from ${table} order by timestamp desc limit 7` }],
      [
        `fields ${table}`,
        {
          sql: `select t.id, t.event_message, m.note, count(*) over () as n from ${table} as t cross join unnest(t.metadata) as m order by t.timestamp, t.id`,
        },
      ],
      [`lql ${table}`, { lql: `f:${table} s:*` }],
    ]),
  ];
  return texts.flatMap(([text, query]) =>
    ['', 'redacted'].flatMap((redacted) =>
      formats.map((format) => ({
        name: `${text} ${redacted} ${format}`,
        parameters: { project: 'acme', format, .../** @type {Record<string, string>} */ (query) },
        headers: redacted === '' ? {} : { 'svc-endpoint-redact-pii': 'true' },
      })),
    ),
  );
}

/** @param {string} url @param {string} token @param {Question} question */
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
 * @param {Question} question @param {Answer} before @param {Answer} now
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
