import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { measureAnswers } from './answers.mjs';
import { makeData } from './data.mjs';
import { measureLoad } from './load.mjs';
import { measureParts } from './micro.mjs';
import { measureLogs, measurePostgres } from './others.mjs';
import { measureThroughput } from './throughput.mjs';

/** @typedef {import('./arguments.mjs').Arguments} Arguments */
/** @typedef {Awaited<ReturnType<typeof measureSize>>} Size */
/** @typedef {Awaited<ReturnType<typeof measureAll>>} All */

/** PostgreSQL takes minutes and gigabytes to load more. */
const mostForPostgres = 1_000_000;

/** @param {Arguments} given @param {string} scratch */
export async function measureAll(given, scratch) {
  const data = given.data ?? join(scratch, 'data');
  /** @type {Size[]} */
  const sizes = [];
  /** @type {Awaited<ReturnType<typeof measureParts>>} */
  let parts = [];
  for (const records of given.sizes) {
    const made = makeData(data, records);
    sizes.push(await measureSize({ ...given, scratch, records, ...made }));
    if (parts.length === 0) {
      tell('parts', records);
      parts = await measureParts(made.logs, given.memoryLimit);
    }
    if (given.data === undefined) rmSync(data, { recursive: true });
  }
  return { sizes, parts };
}

/** @param {Arguments & { readonly scratch: string, readonly records: number, readonly logs: string, readonly bytes: number }} given */
async function measureSize({ records, logs, bytes, scratch, memoryLimit, runs, ...given }) {
  const folder = logs;
  tell('load', records);
  const { loaded, service } = await measureLoad({ folder, scratch, memoryLimit });
  tell('questions', records);
  const { answers, hop } = await measureAnswers(service, { folder, memoryLimit, runs });
  tell('kept answers', records);
  const throughput = await measureThroughput(service, scratch);
  await service.stop();
  tell('DuckDB over the log files', records);
  const files = await measureLogs(folder, records, memoryLimit);
  const isForPostgres = given.postgres && records <= mostForPostgres;
  if (isForPostgres) tell('PostgreSQL', records);
  const postgres = isForPostgres ? await measurePostgres(folder, scratch, 5) : undefined;
  if (isForPostgres && postgres === undefined)
    tell('PostgreSQL is not installed: left out', records);
  return { records, bytes, loaded, answers, hop, throughput, files, postgres };
}

/** @param {string} what @param {number} records */
function tell(what, records) {
  console.error(`${new Date().toISOString().slice(11, 19)} ${records} records: ${what}`);
}
