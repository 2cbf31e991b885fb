import { createWriteStream, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { DuckDBInstance } from '@duckdb/node-api';
import { findLogFiles, load, parseSources, readSourceFiles } from './built.mjs';
import { time } from './measure.mjs';

// Loading by the shape of the records: what differs between programs that write logs.

const start = Date.parse('2026-03-10T00:00:00Z');

/** @param {number} n */
const iso = (n) => new Date(start + n).toISOString();

/** The time of the n-th record. @type {Readonly<Record<string, (n: number) => unknown>>} */
const times = {
  'ISO 8601': iso,
  seconds: (n) => Math.floor((start + n) / 1000),
  'seconds with a fraction': (n) => (start + n) / 1000,
  milliseconds: (n) => start + n,
  microseconds: (n) => (start + n) * 1000,
  mixed: (n) => [iso(n), start + n, (start + n) * 1000][n % 3],
};

/** @param {number} n */
const metadata = (n) => ({
  request: {
    path: `/rest/v1/items/${n % 997}`,
    method: 'GET',
    host: 'a.example',
    search: `?id=${n}`,
  },
  response: { status_code: 200 + (n % 5), origin_time: n % 800 },
});

/** The metadata of the n-th record. @type {Readonly<Record<string, (n: number) => unknown>>} */
const records = {
  'as objects': metadata,
  'as arrays of one': (n) => [metadata(n)],
  'as both': (n) => (n % 2 === 0 ? metadata(n) : [metadata(n)]),
  undeclared: (n) => ({
    service: `s${n % 7}`,
    build: { commit: n % 31, ok: n % 2 === 0 },
    tags: ['a', 'b'],
  }),
};

/**
 * @typedef {object} Shape
 * @property {string} what
 * @property {number} count
 * @property {(n: number) => object} record
 */

/** @param {string} time @param {string} kind @param {number} size bytes of the message @returns {(n: number) => object} */
const recordMaker = (time, kind, size) => (n) => ({
  id: `id-${n}`,
  timestamp: times[time]?.(n),
  event_message: `GET 200 ${n} ${'x'.repeat(size)}`,
  project: `project-${n % 20}`,
  metadata: records[kind]?.(n),
});

/** @type {readonly Shape[]} */
const shapes = [
  ...Object.keys(times).flatMap((time) =>
    Object.keys(records).map((kind) => ({
      what: `${time}, metadata ${kind}`,
      count: 100_000,
      record: recordMaker(time, kind, 20),
    })),
  ),
  {
    what: 'ISO 8601, not in order of time',
    count: 100_000,
    record: (n) => recordMaker('ISO 8601', 'as objects', 20)((n * 7919) % 100_003),
  },
  {
    what: 'ISO 8601, lines of 5 KB',
    count: 10_000,
    record: recordMaker('ISO 8601', 'as objects', 5_000),
  },
];

/**
 * One shape, with times in milliseconds.
 * @typedef {object} LoadedShape
 * @property {string} what
 * @property {number} count of records
 * @property {number} ours
 * @property {number} theirs of `create table as`
 */

/** Loads a file of each shape, and lets DuckDB load it. @param {string} scratch @param {string} memoryLimit */
export async function measureShapes(scratch, memoryLimit) {
  const folder = join(scratch, 'shapes');
  /** @type {LoadedShape[]} */
  const measured = [];
  for (const { what, count, record } of shapes) {
    mkdirSync(folder, { recursive: true });
    const file = join(folder, 'edge_logs.ndjson');
    await write(file, count, record);
    const theirs = await createTable(file, memoryLimit);
    measured.push({ what, count, ours: await loadFile(folder, memoryLimit), theirs });
    rmSync(folder, { recursive: true });
  }
  return measured;
}

/** @param {string} file @param {number} count @param {(n: number) => object} record */
async function write(file, count, record) {
  const output = createWriteStream(file);
  for (let n = 0; n < count; n += 1_000) {
    const lines = Array.from({ length: 1_000 }, (_, each) => JSON.stringify(record(n + each)));
    output.write(`${lines.join('\n')}\n`);
  }
  output.end();
  await finished(output);
}

/** @param {string} folder @param {string} memoryLimit */
export function loadFile(folder, memoryLimit) {
  const sources = parseSources(readSourceFiles('sql/sources')).filter(
    ({ name }) => name === 'edge_logs',
  );
  const files = findLogFiles(folder, sources);
  const jobs = sources.map((source) => ({ source, files, parts: [] }));
  const database = join(folder, 'loaded.duckdb');
  return time(() => load({ sources: jobs, database, memoryLimit, threads: 2 }));
}

/** @param {string} file @param {string} memoryLimit */
export async function createTable(file, memoryLimit) {
  const instance = await DuckDBInstance.create(`${file}.duckdb`, { memory_limit: memoryLimit });
  const connection = await instance.connect();
  const elapsed = await time(async () => {
    await connection.run(
      `create table rows as from read_json('${file}', format = 'newline_delimited')`,
    );
    await connection.run('checkpoint');
  });
  connection.closeSync();
  instance.closeSync();
  return elapsed;
}
