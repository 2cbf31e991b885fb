import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { measureAnswers } from './answers.mjs';
import { meanMeasurement, relativeSpread } from './combine.mjs';
import { makeData } from './data.mjs';
import { measureFollowing } from './follow.mjs';
import { measureBytesWithoutNewest, measureLoad } from './load.mjs';
import { measureShapes } from './load-shapes.mjs';
import { measureParts } from './micro.mjs';
import { measureLogs, startPostgres } from './others.mjs';
import { measureTextShapes } from './text-shapes.mjs';
import { measureThroughput } from './throughput.mjs';
import { measureWorstShapes } from './worst-shapes.mjs';

/** @typedef {import('./arguments.mjs').Arguments} Arguments */
/** The measurements at one number of records. @typedef {Awaited<ReturnType<typeof measureOften>>} Size */
/** All measurements of a run. @typedef {Awaited<ReturnType<typeof measureAll>>} All */

/** Runs the whole benchmark. @param {Arguments} options @param {string} scratch */
export async function measureAll(options, scratch) {
  const data = options.data ?? join(scratch, 'data');
  /** @type {Size[]} */
  const sizes = [];
  /** @type {Awaited<ReturnType<typeof measureShapes>>} */
  let shapes = [];
  /** @type {Awaited<ReturnType<typeof measureTextShapes>>} */
  let texts = [];
  /** @type {Awaited<ReturnType<typeof measureFollowing>>} */
  let followed = [];
  /** @type {Awaited<ReturnType<typeof measureWorstShapes>>} */
  let worst = [];
  /** @type {Awaited<ReturnType<typeof measureParts>>} */
  let parts = [];
  for (const records of options.sizes) {
    const made = makeData(data, records);
    sizes.push(await measureOften({ ...options, scratch, records, ...made }));
    if (parts.length === 0) {
      logProgress('shapes of records', records);
      shapes = await measureShapes(scratch, options.memoryLimit);
      logProgress('shapes of text', records);
      texts = await measureTextShapes(scratch, options.memoryLimit);
      logProgress('worst shapes of records', records);
      worst = await measureWorstShapes(scratch, options.memoryLimit);
      logProgress('parts', records);
      parts = await measureParts(made.logs, options.memoryLimit);
    }
    if (records === options.sizes.at(-1)) {
      logProgress('following', records);
      followed = await measureFollowing({ ...options, scratch, logs: made.logs });
    }
    if (options.data === undefined) rmSync(data, { recursive: true });
  }
  return { sizes, shapes, texts, worst, followed, parts };
}

/** @typedef {Arguments & { readonly scratch: string, readonly records: number, readonly logs: string, readonly bytes: number }} SizeOptions */

/** The means of several runs, and how far apart the times over HTTP were. @param {SizeOptions} options */
async function measureOften(options) {
  const postgres = await openPeer(options);
  const first = await measureSize({ ...options, peer: postgres });
  const all = /** @type {[typeof first, ...typeof first[]]} */ ([first]);
  while (all.length < options.repeat) all.push(await measureSize({ ...options, peer: postgres }));
  await postgres?.close();
  const spreads = first.answers.map((_, index) =>
    relativeSpread(all.map(({ answers }) => answers[index]?.http ?? Number.NaN)),
  );
  logProgress('load without the newest rows', options.records);
  const bytesWithoutNewest = await measureBytesWithoutNewest(options.logs, options);
  return { ...meanMeasurement(all), spreads, postgresLoadMs: postgres?.loadMs, bytesWithoutNewest };
}

/** Loads the logs into PostgreSQL, once for all runs. @param {SizeOptions} options */
async function openPeer({ postgres, records, logs, scratch }) {
  if (!postgres) return undefined;
  logProgress('PostgreSQL', records);
  const peer = await startPostgres(logs, scratch);
  if (peer === undefined) logProgress('PostgreSQL is not installed: skipped', records);
  return peer;
}

/** @param {SizeOptions & { readonly peer: import('./others.mjs').Postgres | undefined }} options */
async function measureSize({
  records,
  logs: folder,
  bytes,
  scratch,
  memoryLimit,
  runs,
  profile,
  peer,
}) {
  logProgress('load', records);
  const { loaded, service } = await measureLoad({ folder, scratch, memoryLimit, profile });
  logProgress('queries', records);
  const options = { folder, memoryLimit, runs, records };
  const measured = await measureAnswers({ service, postgres: peer }, options);
  logProgress('cached answers', records);
  const throughput = await measureThroughput(service, scratch);
  await service.stop();
  logProgress('DuckDB over the log files', records);
  const files = await measureLogs(folder, records, memoryLimit);
  return { records, bytes, loaded, ...measured, throughput, files };
}

/** @param {string} what @param {number} records */
function logProgress(what, records) {
  console.error(`${new Date().toISOString().slice(11, 19)} ${records} records: ${what}`);
}
