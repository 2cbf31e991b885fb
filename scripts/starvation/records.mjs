import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';

const start = Date.parse('2026-03-10T00:00:00Z');
const projects = ['bluefin', 'larkspur'];

/** Of different letters, so that the texts do not compress to nothing. */
const words = Array.from({ length: 997 }, (_, n) => Math.imul(n + 1, 2_654_435_761).toString(36));

/** The time of the n-th record: one a second. @param {number} n */
export function recordTime(n) {
  return new Date(start + n * 1_000).toISOString();
}

/** Writes edge logs of two projects, of about 5.5 KB each. @param {string} folder @param {number} count */
export async function writeRecords(folder, count) {
  const output = createWriteStream(join(folder, 'edge_logs.ndjson'));
  for (let n = 0; n < count; n += 1) output.write(`${JSON.stringify(makeRecord(n))}\n`);
  output.end();
  await finished(output);
}

/** @param {number} n */
function makeRecord(n) {
  return {
    id: `record-${n}`,
    timestamp: recordTime(n),
    event_message: `GET 200 /items/${n} ${recordText(n)}`,
    project: projects[n % projects.length],
    identifier: 'starvation',
    metadata: [
      {
        request: [
          { path: `/items/${n % 97}`, method: 'GET', host: 'a.example', search: `?n=${n}` },
        ],
        response: [{ status_code: 200 + (n % 5), origin_time: n % 800 }],
      },
    ],
  };
}

/** @param {number} n */
function recordText(n) {
  const picked = Array.from({ length: 800 }, (_, at) => words[(n * 31 + at * at) % words.length]);
  return picked.join(' ').slice(0, 5_100);
}
