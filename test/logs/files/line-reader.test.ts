import { expect, test } from 'vitest';
import { lineOptions, readAlike } from '../../../src/logs/files/line-reader.js';

const fileOf = (name: string, compression: 'none' | 'gzip' = 'none') =>
  ({ source: 'edge_logs', name, path: `/${name}`, format: 'lines', compression }) as const;

const linesOf = (file: ReturnType<typeof fileOf>, maxLineBytes = 1_048_576) =>
  ({ file, options: lineOptions(file, maxLineBytes), json: 'json' }) as const;

test('files that are read alike are read by one query, however many they are', () => {
  const lines = Array.from({ length: 400 }, (_, index) => linesOf(fileOf(`${index}.ndjson`)));
  const queries = readAlike(lines);
  expect(queries).toHaveLength(1);
  expect(queries[0]).toContain(`['/0.ndjson', '/1.ndjson', `);
});

test('files of another compression, of longer lines, or with other numbers in them have queries of their own', () => {
  const queries = readAlike([
    linesOf(fileOf('a')),
    linesOf(fileOf('b.gz', 'gzip')),
    linesOf(fileOf('c'), 2_000_000),
    { ...linesOf(fileOf('d')), json: 'quoted(json)' },
    linesOf(fileOf('e[1]*?')),
  ]);
  expect(queries).toHaveLength(4);
  expect(queries[0]).toContain(`['/a', '/e[[]1][*][?]']`);
});
