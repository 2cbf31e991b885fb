import { afterAll, beforeAll, expect, test } from 'vitest';
import { printRefusal, printRows } from '../support/answers.js';
import { nightly } from '../support/nightly.js';
import { type Dice, diceOf } from '../support/random-scope.js';
import { openQueryRunner, type QueryRunner } from '../support/run-query.js';
import { gathered } from '../support/wall-endpoints.js';

// Whether equal rows are gathered once or each by itself changes no answer. A random condition that is always true
// prevents the former.
let runner: QueryRunner;

const rows = `select i::varchar as id, timestamptz '2026-03-01 00:00:00Z' + to_minutes(i::bigint) as timestamp,
  ['one', 'two', null][i % 3 + 1] as project, ['t'] as tags,
  case when i % 11 <> 0 then {level: ['info', 'error', null, ''][i // 7 % 4 + 1],
    status: [200, 404, 500, null, -9223372036854775808, 9223372036854775807][i // 3 % 6 + 1]::bigint,
    request: case when i % 5 <> 0 then {path: ['/a', '/A', 'ann@x.io', 'bob@x.io', null, '7'][i // 2 % 6 + 1],
      method: ['GET', 'POST', null][i % 3 + 1]} end} end as metadata,
  [{name: 'p', price: 1}] as items from range(500) t(i)`;

beforeAll(async () => {
  runner = await openQueryRunner({ rows });
});
afterAll(() => runner.close());

const columns = ['r.path', 'r.method', 'm.status', 'm.level', 't.project'];
const conditions = [
  ...["path like '/%'", 'status >= 404', 'method is not null', "level in ('info', '')", 'true'],
  ...[
    "timestamp < '2026-03-01 05:00:00'",
    "timestamp > '2027-01-01'",
    'status < 0 or path is null',
  ],
  ...['100 / (status - 200) > 0', 'not starts_with(path, "/")', 'length(path) > 2'],
];
const keys = ['upper(r.path)', 'm.status > 300', 'coalesce(m.level, "none")', "'constant'"];

function randomAggregate(dice: Dice): string {
  const column = dice.pick(columns);
  const condition = dice.pick(conditions.slice(0, 5));
  return dice.pick([
    ...['count(*)', `count(${column})`, `count(distinct ${column})`, `countif(${condition})`],
    ...[
      `min(${column})`,
      `max(${column})`,
      `logical_and(${condition})`,
      `logical_or(${condition})`,
    ],
    ...[
      `approx_count_distinct(${column})`,
      'bit_and(m.status)',
      'count(*) + 1',
      'bit_xor(m.status)',
    ],
    ...['sum(m.status)', 'countif(m.status = 200) / count(*)', 'max(safe_cast(r.path as int64))'],
    ...[
      `count(case when ${condition} then 1 end)`,
      `max(if(${condition}, ${column}, null)) is null`,
    ],
  ]);
}

/** Columns, conditions and a HAVING; `more` is one more condition. */
function randomGroups(dice: Dice): (more: string) => string {
  const many = <T>(limit: number, make: () => T) => Array.from({ length: dice.below(limit) }, make);
  const grouped = many(3, () => dice.pick(dice.oneIn(6) ? keys : columns));
  const counted = [randomAggregate(dice), ...many(2, () => randomAggregate(dice))];
  const where = many(2, () => `(${dice.pick(conditions)})`);
  const items = [...grouped, ...counted].map((item, index) => `${item} as c${index}`);
  const positions = grouped.map((_, index) => index + 1);
  const list = dice.oneIn(12) ? `rollup(${positions})` : positions.join(', ');
  const tail = [
    positions.length > 0 ? `group by ${list}` : '',
    dice.oneIn(4) ? 'having count(*) > 3' : '',
    `order by ${(dice.oneIn(6) ? [items.length] : [items.length, ...positions]).join(', ')}`,
  ];
  const from = `from web as t left join unnest(t.metadata) as m left join unnest(m.request) as r`;
  return (more) =>
    [`select ${items.join(', ')} ${from}`, `where ${[...where, more].join(' and ')}`, ...tail].join(
      ' ',
    );
}

const rounds = nightly(400, 60);

test(`${rounds} random groups are the same whether equal rows are gathered once or not`, async () => {
  const dice = diceOf(20_262);
  const wrong: string[] = [];
  let [collapsed, withRows] = [0, 0];
  for (let round = 0; round < rounds; round++) {
    const query = randomGroups(dice);
    const redact = dice.oneIn(4);
    const [once, each] = [query('true'), query('rand() < 2')];
    const ask = (caller: string) =>
      runner.runText(gathered, { caller, redact }).then(printRows, printRefusal);
    const [one, other] = [await ask(once), await ask(each)].map((answer) =>
      answer.replace(/ at \[\d+:\d+\]$/, ''),
    );
    if (one !== other) wrong.push([once, one, other].join('\n  '));
    if (one?.startsWith('rows: {')) withRows++;
    if (isCollapsed(once, redact)) collapsed++;
    expect(isCollapsed(each, redact)).toBe(false);
  }
  expect(wrong.slice(0, 5)).toEqual([]);
  expect(withRows).toBeGreaterThan(rounds * 0.4);
  expect(collapsed).toBeGreaterThan(rounds * 0.1);
});

function isCollapsed(caller: string, redact: boolean): boolean {
  try {
    const { steps = [] } = runner.prepare(gathered, { caller, redact });
    return steps.some(({ sql }) => sql.includes('count(*)'));
  } catch {
    return false;
  }
}
