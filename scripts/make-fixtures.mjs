import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  createRandom,
  edgeMessage,
  isoFrom,
  makeEdgeMetadata,
  serviceLogs,
} from './fixtures/built.mjs';
import { machineLogs } from './fixtures/machines.mjs';
import { makeVisits } from './fixtures/visits.mjs';

// Writes the sample logs, byte for byte the same each time: node scripts/make-fixtures.mjs <folder>.

const [folder] = process.argv.slice(2);
if (folder === undefined) {
  console.error('usage: node scripts/make-fixtures.mjs <folder>');
  process.exit(2);
}
await mkdir(folder, { recursive: true });
for (const [source, lines] of makeLines()) {
  await writeFile(join(folder, `${source}.ndjson`), `${lines.join('\n')}\n`);
}

/** The lines of each source, in order of time. @returns {Map<string, string[]>} */
function makeLines() {
  const random = createRandom(20260310);
  const visits = makeVisits(random, 900);
  const records = [
    ...visits.map((visit) => edgeRecord(random, visit)),
    ...visits.flatMap((visit) => serviceLogs(random, visit)),
    ...machineLogs(random, 420),
  ].sort((left, right) => left.at - right.at);
  /** @type {Map<string, string[]>} */
  const files = new Map();
  for (const record of records) {
    files.set(record.source, [...(files.get(record.source) ?? []), printRecord(random, record)]);
  }
  return files;
}

/**
 * @param {import('./fixtures/built.mjs').Random} random
 * @param {import('./fixtures/built.mjs').Visit} visit
 * @returns {import('./fixtures/built.mjs').LogRecord}
 */
function edgeRecord(random, visit) {
  return {
    source: 'edge_logs',
    at: visit.at,
    project: visit.project,
    message: edgeMessage(visit),
    metadata: makeEdgeMetadata(random, visit),
  };
}

/**
 * Prints a record as a line of NDJSON. As in real files, a few records have their metadata as an array of
 * one element, and a few their timestamp as unix microseconds.
 * @param {import('./fixtures/built.mjs').Random} random
 * @param {import('./fixtures/built.mjs').LogRecord} record
 */
function printRecord(random, { at, message, project, metadata }) {
  const wrap = random.chance(0.03) && !Array.isArray(metadata);
  return JSON.stringify({
    id: random.uuid(),
    timestamp: random.chance(0.02) ? at : isoFrom(at),
    event_message: message,
    ...(project === undefined ? {} : { project }),
    metadata: wrap ? [metadata] : metadata,
  });
}
