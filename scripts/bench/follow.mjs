import { appendFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { median } from './measure.mjs';
import { processTree, readProc } from './process-tree.mjs';
import { startService } from './service.mjs';

// The cost of following the log files: `serve --watch` over a small folder, and over a large one.

/** @typedef {import('./service.mjs').Service} Service */

/**
 * A measurement with its target, which are numbers of the same unit; the number must not be larger.
 * @typedef {object} Followed
 * @property {string} what
 * @property {string} unit
 * @property {number} value
 * @property {number} target
 */

/** The time for which lines are written, in seconds. */
const writingSeconds = 60;
const source = 'edge_logs';
const start = Date.parse('2026-03-10T11:00:00Z');
let written = 0;

/** A new line. @param {object} [more] fields of its metadata */
function line(more = {}) {
  const n = written++;
  const record = {
    id: `line-${n}`,
    timestamp: new Date(start + n).toISOString(),
    event_message: `GET 200 ${n}`,
    project: 'followed',
    metadata: { request: { path: `/items/${n % 100}`, method: 'GET' }, ...more },
  };
  return `${JSON.stringify(record)}\n`;
}

/** After this time, the service has ended the idle processes that it does not keep. */
const restMs = 40_000;

/**
 * Measures everything. `logs` is a folder with a million records of the source.
 * @param {{ readonly scratch: string, readonly memoryLimit: string, readonly logs: string }} options
 * @returns {Promise<readonly Followed[]>}
 */
export async function measureFollowing({ scratch, memoryLimit, logs }) {
  const folder = join(scratch, 'followed');
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${source}.ndjson`);
  writeFileSync(file, Array.from({ length: 1_000 }, () => line()).join(''));
  const open = () =>
    startService(folder, { memoryLimit, flags: ['--watch', '--query-cache', '0'] });
  const service = await open();
  await service.untilQuiet();
  await sleep(restMs);
  const results = [
    {
      what: 'memory at rest, all processes (PSS)',
      unit: 'MB',
      value: treeMegabytes(service),
      target: 180,
    },
    {
      what: 'one line, from rest',
      unit: 'processor seconds',
      value: await costOfLine(service, file),
      target: 0.5,
    },
    {
      what: 'one line, loader up',
      unit: 'processor seconds',
      value: median(await repeat(5, () => costOfLine(service, file))),
      target: 0.1,
    },
    await costOfRefresh(service, file),
    await costOfLines(service, file),
    await delaysAt(service, file, { perSecond: 1_000, targetMs: 1_000, maxCores: 0.5 }),
    await delaysAt(service, file, { perSecond: 20_000, targetMs: 2_000 }),
  ].flat();
  await service.stop();
  rmSync(folder, { recursive: true });
  return [
    ...results,
    await costOfFields(logs, memoryLimit),
    await costOfRest(scratch, memoryLimit),
  ];
}

/** @template T @param {number} times @param {() => Promise<T>} work */
async function repeat(times, work) {
  const all = [];
  for (let turn = 0; turn < times; turn += 1) all.push(await work());
  return all;
}

/** The number of visible records of the source. @param {Service} service */
async function visible(service) {
  const sql = `select count(*) as n from ${source}`;
  const query = {
    what: '',
    endpoint: 'logs.all',
    values: { project: 'followed' },
    sql,
    byHand: '',
    postgres: '',
  };
  const { body } = await service.ask(query);
  return Number(JSON.parse(body.toString()).result[0].n);
}

/** The processor time of a line, from writing it until the service is quiet. @param {Service} service @param {string} file */
async function costOfLine(service, file) {
  const before = service.cpuMs();
  appendFileSync(file, line());
  await sleep(500);
  return ((await service.untilQuiet()) - before) / 1_000;
}

/** Cores used by a line a second. @param {Service} service @param {string} file */
async function costOfLines(service, file) {
  const before = service.cpuMs();
  for (let second = 0; second < writingSeconds; second += 1) {
    appendFileSync(file, line());
    await sleep(1_000);
  }
  const value = (service.cpuMs() - before) / 1_000 / writingSeconds;
  return { what: 'one line a second', unit: 'cores', value, target: 0.1 };
}

/**
 * Measures the time until lines are visible, and then the cost of as many lines without any request.
 * @param {Service} service
 * @param {string} file
 * @param {{ readonly perSecond: number, readonly targetMs: number, readonly maxCores?: number }} load
 */
async function delaysAt(service, file, { perSecond, targetMs, maxCores }) {
  const end = performance.now() + writingSeconds * 1_000;
  /** @type {number[]} */
  const writtenAt = [];
  const base = await visible(service);
  const [delays] = await Promise.all([
    watchDelays(service, { writtenAt, base, end }),
    writeUntil(end, { file, perSecond, writtenAt }),
  ]);
  const last = (performance.now() - end) / 1_000;
  const p95 = delays[Math.floor(delays.length * 0.95)] ?? Number.NaN;
  const name = `${perSecond.toLocaleString('en')} lines a second`;
  return [
    {
      what: `${name}: 95 % are visible after`,
      unit: 'seconds',
      value: p95 / 1_000,
      target: targetMs / 1_000,
    },
    maxCores === undefined
      ? {
          what: `${name}: the last one is visible after`,
          unit: 'seconds',
          value: last,
          target: 2.5,
        }
      : {
          what: `${name}, without requests`,
          unit: 'cores',
          value: await coresOfWriting(service, { file, perSecond }),
          target: maxCores,
        },
  ];
}

/** @param {Service} service @param {{ readonly file: string, readonly perSecond: number }} writing */
async function coresOfWriting(service, writing) {
  const before = await service.untilQuiet();
  await writeUntil(performance.now() + writingSeconds * 1_000, { ...writing, writtenAt: [] });
  return (service.cpuMs() - before) / 1_000 / writingSeconds;
}

/** Writes twenty times a second. @param {number} end @param {{ readonly file: string, readonly perSecond: number, readonly writtenAt: number[] }} writing */
async function writeUntil(end, { file, perSecond, writtenAt }) {
  for (let next = performance.now(); performance.now() < end; next += 50) {
    const lines = Array.from({ length: perSecond / 20 }, () => line());
    appendFileSync(file, lines.join(''));
    const now = performance.now();
    for (const _ of lines) writtenAt.push(now);
    await sleep(Math.max(0, next + 50 - performance.now()));
  }
}

/**
 * Counts the visible lines again and again; returns how long each took, in order of length.
 * @param {Service} service
 * @param {{ readonly writtenAt: readonly number[], readonly base: number, readonly end: number }} writing
 */
async function watchDelays(service, { writtenAt, base, end }) {
  /** @type {number[]} */
  const delays = [];
  while (delays.length < writtenAt.length || performance.now() < end) {
    const seen = (await visible(service)) - base;
    const now = performance.now();
    while (delays.length < seen) delays.push(now - (writtenAt[delays.length] ?? now));
    await sleep(50);
  }
  return delays.sort((one, other) => one - other);
}

/** The time of a request while lines are loaded, as a multiple of the time without any. @param {Service} service @param {string} file */
async function costOfRefresh(service, file) {
  const time = async () => {
    const began = performance.now();
    await visible(service);
    return performance.now() - began;
  };
  const idle = median(await repeat(100, time));
  const end = performance.now() + 10_000;
  /** @type {number[]} */
  const busy = [];
  const write = async () => {
    while (performance.now() < end) {
      appendFileSync(file, line());
      await sleep(100);
    }
  };
  const ask = async () => {
    while (performance.now() < end) busy.push(await time());
  };
  await Promise.all([write(), ask()]);
  return {
    what: 'a request during refreshes',
    unit: 'times',
    value: median(busy) / idle,
    target: 1.5,
  };
}

/** The processor time of a new field in a large source. @param {string} logs @param {string} memoryLimit */
async function costOfFields(logs, memoryLimit) {
  const service = await startService(logs, { memoryLimit, flags: ['--watch'] });
  await service.untilQuiet();
  const file = join(logs, source, 'new-fields.ndjson');
  writeFileSync(file, line());
  await service.untilQuiet();
  const costs = await repeat(5, async () => {
    const before = service.cpuMs();
    appendFileSync(file, line({ [`field_${written}`]: 1 }));
    await sleep(500);
    return ((await service.untilQuiet()) - before) / 1_000;
  });
  await service.stop();
  rmSync(file);
  return {
    what: 'a new field in a large source',
    unit: 'processor seconds',
    value: median(costs),
    target: 0.15,
  };
}

/** Cores used at rest over many files. @param {string} scratch @param {string} memoryLimit */
async function costOfRest(scratch, memoryLimit) {
  const folder = join(scratch, 'many-files');
  mkdirSync(join(folder, source), { recursive: true });
  for (let file = 0; file < 2_000; file += 1)
    writeFileSync(join(folder, source, `${file}.ndjson`), line());
  const service = await startService(folder, { memoryLimit, flags: ['--watch'] });
  await service.untilQuiet();
  const before = service.cpuMs();
  await sleep(30_000);
  const value = (service.cpuMs() - before) / 30_000;
  await service.stop();
  rmSync(folder, { recursive: true });
  return { what: 'at rest, 2,000 files', unit: 'cores', value, target: 0.01 };
}

/** Memory of all processes, shared pages divided by their users, in MB. @param {Service} service */
function treeMegabytes({ pid }) {
  const kilobytes = processTree(pid).map((each) =>
    Number(/^Pss:\s+(\d+)/m.exec(readProc(`${each}/smaps_rollup`))?.[1] ?? 0),
  );
  return kilobytes.reduce((sum, each) => sum + each, 0) / 1_000;
}
