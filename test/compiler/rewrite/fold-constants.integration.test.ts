import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCompiler } from '../../../src/compiler/compile.js';
import { bindStatement } from '../../../src/endpoint/bind-statement.js';
import type { Bindings, Parameter } from '../../../src/endpoint/endpoint.js';
import { knownValues } from '../../../src/endpoint/known-values.js';
import type { ExplainingEngine } from '../../../src/engine/engine.js';
import { sample } from '../../support/nightly.js';
import { openWebEngine, webSource } from '../../support/web-source.js';

const parameters: readonly Parameter[] = [
  { name: 'unit', type: 'string', required: false, oneOf: ['day', 'hour'] },
  { name: 'since', type: 'timestamp', required: false },
  { name: 'project', type: 'string', required: true },
];

const since = '2026-01-01T00:00:00.000000+00:00';
const given: readonly Bindings[] = ['day', 'hour', null].flatMap((unit) =>
  [since, null].map((time) => ({ unit, since: time, project: 'p' })),
);

const compiler = createCompiler([webSource('struct')]);

function compiled(sql: string, values: Bindings, isKnown = true) {
  const known = knownValues(parameters, values, compiler.projects);
  const endpoint = { name: 'one', sql, maxRows: 100, parameters };
  const query = compiler.compile(endpoint, undefined, {
    redact: false,
    ...(isKnown ? { known } : {}),
  });
  return bindStatement(query, values, { maxRows: 100, now: since });
}

const [byDay, byHour, none] = ['day', 'hour', null].map((unit) => ({
  unit,
  since: null,
  project: 'p',
}));

describe('branches that cannot be taken are removed', () => {
  test.each<[string, Bindings | undefined, string, readonly string[]]>([
    ["case @unit when 'day' then 1 when 'hour' then 2 end", byDay, 'CAST(1 AS BIGINT)', []],
    ["case @unit when 'day' then 1 when 'hour' then 2 end", byHour, 'CAST(2 AS BIGINT)', []],
    ["case @unit when 'day' then 1 when 'hour' then 2 else 3 end", none, 'CAST(3 AS BIGINT)', []],
    ["case when @unit = 'day' then 1 else 2 end", byDay, 'CAST(1 AS BIGINT)', []],
    ["case when @unit <> 'day' then 1 else 2 end", byDay, 'CAST(2 AS BIGINT)', []],
    ["case when not @unit = 'day' then 1 else 2 end", none, 'CAST(2 AS BIGINT)', []],
    ['if(@since is null, 1, 2)', byDay, 'CAST(1 AS BIGINT)', []],
    ['if(@project is null, 1, 2)', byDay, 'CAST(2 AS BIGINT)', []],
    ["if(@unit = 'day' and @since is null, 1, 2)", byDay, 'CAST(1 AS BIGINT)', []],
    ['@since is null or t.timestamp > @since', byDay, 'TRUE', []],
    ['@since is not null and t.timestamp > @since', byDay, 'FALSE', []],
    ["@unit = 'hour' or t.id = 'a'", byDay, `("t1"."id" = 'a')`, []],
    // An unknown value is not folded.
    ["if(@project = 'p', 1, 2)", byDay, 'CASE WHEN', ['p_project']],
    ["case when t.id = 'a' then 1 when @unit = 'day' then 2 else 3 end", byDay, 'ELSE CAST(2', []],
  ])('%s for %j', (value, values = {}, written, names) => {
    const { sql, values: bound } = compiled(`select ${value} as v from \`logs.web\` as t`, values);
    expect(sql).toContain(written);
    expect(Object.keys(bound)).toEqual(names);
  });
});

test('a query is not compiled again for each value of a parameter that may be any text', () => {
  const sql = 'select @project as v from `logs.web` as t where @since is null';
  const [one, other] = ['p', 'q'].map((project) => compiled(sql, { ...byDay, project }));
  expect(one?.sql).toBe(other?.sql);
  expect(one?.values).not.toEqual(other?.values);
});

