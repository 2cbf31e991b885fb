import { expect, test } from 'vitest';
import { ApiFailure, type BigQueryApi } from '../../../src/bigquery/engine/api.js';
import { readTableSchema, withDeclared } from '../../../src/bigquery/engine/table-schema.js';
import { arrayType, scalar, structType } from '../../../src/types/types.js';

const path = ['project', 'dataset', 'edge_logs'];

function apiOf(answer: object | ApiFailure): BigQueryApi {
  return {
    send: async () => {
      if (answer instanceof ApiFailure) throw answer;
      return answer;
    },
  };
}

test('reads columns, records and arrays, and leaves out what queries cannot read', async () => {
  const fields = [
    { name: 'n', type: 'INTEGER', mode: 'REQUIRED' },
    { name: 'where', type: 'GEOGRAPHY' },
    { name: 'm', type: 'RECORD', mode: 'REPEATED', fields: [{ name: 'b', type: 'BOOLEAN' }] },
    { name: 'tags', type: 'STRING', mode: 'REPEATED' },
    { name: 'valid', type: 'RANGE', mode: 'NULLABLE', rangeElementType: { type: 'DATE' } },
  ];
  const table = await readTableSchema(apiOf({ schema: { fields }, location: 'EU' }), path);
  expect(table?.location).toBe('EU');
  expect(table?.columns).toEqual([
    { name: 'n', type: scalar('INT64'), stored: true },
    { name: 'm', type: arrayType(structType([{ name: 'b', type: scalar('BOOL') }])), stored: true },
    { name: 'tags', type: arrayType(scalar('STRING')), stored: true },
    { name: 'valid', type: scalar('RANGE<DATE>'), stored: true },
  ]);
});

test('a table that does not exist has no columns; any other refusal is an error', async () => {
  expect(await readTableSchema(apiOf(new ApiFailure('notFound', 'no')), path)).toBeUndefined();
  const denied = apiOf(new ApiFailure('accessDenied', 'no'));
  await expect(readTableSchema(denied, path)).rejects.toThrow('no');
});

test('declared fields that the table does not have are there, but not stored', () => {
  const stored = (name: string) => ({ name, type: scalar('STRING'), stored: true });
  const record = (...names: readonly string[]) => ({
    name: 'm',
    type: arrayType({ kind: 'STRUCT', fields: names.map(stored) }),
    stored: true,
  });
  expect(withDeclared([record('a'), stored('more')], [stored('id'), record('A', 'b')])).toEqual([
    {
      ...record('a'),
      type: arrayType({ kind: 'STRUCT', fields: [stored('a'), { ...stored('b'), stored: false }] }),
    },
    stored('more'),
    { ...stored('id'), stored: false },
  ]);
});
