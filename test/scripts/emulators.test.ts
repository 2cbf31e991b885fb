import { describe, expect, test } from 'vitest';
import { differingValues, isExplained, type Tried } from '../../scripts/emulators/explain.js';
import type { EmulatorName } from '../../scripts/emulators/install.js';
import { reasons } from '../../scripts/emulators/reasons.js';

const untold = { suite: 'dialect', isRedacted: false, values: [] };

/** A case that both answer. */
function differs(id: string, ours: unknown, theirs: unknown): Tried {
  const answer = (rows: unknown) => [200, JSON.stringify({ result: rows })];
  return {
    ...untold,
    id,
    outcome: 'differs',
    values: differingValues(answer(ours), answer(theirs)),
  };
}

function refuses(id: string, message: string): Tried {
  return { ...untold, id, outcome: 'it refuses', message };
}

describe('a difference is explained by its cause', () => {
  const cases: readonly (readonly [title: string, EmulatorName, Tried, boolean])[] = [
    [
      'the known value',
      'bqemulator',
      differs('dialect.string.002', [{ v: 'ap' }], [{ v: 'a' }]),
      true,
    ],
    [
      'another value',
      'bqemulator',
      differs('dialect.string.002', [{ v: 'ap' }], [{ v: 'p' }]),
      false,
    ],
    [
      'another value beside the known one',
      'bqemulator',
      differs('dialect.string.002', [{ v: 'ap', w: 1 }], [{ v: 'a', w: 2 }]),
      false,
    ],
    [
      'a refusal of a known wrong value',
      'bqemulator',
      refuses('dialect.string.002', 'down'),
      false,
    ],
    ['a row less', 'bqemulator', differs('dialect.string.002', [{ v: 'ap' }], []), false],
    [
      'a value that another case shows',
      'bqemulator',
      differs('dialect.string.003', [{ v: 4 }], [{ v: 0 }]),
      false,
    ],
    [
      'a known message',
      'bigquery-local',
      refuses('any', 'Parser Error: near "<" ARRAY<BIGINT>[1]'),
      true,
    ],
    [
      'another message',
      'bigquery-local',
      refuses('any', 'Parser Error: near "<" MAP<BIGINT>'),
      false,
    ],
    [
      'a message of the other emulator',
      'bqemulator',
      refuses('any', 'near "<" ARRAY<BIGINT>[1]'),
      false,
    ],
    [
      'a wrong value instead of a known message',
      'bigquery-local',
      differs('dialect.literal.022', [{ v: [1] }], [{ v: [2] }]),
      false,
    ],
    [
      'a failure that BigQuery has, too',
      'bigquery-local',
      {
        ...refuses('any', 'Out of Range Error: cannot take logarithm of zero'),
        outcome: 'other reason',
      },
      true,
    ],
    [
      'the same failure where BigQuery answers',
      'bigquery-local',
      refuses('any', 'Out of Range Error: cannot take logarithm of zero'),
      false,
    ],
    [
      'a time cut to milliseconds',
      'bigquery-local',
      differs('any', [{ t: 1_500_001 }], [{ t: 1_500_000 }]),
      true,
    ],
    [
      'another time',
      'bigquery-local',
      differs('any', [{ t: 1_500_001 }], [{ t: 1_499_000 }]),
      false,
    ],
    [
      'an answer that comes too late',
      'bqemulator',
      { ...untold, id: 'any', outcome: 'too slow' },
      true,
    ],
  ];
  test.each(cases)('%s', (_title, name, tried, isKnown) => {
    expect(isExplained(name, tried)).toBe(isKnown);
  });
});

test('the values that differ are the smallest parts at the same place', () => {
  const rows = (...all: readonly unknown[]) => [200, all.map((row) => JSON.stringify(row))];
  expect(differingValues(rows({ a: [1, 2] }, { a: [3] }), rows({ a: [3] }, { a: [1, 4] }))).toEqual(
    [{ ours: '"2"', theirs: '"4"' }],
  );
  expect(differingValues(rows({ a: 1 }), rows())).toEqual([{ ours: '[{"a":"1"}]', theirs: '[]' }]);
  const exact = (text: string) => [200, `{"result":${text}}`];
  expect(differingValues(exact('[1,2]'), exact('[2,1]'))).toHaveLength(2);
  expect(differingValues(exact('[9007199254740993]'), exact('[9007199254740992]'))).toHaveLength(1);
  expect(differingValues([400, '"reason":"invalidQuery"'], exact('[1]'))).toEqual([
    { ours: String.raw`"\"reason\":\"invalidQuery\""`, theirs: '{"result":["1"]}' },
  ]);
});

test('each reason says how its differences are known', () => {
  for (const { statement, says, fails, gives } of Object.values(reasons).flat()) {
    expect([says, fails, gives].filter(Boolean), statement).toHaveLength(1);
  }
});
