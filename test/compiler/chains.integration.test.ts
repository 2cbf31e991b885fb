import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sample } from '../support/nightly.js';
import { openQueryRunner, type QueryRunner } from '../support/run-query.js';

// A chain of operators of equal precedence does not count as nesting, however long. As a left-deep tree,
// DuckDB would take minutes to plan it.
let runner: QueryRunner;

beforeAll(async () => {
  runner = await openQueryRunner();
});
afterAll(() => runner.close());

async function answer(expression: string): Promise<unknown> {
  const columns = `1 as i, 2.5 as f, numeric '1.5' as d, 's' as s, true as b, [7] as a`;
  const sql = `select ${expression} as x from (select ${columns})`;
  const [row] = await runner.run(sql);
  return row?.['x'];
}

/** `terms`, repeated, with the operator between them. */
function chain(operator: string, terms: readonly string[], length = 2_000): string {
  return Array.from({ length }, (_, i) => terms[i % terms.length]).join(` ${operator} `);
}

function steps(first: string, cycle: readonly string[], length = 2_000): string {
  return `${first} ${Array.from({ length }, (_, i) => cycle[i % cycle.length]).join(' ')}`;
}

describe('2,000 operands', () => {
  test.each(
    sample(
      [
        [chain('+', ['1']), 2_000],
        [chain('+', ['i', '2']), 3_000],
        [chain('+', ['i', 'f', 'd', '1.5']), 3_250],
        [chain('-', ['i']), -1_998],
        [chain('*', ['i', '1']), 1],
        [chain('*', ['d', '0.000000001']), '0'],
        [chain('/', ['f', 'i', '0.4']), 2.5],
        [`${chain('/', ["numeric '1'"])} / d`, '0.666666667'],
        [`length(${chain('||', ['s', "'tu'"])})`, 3_000],
        [`length(concat(${chain(',', ['s', "'tu'"])}))`, 3_000],
        [`array_length(${chain('||', ['a', '[1, 2]'])})`, 3_000],
        [chain('and', ['b', 'i = 1']), true],
        [chain('or', ['not b', 'i = 2']), false],
        [chain('|', ['i', '4']), 5],
        [chain('^', ['i', '4']), 0],
        [steps('i', ['+ 3', '- i']), 2_001],
        [steps('f', ['* 2', '/ 2.0']), 2.5],
        [steps('i', ['<< 1', '>> 1']), 1],
        [steps("date '2026-03-01'", ['+ 1']), '2031-08-22'],
        [
          steps("timestamp '2026-03-01'", ['+ interval 1 second', '- interval 2 second']),
          1772322200e6,
        ],
        [`${chain('+', ['i'])} + null`, null],
        [`case when ${chain('+', ['i'])} > 5 then ${chain('||', ['s'], 30)} end`, 's'.repeat(30)],
        [`(select max(${chain('+', ['y', 'i'])}) from unnest([i, 2]) as y)`, 3_000],
        [`array_length([${chain(',', ['1', '1.5', 'i'])}])`, 2_000],
      ],
      4,
    ),
  )('%.40s…', async (expression, value) => {
    expect(await answer(expression)).toEqual(value);
  });

  test('can be a key of GROUP BY and be repeated in the SELECT list', async () => {
    const key = chain('+', ['i']);
    const sql = `select ${key} + 1 as x, count(*) as n from (select 1 as i) group by ${key}`;
    expect(await runner.runText(sql)).toBe('[{"x":2001,"n":1}]');
  });
});

describe('a long chain is evaluated from left to right', () => {
  const floats = Array.from({ length: 60 }, (_, i) => 0.1 * (i + 1) ** 3);

  test('with rounding at each step', async () => {
    const sum = floats.reduce((before, value) => before + value);
    expect(await answer(floats.map(String).join(' + '))).toBe(sum);
    const quotient = floats.reduce((before, value) => before / value);
    expect(await answer(floats.map(String).join(' / '))).toBe(quotient);
  });

  test.each([
    [`9223372036854775807 ${' + i - i'.repeat(30)}`, 'int64 overflow: 9223372036854775807 + 1'],
    [steps('f', ['/ 1', '/ (i - i)'], 40), 'division by zero'],
  ])('and fails if a step fails', async (expression, message) => {
    await expect(answer(expression)).rejects.toMatchObject({ message });
  });

  test('and does not overflow if no step does', async () => {
    expect(await answer(`9223372036854775807 ${' - i + i'.repeat(30)}`)).toBe(2 ** 63);
  });
});

test.each([`i${'::int64'.repeat(2_000)}`, `json '1'${'[0]'.repeat(2_000)}`])(
  'each postfix operator is a level of nesting: %.30s…',
  async (expression) => {
    await expect(answer(expression)).rejects.toMatchObject({
      faults: [{ reason: 'resourcesExceeded' }],
    });
  },
);

test('nested BETWEENs do not repeat their value', async () => {
  const levels = 20;
  const nested = `${'('.repeat(levels)}(i = 1)${' between false and b)'.repeat(levels)}`;
  expect(await answer(nested)).toBe(true);
});

// DuckDB plans what is below an aggregation or a window twice: as one statement, 20 of them take a minute.
describe('20 aggregations, each over the rows of the one before', () => {
  const steps20 = Array.from({ length: 20 }, (_, i) => i + 1);
  const ctes = (first: string) =>
    steps20.reduce(
      (sql, i) =>
        `${sql}, a${i} as (select id, count(*) as n from a${i - 1} where n > 0 group by id)`,
      `with a0 as (${first})`,
    );
  const rows = 'select id, length(id) as n from `logs.web`';

  test.each([
    [`${ctes(rows)} select count(*) as x from a20`, 5],
    [
      `from \`logs.web\` |> select id, length(id) as n ${steps20.map(() => '|> aggregate count(*) as n group by id |> where n > 0').join(' ')} |> aggregate count(*) as x`,
      5,
    ],
    [
      `select sum((${ctes(`${rows} w where w.id <= o.id`)} select count(*) from a20)) as x from \`logs.web\` o`,
      15,
    ],
    [
      `select (${ctes(rows)}, rows_1 as (select * from a20) select count(*) from rows_1) as x from \`logs.web\` limit 1`,
      5,
    ],
  ])('%#', async (sql, expected) => {
    expect(await runner.run(sql)).toEqual([{ x: expected }]);
  });
});
