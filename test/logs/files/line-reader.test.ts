import { expect, test } from 'vitest';
import { readAlike, readText } from '../../../src/logs/files/line-reader.js';

const fileOf = (name: string, compression: 'none' | 'gzip' = 'none') =>
  ({ source: 'edge_logs', name, path: `/${name}`, format: 'lines', compression }) as const;

test('files that are read alike are read by one query, however many they are', () => {
  const lines = Array.from({ length: 400 }, (_, index) => ({
    reader: readText(fileOf(`${index}.ndjson`), 1_048_576),
    json: 'json',
  }));
  const queries = readAlike(lines);
  expect(queries).toHaveLength(1);
  expect(queries[0]).toContain(`['/0.ndjson', '/1.ndjson', `);
});

test('files of another compression, of longer lines, or with other numbers in them have queries of their own', () => {
  const json = 'json';
  const queries = readAlike([
    { reader: readText(fileOf('a'), 1_048_576), json },
    { reader: readText(fileOf('b.gz', 'gzip'), 1_048_576), json },
    { reader: readText(fileOf('c'), 2_000_000), json },
    { reader: readText(fileOf('d'), 1_048_576), json: 'quoted(json)' },
    { reader: readText(fileOf('e[1]*?'), 1_048_576), json },
  ]);
  expect(queries).toHaveLength(4);
  expect(queries[0]).toContain(`['/a', '/e[[]1][*][?]']`);
});
