import { expect, test } from 'vitest';
import { loadFolder, makeFolder } from '../../support/load-logs.js';

// The second load first fails for lack of memory; closing it must not crash the process.
const cases = [
  ['rows that cannot be sorted at once are sorted in pieces, into the same table', 30_000, 400],
  ['rows that are too wide for that are loaded with more memory', 1200, 20_000],
] as const;

test.each(cases)('%s', async (_name, count, width) => {
  const records = Array.from({ length: count }, (_, index) => ({
    id: `${(index * 7919) % count}`.padStart(5, '0'),
    timestamp: index % 50 === 0 ? 'never' : 1_700_000_000 + ((index * 31) % 97),
    event_message: `${index}`.repeat(width),
  }));
  const lines = records.map((record) => JSON.stringify(record)).join('\n');
  const folder = makeFolder({ 'edge_logs.ndjson': lines });
  const inOrder = async (memoryLimit: string) => {
    const loaded = await loadFolder(folder, { memoryLimit });
    const columns = 'rowid, id, timestamp, md5(event_message) as message';
    return { rows: await loaded.rows('edge_logs', columns), files: loaded.files };
  };
  const whole = await inOrder('1GB');
  expect(whole.rows).toHaveLength(count * 0.98);
  // A quarter of the limit is less than the size of the file.
  expect(await inOrder('120MB')).toEqual(whole);
});
