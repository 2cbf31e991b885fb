import { createWriteStream, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { findLogFiles, load, parseSources, readSourceFiles, withShapes } from './built.mjs';
import { median, time } from './measure.mjs';

// Loading lines of text against loading NDJSON of the same size: what turning lines into records costs.

const fileBytes = 16_000_000;
const runs = 3;
const start = Date.parse('2026-03-10T00:00:00Z');

/** @param {number} n */
const iso = (n) => new Date(start + n * 10).toISOString();

/** @param {number} n */
const clock = (n) => iso(n).slice(11, 19);

/** @param {number} n */
const path = (n) => `/rest/v1/items/${n % 997}?id=${n}`;

const agent = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36';

/** The n-th line of each shape. @type {Readonly<Record<string, (n: number) => string>>} */
const lines = {
  'log-endpoints': (n) =>
    JSON.stringify({
      id: `id-${n}`,
      timestamp: iso(n),
      event_message: `GET ${200 + (n % 5)}`,
      metadata: { remote_addr: `10.0.0.${n % 250}`, method: 'GET', path: path(n), agent },
    }),
  combined: (n) =>
    `10.0.0.${n % 250} - - [10/Mar/2026:${clock(n)} +0000] "GET ${path(n)} HTTP/1.1" ${200 + (n % 5)} ${n % 90_000} "https://example.com/a" "${agent}"`,
  syslog: (n) =>
    `Mar 10 ${clock(n)} web-1 sshd[${n % 3000}]: Accepted publickey for root from 10.0.0.${n % 250} port ${n % 60_000} ssh2`,
  logfmt: (n) =>
    `time=${iso(n)} level=info msg="request done" method=GET path=${path(n)} status=${200 + (n % 5)} duration=${n % 800}ms`,
  'spring-boot': (n) =>
    `${iso(n).slice(0, 23).replace('T', ' ')}  INFO 1234 --- [nio-8080-exec-${n % 9}] c.e.demo.web.ItemController             : Loaded item ${n} in ${n % 90} ms`,
  text: (n) =>
    `${iso(n).slice(0, 23).replace('T', ' ').replace('.', ',')} ERROR [worker-${n % 8}] the request for item ${n} of ${path(n)} failed`,
  csv: (n) =>
    n === 0
      ? 'time,level,message,user,path'
      : `${iso(n)},info,"request, done",user${n % 99},${path(n)}`,
};

/**
 * The load of a file of one shape: its records, milliseconds, and the bytes of memory that it added at most.
 * @typedef {{ readonly what: string, readonly records: number, readonly ms: number, readonly memory: number }} TextShape
 */

/** Loads a file of each shape; the first one is NDJSON. @param {string} scratch @param {string} memoryLimit @returns {Promise<readonly TextShape[]>} */
export async function measureTextShapes(scratch, memoryLimit) {
  const folder = join(scratch, 'text-shapes');
  /** @type {TextShape[]} */
  const measured = [];
  for (const [what, line] of Object.entries(lines)) {
    mkdirSync(folder, { recursive: true });
    const isJson = what === 'log-endpoints';
    const records = await write(join(folder, `app.${isJson ? 'ndjson' : 'log'}`), line);
    /** @type {{ readonly ms: number, readonly memory: number }[]} */
    const loads = [];
    while (loads.length < runs) loads.push(await loadAs(what, folder, memoryLimit));
    const [ms, memory] = [loads.map((one) => one.ms), loads.map((one) => one.memory)].map(median);
    measured.push({ what, records, ms: ms ?? Number.NaN, memory: memory ?? Number.NaN });
    rmSync(folder, { recursive: true });
  }
  return measured;
}

/** @param {string} shape @param {string} folder @param {string} memoryLimit */
async function loadAs(shape, folder, memoryLimit) {
  const pieces = JSON.parse(readFileSync('sql/patterns.json', 'utf8'));
  const typed = parseSources(
    readSourceFiles('sql/shapes').map((file) => ({
      ...file,
      makesLevel: true,
      pieces,
      isShape: true,
    })),
  );
  const shapes = Object.fromEntries(
    typed.flatMap(({ name, mapping }) => (mapping === undefined ? [] : [[name, mapping]])),
  );
  const sources = withShapes({ sources: [], shapes, typed }, [{ source: 'app', shape }]);
  const files = findLogFiles(folder, sources);
  const jobs = sources.map((source) => ({ source, files, parts: [] }));
  const database = join(folder, 'loaded.duckdb');
  rmSync(database, { force: true });
  const before = process.memoryUsage.rss();
  let peak = before;
  const timer = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss());
  }, 20);
  const ms = await time(() => load({ sources: jobs, database, memoryLimit, threads: 2 }));
  clearInterval(timer);
  return { ms, memory: peak - before };
}

/** Returns the number of lines. @param {string} file @param {(n: number) => string} line */
async function write(file, line) {
  const output = createWriteStream(file);
  let [bytes, n] = [0, 0];
  for (; bytes < fileBytes; n += 1) {
    const text = `${line(n)}\n`;
    bytes += text.length;
    output.write(text);
  }
  output.end();
  await finished(output);
  return n;
}
