import { expect, test } from 'vitest';
import type { Field } from '../../../src/types/type.js';
import { type Loaded, loadLines } from '../../support/load-logs.js';

/** The paths of the records that have a presence, each with what tells it. */
function presences({ name, type }: Field, parent = ''): readonly string[] {
  if (type.kind !== 'ARRAY' || type.element.kind !== 'STRUCT') return [];
  const path = `${parent}${name}`;
  const told = type.notNullWitnesses?.map((names) => names.join('.'));
  const own = told === undefined ? [] : [`${path}: ${told.join(', ')}`];
  return [...own, ...type.element.fields.flatMap((field) => presences(field, `${path}.`))];
}

function presencesOf({ sources }: Loaded): readonly string[] {
  const schema = sources.find(({ name }) => name === 'edge_logs');
  return (schema?.columns ?? []).flatMap((column) => presences(column));
}

test.each<readonly [name: string, metadata: readonly unknown[], expected: readonly string[]]>([
  ['a scalar of its own', [{ x: 1 }, { x: 0 }, null], ['metadata: x']],
  ['a scalar set in every row', [{ x: 'a' }, { x: '' }], ['metadata: x']],
  ['one below', [{ a: { x: false } }, { a: [{ x: true }] }], ['metadata: a.x', 'metadata.a: x']],
  [
    'several, the shortest first',
    [{ a: { b: { x: 1 } }, y: 2, z: null }],
    ['metadata: y, a.b.x', 'metadata.a: b.x', 'metadata.a.b: x'],
  ],
  [
    'a record that is not everywhere',
    [{ a: { x: 1 }, y: 1 }, { y: 1 }],
    ['metadata: y', 'metadata.a: x'],
  ],
  ['none where each is missing somewhere', [{ x: 1 }, { y: 1 }], []],
  ['none where it is NULL', [{ x: 1 }, { x: null }], []],
  [
    'none where a value could not be kept',
    [{ response: { status_code: 1 } }, { response: { status_code: 'x' } }],
    [],
  ],
  ['none where the record has no field', [{ x: 1 }, {}], []],
  ['none where no row has the record', [null, []], []],
  ['no list of scalars', [{ x: [1] }, { x: [2] }], []],
  ['no list of records', [[{ x: 1 }, { x: 2 }]], []],
  ['none inside a list', [[{ a: { x: 1 } }, { a: { x: 2 } }]], []],
  ['none by way of a list', [{ a: [{ x: 1 }, { x: 2 }] }, { a: { x: 3 } }], []],
  [
    'a name with a dot and quotes',
    [{ 'd.\'"d': { 'q"': 1 } }],
    [`metadata: d.'"d.q"`, `metadata.d.'"d: q"`],
  ],
])('%s', async (_name, metadata, expected) => {
  const lines = metadata.map((each, index) => ({ id: `${index}`, timestamp: 1, metadata: each }));
  expect(presencesOf(await loadLines(lines))).toEqual(expected);
});
