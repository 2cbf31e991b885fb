import { randomQuery } from './random-query.js';
import type { Dice, diceOf, Name } from './random-scope.js';
import { condition, expression } from './random-value.js';

/** The expressions by which a caller may learn about a string. */
const shapes: readonly ((x: string) => string)[] = [
  (x) => `reverse(${x})`,
  (x) => `upper(${x})`,
  (x) => `substr(${x}, 2, 5)`,
  (x) => `left(${x}, 1)`,
  (x) => `ltrim(${x}, '1')`,
  (x) => `lpad(${x}, 20, '.')`,
  (x) => `replace(${x}, '1', '2')`,
  (x) => `translate(${x}, '.:@', 'abc')`,
  (x) => `regexp_extract(${x}, '[0-9]+')`,
  (x) => `regexp_replace(${x}, '[^0-9]', '-')`,
  (x) => `array_to_string(split(${x}, '.'), '|')`,
  (x) => `split(${x}, '.')[safe_offset(1)]`,
  (x) => `(select string_agg(part, '+' order by part) from unnest(split(${x}, ':')) as part)`,
  (x) => `cast(length(${x}) as string)`,
  (x) => `cast(byte_length(${x}) as string)`,
  (x) => `cast(strpos(${x}, '.') as string)`,
  (x) => `cast(${x} < '2' as string)`,
  (x) => `cast(${x} like '1%' as string)`,
  (x) => `if(regexp_contains(${x}, '9'), 'nine', ${x})`,
  (x) => `cast(safe_cast(replace(${x}, '.', '') as int64) as string)`,
  (x) => `to_hex(md5(${x}))`,
  (x) => `to_hex(sha256(${x}))`,
  (x) => `cast(farm_fingerprint(${x}) as string)`,
  (x) => `to_base64(cast(${x} as bytes))`,
  (x) => `cast(to_code_points(${x})[safe_offset(0)] as string)`,
  (x) => `format('%T %10s', ${x}, ${x})`,
  (x) => `to_json_string(struct(${x} as ip))`,
  (x) => `to_json_string([${x}])`,
  (x) => `json_value(safe.parse_json(${x}), '$.a.b')`,
  (x) => `json_extract_scalar(${x}, '$.ip')`,
  (x) => `concat(${x}, '1')`,
  (x) => `cast(starts_with(${x}, '10.') as string)`,
  (x) => `to_hex(net.safe_ip_from_string(${x}))`,
  (x) => `net.host(${x})`,
];

/** Those that fail on most texts, with a message that quotes them. */
const failures: readonly ((x: string) => string)[] = [
  (x) => `cast(cast(${x} as int64) as string)`,
  (x) => `cast(cast(${x} as timestamp) as string)`,
  (x) => `cast(parse_timestamp('%F', ${x}) as string)`,
  (x) => `cast(cast(${x} as float64) as string)`,
  (x) => `to_json_string(parse_json(${x}))`,
  (x) => `error(${x})`,
];

function isText(choice: unknown): choice is Name {
  return (
    typeof choice === 'object' &&
    choice !== null &&
    'sql' in choice &&
    'kind' in choice &&
    choice.kind === 'text'
  );
}

/** Dice that pick no text as it is, most often. */
function curious(dice: Dice): Dice {
  const pick = <T>(choices: readonly T[]): T => {
    const chosen = dice.pick(choices);
    if (!isText(chosen) || dice.oneIn(3)) return chosen;
    const shape = dice.pick(dice.oneIn(150) ? failures : shapes);
    return { ...chosen, sql: shape(chosen.sql) };
  };
  return { ...dice, pick };
}

/** The FROM clauses of the forms below. */
const froms = [
  'web as t1',
  'web as t1 cross join unnest(t1.metadata) as m1',
  'web as t1 left join unnest(t1.metadata) as m1 left join unnest(m1.request) as r1',
  'web as t1, unnest(t1.items) as i1',
  'web as t1, unnest(t1.tags) as g1 with offset as o1',
] as const;

function scopeOf(dice: Dice, from: string): readonly Name[] {
  return [
    ...dice.namesOf('tableRow', 't1'),
    ...(from.includes('as m1') ? dice.namesOf('metadataRow', 'm1') : []),
    ...(from.includes('as r1') ? dice.namesOf('requestRow', 'r1') : []),
    ...(from.includes('as i1') ? dice.namesOf('itemRow', 'i1') : []),
    ...(from.includes('as g1') ? dice.namesOf('text', 'g1') : []),
  ];
}

