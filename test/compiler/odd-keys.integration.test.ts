import { expect, test } from 'vitest';
import { createCompiler } from '../../src/compiler/compile.js';
import { openDuckDbEngine } from '../../src/engine/duckdb/duckdb.js';
import { loadFolder, makeFolder } from '../support/load-logs.js';
import { createQueryRunner, type QueryRunner } from '../support/run-query.js';

// Whatever the keys of a record are, nothing of it is lost, and each that a path can name is read by it.

/** Keys in the order of the record, and what they are when they are read; each has its index as its value. */
const keys: readonly (readonly [written: string, read?: string])[] = [
  [''],
  ['a\0b'],
  ['"'],
  ["'"],
  ['`'],
  ['.'],
  ['a.b'],
  ['$'],
  ['\ud83d', '\ufffd'],
  ['😀'],
  ['__proto__'],
  ['constructor'],
  ['Key'],
  ['key'],
  ['KEY'],
  ['x'.repeat(65_536)],
  ['_other_fields'],
  ['_OTHER_fields_2'],
  ['\n'],
  ['\\'],
  ['~/~'],
  [' '],
  ['ada@example.com'],
];

async function open(maxFields: number): Promise<QueryRunner> {
  const members = keys.map(([key], index) => `${JSON.stringify(key)}:${index}`).join(',');
  const line = `{"id":"1","timestamp":"2026-03-01T00:00:00Z","metadata":{${members}}}`;
  const loaded = await loadFolder(makeFolder({ 'edge_logs.ndjson': `${line}\n` }), { maxFields });
  expect(loaded.files).toMatchObject([{ records: 1, badLines: 0 }]);
  const sources = loaded.sources.filter(({ name }) => name === 'edge_logs');
  const options = { databaseFile: loaded.database, sources, threads: 2, callers: 1 };
  const limits = { maxConcurrentQueries: 2, maxQueuedQueries: 2, queryTimeoutMs: 30_000 };
  const sizes = { maxResultBytes: 1_000_000, maxResidentBytes: 2_000_000_000 };
  const engine = await openDuckDbEngine({ ...options, ...limits, ...sizes });
  return createQueryRunner(createCompiler(sources), engine);
}

/** A path that names a key below `m`. */
function pathTo(key: string): string {
  return `m.${'`'}${key.replaceAll('\\', '\\\\').replaceAll('`', '\\`').replaceAll('\n', '\\n')}${'`'}`;
}

const from = '`logs.edge_logs` as t, unnest(t.metadata) as m';

test.each([0, 2_000])('a record of odd keys with %d fields that have types', async (maxFields) => {
  const runner = await open(maxFields);
  try {
    const [row = {}] = await runner.run(`select m from ${from}`);
    const { _other_fields: others, ...typed } = row['m'] as Readonly<Record<string, unknown>>;
    const all = { ...typed, ...JSON.parse(String(others)) };
    const expected = keys.map(([written, read = written], index) => [read, `${index}`] as const);
    for (const [key, value] of expected) {
      // Keys that differ only in letter case are one field, where they have a type.
      if (key.toLowerCase() === 'key' && maxFields > 0) continue;
      expect([key.slice(0, 20), String(Object.getOwnPropertyDescriptor(all, key)?.value)]).toEqual([
        key.slice(0, 20),
        value,
      ]);
    }
    for (const [key, value] of expected) {
      // No path has control characters, and the text itself has one of these names.
      if (!/^\P{Cc}+$/u.test(key) || key.startsWith('_other_fields')) continue;
      const isFirst = key.toLowerCase() === 'key' && maxFields > 0;
      const wanted = isFirst ? '12' : value;
      const read = runner.run(`select cast(${pathTo(key)} as string) as v from ${from}`);
      expect([key.slice(0, 20), await read]).toEqual([key.slice(0, 20), [{ v: wanted }]]);
    }
  } finally {
    await runner.close();
  }
});
