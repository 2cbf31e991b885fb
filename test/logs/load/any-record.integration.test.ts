import { expect, test } from 'vitest';
import { loadFolder, makeFolder } from '../../support/load-logs.js';
import { nightly } from '../../support/nightly.js';
import { randomRecord } from '../../support/random-record.js';

const plain = Array.from({ length: 20 }, (_, index) => ({
  id: `p${index}`,
  timestamp: '2026-03-10T12:00:00Z',
  project: 'acme',
  metadata: [{ level: 'info', n: index }],
}));
const plainLines = plain.map((record) => JSON.stringify(record)).join('\n');

/** The processor time in milliseconds that an action takes. */
async function cpuMs(work: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

test('any record is loaded in a bounded time, with all its scalars, and changes no other source', async () => {
  const alone = await loadFolder(makeFolder({ 'auth_logs.ndjson': plainLines }));
  const expected = await alone.rows('auth_logs', 'to_json(auth_logs)::varchar as row');
  for (let seed = 0; seed < nightly(30, 6); seed++) {
    const records = [0, 1, 2].map((index) => randomRecord(3 * seed + index, `e${index}`));
    const text = records.map(({ line }) => line).join('\n');
    const folder = makeFolder({ 'auth_logs.ndjson': plainLines, 'edge_logs.ndjson': text });
    let printed: readonly unknown[] = [];
    const ms = await cpuMs(async () => {
      const loaded = await loadFolder(folder);
      printed = await loaded.rows('edge_logs', 'id, to_json(edge_logs)::varchar as row');
      expect(await loaded.rows('auth_logs', 'to_json(auth_logs)::varchar as row')).toEqual(
        expected,
      );
      expect(
        loaded.files.filter(({ badLines }) => badLines > 0),
        `seed ${seed}`,
      ).toEqual([]);
    });
    expect(printed.length, `seed ${seed}`).toBe(3);
    for (const [index, { scalars }] of records.entries()) {
      const row = JSON.stringify(printed[index]);
      const lost = scalars.filter((scalar) => !row.includes(scalar));
      expect(lost.slice(0, 3), `seed ${seed}, record ${index}`).toEqual([]);
    }
    expect(ms, `seed ${seed}, ${text.length} bytes`).toBeLessThan(20_000 + text.length / 10);
  }
}, 1_800_000);
