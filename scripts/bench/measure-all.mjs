import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { measureAnswers } from './answers.mjs';
import { makeData } from './data.mjs';
import { measureLoad } from './load.mjs';
import { measureParts } from './micro.mjs';
import { measureLogs, measurePostgres } from './others.mjs';
import { measureThroughput } from './throughput.mjs';

/** @typedef {import('./arguments.mjs').Arguments} Arguments */
/** The measurements at one number of records. @typedef {Awaited<ReturnType<typeof measureSize>>} Size */
/** All measurements of a run. @typedef {Awaited<ReturnType<typeof measureAll>>} All */

/** Loading more into PostgreSQL takes minutes and gigabytes. */
const maxPostgresRecords = 1_000_000;

/** Runs the whole benchmark. @param {Arguments} options @param {string} scratch */
export async function measureAll(options, scratch) {
  const data = options.data ?? join(scratch, 'data');
  /** @type {Size[]} */
  const sizes = [];
  /** @type {Awaited<ReturnType<typeof measureParts>>} */
  let parts = [];
  for (const records of options.sizes) {
    const made = makeData(data, records);
    sizes.push(await measureSize({ ...options, scratch, records, ...made }));
    if (parts.length === 0) {
      logProgress('parts', records);
      parts = await measureParts(made.logs, options.memoryLimit);
    }
    if (options.data === undefined) rmSync(data, { recursive: true });
  }
  return { sizes, parts };
}

/** @param {Arguments & { readonly scratch: string, readonly records: number, readonly logs: string, readonly bytes: number }} options */
async function measureSize({ records, logs, bytes, scratch, memoryLimit, runs, ...options }) {
  const folder = logs;
  logProgress('load', records);
  const { loaded, service } = await measureLoad({ folder, scratch, memoryLimit });
  logProgress('queries', records);
  const { answers, processOverhead } = await measureAnswers(service, { folder, memoryLimit, runs });
  logProgress('cached answers', records);
  const throughput = await measureThroughput(service, scratch);
  await service.stop();
  logProgress('DuckDB over the log files', records);
  const files = await measureLogs(folder, records, memoryLimit);
  const withPostgres = options.postgres && records <= maxPostgresRecords;
  if (withPostgres) logProgress('PostgreSQL', records);
  const postgres = withPostgres ? await measurePostgres(folder, scratch, 5) : undefined;
  if (withPostgres && postgres === undefined)
    logProgress('PostgreSQL is not installed: skipped', records);
  return { records, bytes, loaded, answers, processOverhead, throughput, files, postgres };
}

/** @param {string} what @param {number} records */
function logProgress(what, records) {
  console.error(`${new Date().toISOString().slice(11, 19)} ${records} records: ${what}`);
}