test.each([
  "parse_date(case when @since is null then '%Y' else '%F' end, id)",
  "format_timestamp(if(@since is null, null, '%F'), timestamp)",
])('%s has no literal format, whatever the values are', (value) => {
  const sql = `select ${value} as v from \`logs.web\``;
  const refused = given.map((values) =>
    [true, false].map((isKnown) => refusalOf(sql, values, isKnown)),
  );
  expect(new Set(refused.flat())).toEqual(new Set([expect.stringContaining('literal')]));
});

test.each<[string, Bindings | undefined]>([
  ["contains_substr(id, if(@since is null, null, 'a'))", none],
  ['ntile(if(@since is null, 0, 2)) over (order by id)', none],
])('%s is refused no earlier if the value is known', (value, values = {}) => {
  const sql = `select ${value} as v from \`logs.web\``;
  expect(refusalOf(sql, values, true)).toBe(refusalOf(sql, values, false));
});

/** The message with which compiling fails; undefined if it does not. */
function refusalOf(sql: string, values: Bindings, isKnown: boolean): string | undefined {
  try {
    compiled(sql, values, isKnown);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

test('a CTE that an aggregate reads once is inlined', () => {
  const sql = `with web as (select count(*) as n from \`logs.web\` group by id)
    select max(length(t.id) + (select max(n) from web)) as v from \`logs.web\` as t`;
  expect(compiled(sql, byDay ?? {}).sql).toContain('"web" AS NOT MATERIALIZED');
});

describe('known values change no answer', () => {
  let engine: ExplainingEngine;
  beforeAll(async () => {
    engine = await openWebEngine('struct');
  });
  afterAll(() => engine.close());

  const conditions = [
    "@unit = 'day'",
    "@unit <> 'day'",
    'not @unit = @unit',
    'null',
    'true',
    '@since is null',
    '@since is not null',
    "t.id > 'b'",
    '@since is null or t.timestamp > @since',
    '(@since is null and t.id > @project) or @unit is null',
    "(@unit = 'day' or null) and not (@unit = 'hour' and t.id = 'a')",
  ];
  const values = [
    ...conditions.map((condition) => `cast(${condition} as string)`),
    ...conditions.map((condition) => `if(${condition}, t.id, @unit)`),
    ...conditions.map((condition) => `case when ${condition} then 1 when t.id = 'a' then 2.5 end`),
    "case @unit when 'day' then t.id when t.id then 'x' when 'hour' then @unit end",
    "case @unit when @unit then 'same' else 'other' end",
    "case t.id when 'a' then 1 when @unit then 2 else 3 end",
  ];
  const queries = [
    ...values.map((value) => `select t.id, ${value} as v from \`logs.web\` as t order by t.id`),
    ...conditions.map(
      (condition) => `select t.id from \`logs.web\` as t where ${condition} order by t.id`,
    ),
    ...conditions.map(
      (condition) => `select ${condition} as k, count(*) as n,
        string_agg(t.id order by if(${condition}, 'x', t.id), t.id) as ids,
        array_agg(t.id order by case @unit when 'day' then 'x' else 'y' end, t.id limit 1) as few
        from \`logs.web\` as t group by k
        having if(@since is null, count(*) > 1, count(*) > 0) order by if(@unit = 'day', 'x', ids), k`,
    ),
    ...conditions.map(
      (condition) => `select t.id, row_number() over (partition by ${condition}
        order by case @unit when 'day' then 'x' else t.id end, t.id) as n
        from \`logs.web\` as t join \`logs.web\` as u on t.id = u.id and ${condition} order by t.id`,
    ),
  ];

  const folded = [
    // After folding, an aggregate's argument reads only the outer block, but it is still aggregated here.
    `select count(*) as c, min(m) as m from (select
      (select max(if(@since is null, t.id, x)) from unnest(['a']) as x) as m from \`logs.web\` as t)`,
    `select t.id from \`logs.web\` as t
      where (select count(if(@since is null, t.id, x)) from unnest(['a', 'b']) as x) = 2 order by t.id`,
    `select t.id from \`logs.web\` as t where (select
      countif(@since is not null and x = 'a' or t.id > 'b') from unnest(['a']) as x) = 1 order by t.id`,
    // Two keys that fold to the same expression are still two keys.
    `select if(@since is null, t.id, 'x') as a, if(@unit is null, t.id, 'y') as b, count(*) as n
      from \`logs.web\` as t group by rollup(a, b) order by a, b, n`,
    `select if(@since is null, 1, 2) as a, if(@unit is null, 1, 2) as b, count(*) as n,
      max(t.id) as m, grouping(if(@since is null, 1, 2)) as g
      from \`logs.web\` as t group by grouping sets (a, b, ()) order by a, b, n, g`,
    // QUALIFY needs a window function, even if folding would remove it.
    `select id from \`logs.web\` qualify @since is null or row_number() over (order by id) = 1 order by id`,
    `select id from \`logs.web\` qualify if(@since is null, true, row_number() over (order by id) = 1) order by id`,
  ];

  test.each(sample([...queries, ...folded], 6))('%s', async (sql) => {
    for (const bindings of given) {
      const [with_, without] = await Promise.all(
        [true, false].map((isKnown) => answerOf(sql, bindings, isKnown)),
      );
      expect(with_, JSON.stringify(bindings)).toBe(without);
    }
  });

  async function answerOf(sql: string, bindings: Bindings, isKnown: boolean): Promise<string> {
    const statement = compiled(sql, bindings, isKnown);
    const { body: json } = await engine.run(statement, { signal: new AbortController().signal });
    return Buffer.from(json).toString();
  }
});

describe('a parameter as a count', () => {
  const few = [{ name: 'few', type: 'integer', required: false }] as const;
  let engine: ExplainingEngine;
  beforeAll(async () => {
    engine = await openWebEngine('struct');
  });
  afterAll(() => engine.close());

  async function ask(sql: string, number: string | null): Promise<string> {
    const endpoint = {
      name: 'few',
      sql: `${sql} from \`logs.web\` as t`,
      maxRows: 9,
      parameters: few,
    };
    const query = compiler.compile(endpoint);
    const statement = bindStatement(query, { few: number }, { maxRows: 9, now: since });
    const { body: json } = await engine.run(statement, { signal: new AbortController().signal });
    return Buffer.from(json).toString();
  }

  const rows = 'LIMIT and OFFSET must not be NULL or negative';
  test.each([
    ['array_agg(t.id order by t.id limit @few) as v', '[{"v":["a","b"]}]', rows],
    ["string_agg(t.id, '' order by t.id limit @few) as v", '[{"v":"ab"}]', rows],
    [
      'array(select i from unnest([1, 2, 3]) as i order by i limit @few) as v, count(*) as n',
      '[{"v":[1,2],"n":5}]',
      rows,
    ],
    [
      'array(select i from unnest([1, 2, 3]) as i order by i limit 9 offset @few) as v, count(*) as n',
      '[{"v":[3],"n":5}]',
      rows,
    ],
    [
      'approx_top_count(length(t.id), @few) as v',
      '[{"v":[{"value":1,"count":5}]}]',
      'The last argument of APPROX_TOP_COUNT must be positive',
    ],
    [
      'approx_top_sum(1, 2, @few) as v',
      '[{"v":[{"value":1,"sum":10}]}]',
      'The last argument of APPROX_TOP_SUM must be positive',
    ],
  ])('%s', async (value, two, refusal) => {
    expect(await ask(`select ${value}`, '2')).toBe(two);
    for (const none of ['-1', null]) {
      await expect(ask(`select ${value}`, none)).rejects.toThrow(refusal);
    }
  });

  test('can be 0', async () => {
    expect(await ask('select array_agg(t.id limit @few) as v', '0')).toBe('[{"v":null}]');
  });

  test('of buckets', async () => {
    const buckets = 'select ntile(@few) over (order by t.id) as v';
    expect(await ask(buckets, '2')).toBe('[{"v":1},{"v":1},{"v":1},{"v":2},{"v":2}]');
    await expect(ask(buckets, '-1')).rejects.toThrow(
      'The number of buckets of NTILE must be positive',
    );
  });
});
