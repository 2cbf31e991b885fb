import { DuckDBInstance } from '@duckdb/node-api';
import { expect, test } from 'vitest';
import { registerLoadFunctions } from '../../src/logs/load/register-functions.js';
import { columnSeparator, printedTable, printRow } from '../../src/rows/print-columns.js';
import type { SourceSchema } from '../../src/types/schema.js';
import type { ArrayType, Field } from '../../src/types/types.js';
import { nightly } from '../support/nightly.js';
import {
  type LogRecord,
  randomRecords,
  shownJson,
  storedType,
  storedValue,
} from '../support/random-records.js';
import { openQueryRunner } from '../support/run-query.js';

// A record is printed as JavaScript expects it, by a statement and by the loader, whatever its schema is.

const rounds = nightly(100, 24);

function sourceOf(fields: readonly Field[], layout: ArrayType['layout']): SourceSchema {
  const element = { kind: 'STRUCT', fields } as const;
  const columns: readonly Field[] = [
    { name: 'id', type: { kind: 'STRING' }, stored: true },
    { name: 'timestamp', type: { kind: 'TIMESTAMP' }, stored: true },
    { name: 'metadata', type: { kind: 'ARRAY', layout, element }, stored: true },
  ];
  return { name: 'web', columns };
}

function rowsSql({ columns }: SourceSchema, records: readonly LogRecord[]): string {
  const type = columns[2]?.type;
  if (type === undefined) throw new Error('no metadata');
  const rows = records.map(
    (record, index) =>
      `('${index}', timestamptz '2026-03-01 00:00:00Z', ${storedValue([record], type)}::${storedType(type)})`,
  );
  return `select * from (values ${rows.join(', ')}) t(id, timestamp, metadata)`;
}

async function printByLoader(source: SourceSchema, rows: string): Promise<readonly string[]> {
  const instance = await DuckDBInstance.create();
  const connection = await instance.connect();
  registerLoadFunctions(connection);
  await connection.run(`create table web as ${rows}`);
  const reader = await connection.runAndReadAll(
    `select ${printRow(source)} from web as ${printedTable} order by id::int`,
  );
  connection.closeSync();
  instance.closeSync();
  return reader.getRows().map(([text]) => String(text).split(columnSeparator)[2] ?? '');
}

async function printByStatement(source: SourceSchema, rows: string, redact: boolean) {
  const runner = await openQueryRunner({ source, rows });
  try {
    const sql = 'select t.metadata from `logs.web` as t order by cast(t.id as int64)';
    return await runner.runText(sql, { redact });
  } finally {
    await runner.close();
  }
}

test.each(Array.from({ length: rounds }, (_, index) => index))('schema %i', async (index) => {
  const random = randomRecords(index);
  const [depth, width] = [
    [1, 40],
    [3, 5],
    [10, 3],
  ][index % 3] as [number, number];
  const fields = random.fields(depth, width);
  const source = sourceOf(fields, index % 2 === 0 ? 'struct' : 'list');
  const records = Array.from({ length: 12 }, () => random.record(fields));
  const rows = rowsSql(source, records);
  const type = source.columns[2]?.type ?? { kind: 'STRING' };
  const expected = records.map((record) => shownJson([record], type));
  expect(await printByLoader(source, rows)).toEqual(expected);
  const answer = `[${expected.map((json) => `{"metadata":${json}}`).join(',')}]`;
  expect(await printByStatement(source, rows, false)).toBe(answer);
  expect(await printByStatement(source, rows, true)).toBe(
    answer.replaceAll('10.0.0.1', 'REDACTED'),
  );
});

test('TO_JSON and TO_JSON_STRING of a whole record show an undeclared field only if it has a value', async () => {
  const text = { kind: 'STRING' } as const;
  const own = { stored: true, undeclared: true } as const;
  const fields: readonly Field[] = [
    { name: 'level', type: text, stored: true },
    { name: 'b', type: { kind: 'INT64' }, ...own },
    { name: 'tags', type: { kind: 'ARRAY', layout: 'list', element: text }, ...own },
    {
      name: 'a',
      type: {
        kind: 'ARRAY',
        layout: 'struct',
        element: { kind: 'STRUCT', fields: [{ name: 'c', type: text, ...own }] },
      },
      ...own,
    },
  ];
  const source = sourceOf(fields, 'struct');
  const rows = rowsSql(source, [
    { level: 'x', b: 1, tags: ['t'], a: [{ c: 'y' }] },
    { a: [{}] },
    { tags: [] },
  ]);
  const runner = await openQueryRunner({ source, rows });
  const sql = `select to_json_string(t.metadata) as s, to_json(t.metadata) as j,
    to_json_string(t.metadata, true) as p from \`logs.web\` as t order by t.id`;
  const answer = await runner.run(sql).finally(() => runner.close());
  expect(answer.map(({ s, j }) => [s, j])).toEqual([
    [
      '[{"level":"x","b":1,"tags":["t"],"a":[{"c":"y"}]}]',
      '[{"a":[{"c":"y"}],"b":1,"level":"x","tags":["t"]}]',
    ],
    ['[{"level":null,"a":[{}]}]', '[{"a":[{}],"level":null}]'],
    ['[{"level":null}]', '[{"level":null}]'],
  ]);
  expect(answer[1]?.['p']).toBe('[\n  {\n    "level": null,\n    "a": [\n      {}\n    ]\n  }\n]');
});
