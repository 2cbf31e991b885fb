import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { measureAnswers } from './answers.mjs';
import { meanOf, spreadOf } from './combine.mjs';
import { makeData } from './data.mjs';
import { measureLoad } from './load.mjs';
import { measureShapes } from './load-shapes.mjs';
import { measureParts } from './micro.mjs';
import { measureLogs, startPostgres } from './others.mjs';
import { measureThroughput } from './throughput.mjs';

/** @typedef {import('./arguments.mjs').Arguments} Arguments */
/** The measurements at one number of records. @typedef {Awaited<ReturnType<typeof measureOften>>} Size */
/** All measurements of a run. @typedef {Awaited<ReturnType<typeof measureAll>>} All */

/** Loading more into PostgreSQL takes minutes and gigabytes. */
const maxPostgresRecords = 1_000_000;

/** Runs the whole benchmark. @param {Arguments} options @param {string} scratch */
export async function measureAll(options, scratch) {
  const data = options.data ?? join(scratch, 'data');
  /** @type {Size[]} */
  const sizes = [];
  /** @type {Awaited<ReturnType<typeof measureShapes>>} */
  let shapes = [];
  /** @type {Awaited<ReturnType<typeof measureParts>>} */
  let parts = [];
  for (const records of options.sizes) {
    const made = makeData(data, records);
    sizes.push(await measureOften({ ...options, scratch, records, ...made }));
    if (parts.length === 0) {
      logProgress('shapes of records', records);
      shapes = await measureShapes(scratch, options.memoryLimit);
      logProgress('parts', records);
      parts = await measureParts(made.logs, options.memoryLimit);
    }
    if (options.data === undefined) rmSync(data, { recursive: true });
  }
  return { sizes, shapes, parts };
}

/** @typedef {Arguments & { readonly scratch: string, readonly records: number, readonly logs: string, readonly bytes: number }} SizeOptions */

/** The means of several runs, and how far apart the times over HTTP were. @param {SizeOptions} options */
async function measureOften(options) {
  const first = await measureSize(options);
  const all = /** @type {[typeof first, ...typeof first[]]} */ ([first]);
  while (all.length < options.repeat) all.push(await measureSize(options));
  const spreads = first.answers.map((_, index) =>
    spreadOf(all.map(({ answers }) => answers[index]?.http ?? Number.NaN)),
  );
  return { ...meanOf(all), spreads };
}

/** @param {SizeOptions} options */
async function measureSize({
  records,
  logs: folder,
  bytes,
  scratch,
  memoryLimit,
  runs,
  ...options
}) {
  logProgress('load', records);
  const { profile } = options;
  const { loaded, service } = await measureLoad({ folder, scratch, memoryLimit, profile });
  const withPostgres = options.postgres && records <= maxPostgresRecords;
  if (withPostgres) logProgress('PostgreSQL', records);
  const postgres = withPostgres ? await startPostgres(folder, scratch) : undefined;
  if (withPostgres && postgres === undefined)
    logProgress('PostgreSQL is not installed: skipped', records);
  logProgress('queries', records);
  const measured = await measureAnswers({ service, postgres }, { folder, memoryLimit, runs });
  await postgres?.close();
  logProgress('cached answers', records);
  const throughput = await measureThroughput(service, scratch);
  await service.stop();
  logProgress('DuckDB over the log files', records);
  const files = await measureLogs(folder, records, memoryLimit);
  const postgresLoadMs = postgres?.loadMs;
  return { records, bytes, loaded, ...measured, throughput, files, postgresLoadMs };
}

/** @param {string} what @param {number} records */
function logProgress(what, records) {
  console.error(`${new Date().toISOString().slice(11, 19)} ${records} records: ${what}`);
}
