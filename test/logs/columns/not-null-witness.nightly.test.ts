import { expect, test } from 'vitest';
import { type Loaded, loadLines } from '../../support/load-logs.js';
import { listWitnesses } from '../../support/witnesses.js';

function witnessesOf({ sources }: Loaded): readonly string[] {
  const schema = sources.find(({ name }) => name === 'edge_logs');
  return listWitnesses(schema?.columns ?? []);
}

test.each<readonly [name: string, metadata: readonly unknown[], expected: readonly string[]]>([
  ['a scalar of its own', [{ x: 1 }, { x: 0 }, null], ['metadata: x']],
  ['a scalar set in every row', [{ x: 'a' }, { x: '' }], ['metadata: x']],
  [
    'a scalar of a nested record',
    [{ a: { x: false } }, { a: [{ x: true }] }],
    ['metadata: a.x', 'metadata.a: x'],
  ],
  [
    'several witnesses, shortest first',
    [{ a: { b: { x: 1 } }, y: 2, z: null }],
    ['metadata: y, a.b.x', 'metadata.a: b.x', 'metadata.a.b: x'],
  ],
  [
    'a record that some rows lack',
    [{ a: { x: 1 }, y: 1 }, { y: 1 }],
    ['metadata: y', 'metadata.a: x'],
  ],
  ['none if each scalar is missing in some row', [{ x: 1 }, { y: 1 }], []],
  ['none if the scalar is NULL in some row', [{ x: 1 }, { x: null }], []],
  [
    'none if a value cannot be stored',
    [{ response: { status_code: 1 } }, { response: { status_code: 'x' } }],
    [],
  ],
  ['none if the record is empty in some row', [{ x: 1 }, {}], []],
  ['none if no row has the record', [null, []], []],
  ['not a list of scalars', [{ x: [1] }, { x: [2] }], []],
  ['not a list of records', [[{ x: 1 }, { x: 2 }]], []],
  ['not inside a list', [[{ a: { x: 1 } }, { a: { x: 2 } }]], []],
  ['not through a list', [{ a: [{ x: 1 }, { x: 2 }] }, { a: { x: 3 } }], []],
  [
    'a name with a dot and quotes',
    [{ 'd.\'"d': { 'q"': 1 } }],
    [`metadata: d.'"d.q"`, `metadata.d.'"d: q"`],
  ],
])('%s', async (_name, metadata, expected) => {
  const lines = metadata.map((each, index) => ({ id: `${index}`, timestamp: 1, metadata: each }));
  expect(witnessesOf(await loadLines(lines))).toEqual(expected);
});