type Form = (text: () => string, from: string, where: () => string) => string;

/** The ways in which a caller may use a string column. */
const forms: readonly Form[] = [
  (x, from) => `select ${x()} as a from ${from} order by ${x()}, t1.timestamp limit 3`,
  (x, from, where) =>
    `select t1.timestamp from ${from} where ${where()} order by ${x()} desc, t1.timestamp limit 2`,
  (x, from) => `select distinct ${x()} as a from ${from} order by a`,
  (x, from) =>
    `select count(distinct ${x()}) as a, min(${x()}) as b, max(${x()}) as c from ${from}`,
  (x, from) =>
    `select array_agg(t1.timestamp order by ${x()}, t1.timestamp limit 3) as a from ${from}`,
  (x, from) => `select string_agg(${x()}, '~' order by t1.timestamp) as a from ${from}`,
  (x, from) =>
    `select any_value(t1.timestamp having max ${x()}) as a from ${from} group by t1.timestamp order by t1.timestamp`,
  (x, from) =>
    `select t1.timestamp, rank() over (order by ${x()}) as a, count(*) over (partition by ${x()}) as b from ${from} order by 1, 2`,
  (x, from) =>
    `select t1.timestamp, lag(${x()}) over (order by t1.timestamp) as a, first_value(${x()}) over (partition by t1.project order by t1.timestamp) as b from ${from} order by 1, 2`,
  (x, from) =>
    `select t1.timestamp from ${from} where true qualify row_number() over (order by ${x()}, t1.timestamp) = 1`,
  (x, from) => `select t1.timestamp from ${from} where ${x()} in (select id from web) order by 1`,
  (x, from) =>
    `select t1.timestamp from ${from} where exists (select 1 from web as w where w.id < ${x()}) order by 1`,
  (x, from) =>
    `select t1.timestamp, w.timestamp from ${from} join web as w on w.id = ${x()} order by 1, 2`,
  (x, from) =>
    `select (select count(*) from web as w where w.id > ${x()}) as a, t1.timestamp from ${from} order by 2, 1`,
  (x, from) => `select ${x()} as a from ${from} except distinct select id from web order by a`,
  (x, from) =>
    `select * from (select ${x()} as a, 1 as n from ${from}) pivot(sum(n) for a in ('REDACTED', '10.0.0.1', 'info'))`,
  (x, from) =>
    `select * from (select t1.timestamp, ${x()} as a, ${x()} as b from ${from}) unpivot(v for k in (a, b)) order by 1, 2, 3`,
  (x, from) =>
    `with c as (select t1 as r, ${x()} as a from ${from}) select to_json_string(r) as j, length(to_json_string(c)) as n from c order by j, n`,
  (_, from) =>
    `with c as (select t1.metadata as md, t1.tags as tg, t1.timestamp as ts from ${from}) select md, tg, array_length(tg) as n, format('%T', tg) as f from c order by ts`,
  (_, from) =>
    `select to_json_string(t1) as j, format('%t', t1.tags) as f, t1 from ${from} order by t1.timestamp, j`,
  (x, from) => `select as struct t1.timestamp, ${x()} as a, t1.metadata from ${from} order by 1, 2`,
  (x, from) =>
    `select struct(${x()} as a, 1 as b) = struct('REDACTED' as a, 1 as b) as s, t1.timestamp from ${from} order by 2, 1`,
  (x, from) =>
    `select case ${x()} when ${x()} then 'same' end as a, nullif(${x()}, ${x()}) as b from ${from} order by t1.timestamp, a, b`,
  (x, from) => `select count(*) as n from ${from} group by rollup(${x()}) order by 1`,
  (x, from) =>
    `select approx_count_distinct(${x()}) as a, sum(length(${x()})) as b, avg(byte_length(${x()})) as c from ${from}`,
];

/** A random query of a caller over the CTE `web`, which looks at what texts hold. */
export function blindQuery(plain: ReturnType<typeof diceOf>): string {
  const dice = curious(plain);
  if (plain.oneIn(2)) return randomQuery(dice).replaceAll('`logs.web`', 'web');
  const from = plain.pick(froms);
  const scope = scopeOf(plain, from).filter(({ sql }) => sql.includes('.') || sql === 'g1');
  const text = () =>
    expression(dice, scope, 'text', plain.below(2)).replaceAll('`logs.web`', 'web');
  const where = () => condition(dice, scope, 1).replaceAll('`logs.web`', 'web');
  return plain.pick(forms)(text, from, where);
}
