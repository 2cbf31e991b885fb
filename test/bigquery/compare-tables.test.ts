import { expect, test } from 'vitest';
import { compareTables } from '../../src/bigquery/compare-tables.js';
import type { DeclaredSource } from '../../src/logs/columns/declaration.js';
import { arrayType, type Field, scalar, type Type } from '../../src/types/types.js';

function field(name: string, type: Type, stored = true): Field {
  return { name, type, stored };
}

function records(...fields: readonly Field[]): Type {
  return arrayType({ kind: 'STRUCT', fields });
}

function sourceOf(columns: readonly Field[]): DeclaredSource {
  return { name: 'web', columns, projectPath: ['project'] } as DeclaredSource;
}

test('tells which declared fields a table lacks, and which have another type', () => {
  const declared = sourceOf([
    field('id', scalar('STRING')),
    field('metadata', records(field('status', scalar('INT64')), field('tags', scalar('STRING')))),
  ]);
  const found = sourceOf([
    field('id', scalar('STRING')),
    field('own', scalar('STRING')),
    field(
      'metadata',
      records(field('status', scalar('STRING')), field('tags', scalar('STRING'), false)),
    ),
  ]);
  expect(compareTables({ sources: [found], declared: [declared] })).toEqual({
    missing: ['web: declared fields that its table does not have read NULL: web.metadata.tags'],
    faults: ['web.metadata.status is STRING in BigQuery, and declared as INT64'],
  });
});
