import { describe, expect, test } from 'vitest';
import { judge } from '../../scripts/judge/compare.js';
import { staleReasons } from '../../scripts/judge/judge.js';
import { within } from '../../scripts/judge/patience.js';
import { type TypeProto, typeProto, type ValueProto } from '../../scripts/judge/protocol.js';
import { suites } from '../../scripts/judge/questions.js';
import { reasonFor, reasons } from '../../scripts/judge/reasons.js';
import { fromJson, toJson } from '../../scripts/judge/values.js';
import { arrayType, type ScalarName, scalar, structType } from '../../src/types/types.js';

function bytes(hex: string): Uint8Array {
  return Buffer.from(hex, 'hex');
}

// The values as the protocol has them, and the JSON of the service.
test.each<[ScalarName, ValueProto, unknown]>([
  ['INT64', { int64Value: '9007199254740993' }, 9007199254740993n],
  ['INT64', {}, null],
  ['FLOAT64', { doubleValue: 'Infinity' }, 'Infinity'],
  ['FLOAT64', {}, null],
  ['BYTES', { bytesValue: bytes('ff00') }, '/wA='],
  ['DATE', { dateValue: -1 }, '1969-12-31'],
  ['TIMESTAMP', { timestampValue: { seconds: '-1', nanos: 500_000_000 } }, -500_000n],
  [
    'DATETIME',
    { datetimeValue: { bitFieldDatetimeSeconds: '135967027461' } },
    '2026-01-02T03:04:05',
  ],
  ['TIME', { timeValue: '13198435012608' }, '03:00:04.000512'],
  ['NUMERIC', { numericValue: bytes('002f6859') }, '1.5'],
  ['NUMERIC', { numericValue: bytes('00d197a6') }, '-1.5'],
  ['BIGNUMERIC', { bignumericValue: bytes('01') }, '0.00000000000000000000000000000000000001'],
  ['INTERVAL', { intervalValue: bytes('0000000000000000feffffff00a00180') }, '-1-1 -2 0:0:0'],
])('%s: a value of the protocol, case %#', (kind, value, expected) => {
  expect(toJson(value, typeProto(scalar(kind)))).toEqual(expected);
});

test('records and arrays keep their values on the way to the protocol and back', () => {
  const type: TypeProto = typeProto(
    arrayType(
      structType([
        { name: 'a', type: arrayType(scalar('STRING')) },
        { name: 't', type: scalar('TIMESTAMP') },
      ]),
    ),
  );
  const sent = fromJson([{ a: ['x', null], t: '2026-03-01T00:00:00.000001Z' }, { a: [] }], type);
  expect(toJson(sent, type)).toEqual([
    { a: ['x', null], t: 1772323200000001n },
    { a: null, t: null },
  ]);
});

describe('judge', () => {
  const answer = (values: readonly bigint[]) => ({
    rows: values.map((x) => ({ x })),
    columns: [{ name: 'x', type: typeProto(scalar('INT64')) }],
  });

  test.each([
    ['select x from t', [1n, 2n], [2n, 1n], 'right'],
    ['select x from t order by x', [1n, 2n], [2n, 1n], 'differs'],
    ['select x from t order by 1', [1n, 2n], [2n, 1n], 'differs'],
    ['select x from t order by y', [1n, 2n], [2n, 1n], 'right'],
    ['select x from t', [1n], [1n, 1n], 'differs'],
  ])('%s, case %#', (sql, ours, theirs, outcome) => {
    expect(judge(sql, answer(ours), answer(theirs)).outcome).toBe(outcome);
  });

  test.each([
    [{ error: 'no' }, { error: 'Function not found: max_by' }, 'refused by both'],
    [answer([1n]), { error: 'Function not found: max_by' }, 'lacking'],
    [answer([1n]), { error: 'Syntax error' }, 'refused by the reference'],
    [{ error: 'no' }, answer([1n]), 'refused by us'],
    [{ ...answer([1n]), readsClock: true }, answer([2n]), 'clock'],
    [{ error: 'a bug', fails: 'broken' }, { error: 'Syntax error' }, 'broken'],
    [{ error: 'late', fails: 'no answer' }, answer([1n]), 'no answer'],
  ])('answers and refusals, case %#', (ours, theirs, outcome) => {
    expect(judge('select 1', ours, theirs).outcome).toBe(outcome);
  });
});

test('every reason matches something, and not everything', () => {
  const difference = { id: '', sql: '', detail: '', ours: { error: 'a' }, theirs: { error: 'b' } };
  expect(reasonFor(difference)).toBeUndefined();
  for (const { id, sql, detail, ours, theirs, butFor } of reasons) {
    expect(id ?? sql ?? detail ?? ours ?? theirs ?? butFor).toBeDefined();
  }
});

test('a field that no file has explains no other difference', () => {
  const rows = (text: string) => ({ rows: [{ x: text }], columns: [] });
  const reasonOf = (ours: string, theirs: string) =>
    reasonFor({ id: '', sql: '', detail: '', ours: rows(ours), theirs: rows(theirs) });
  expect(reasonOf('{"a":1}', '{"absent":null,"a":1}')?.what).toContain('that no file has');
  expect(reasonOf('{"a":2}', '{"absent":null,"a":1}')).toBeUndefined();
});

test('a run of all suites tells of reasons that explain nothing', () => {
  const judged = reasons.slice(1).map((reason) => ({ reason }));
  const fixed = suites.filter((suite) => suite !== 'random');
  expect(staleReasons(judged, fixed)).toEqual(reasons.slice(0, 1));
  expect(staleReasons(judged, ['functions', 'queries'])).toEqual([]);
});

test('what is late is not waited for', async () => {
  const never = new Promise<string>(() => {});
  expect(await within(1, never, 'late')).toBe('late');
  expect(await within(60_000, Promise.resolve('in time'), 'late')).toBe('in time');
});
