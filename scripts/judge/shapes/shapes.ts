import type { Dice } from '../../../test/support/random-scope.js';
import { expression, fill, keys, pickType, type Room, scalars } from './expressions.js';
import { type ValueType, valueSources } from './values.js';

/** A query, and where it is in pipe syntax, the same in standard syntax. */
export interface Shape {
  readonly sql: string;
  readonly plain?: string;
}

/**
 * A random query of a shape that clients send, over a few rows of random values of every type in
 * the CTE `data`; `id` numbers its rows.
 */
export function randomShape(dice: Dice): Shape {
  const rows = dataOf(dice);
  const room = { dice, row: 'r.' };
  const { sql, plain } = dice.pick(shapes)(room);
  const whole = (body: string) => `with data as (${rows})\n${body}`;
  return { sql: whole(sql), ...(plain === undefined ? {} : { plain: whole(plain) }) };
}

const types = Object.keys(valueSources) as readonly ValueType[];
const arrays: ReadonlySet<ValueType> = new Set(['ints', 'pairs']);

function dataOf(dice: Dice): string {
  const fields = types.map((type) => `${valueSources[type].column} ${valueSources[type].type}`);
  const value = (type: ValueType) =>
    dice.oneIn(6) && !arrays.has(type) ? 'null' : dice.pick(valueSources[type].literals);
  const row = (id: number) => `(${[`${id}`, ...types.map(value)].join(', ')})`;
  const rows = [...Array(2 + dice.below(4)).keys()].map((index) => row(index + 1));
  const list = rows.join(',\n  ');
  return `select * from unnest([struct<id int64, ${fields.join(', ')}>${list}])`;
}

type Make = (room: Room) => Shape;

const some = <T>(dice: Dice, max: number, make: (index: number) => T): readonly T[] =>
  [...Array(1 + dice.below(max)).keys()].map(make);

const where = (room: Room, depth = 1): string =>
  room.dice.oneIn(2) ? '' : ` where ${expression(room, 'bool', depth)}`;

const columns: Make = (room) => {
  const items = some(
    room.dice,
    3,
    (at) => `${expression(room, pickType(room.dice, types), 3)} as c${at}`,
  );
  return { sql: `select r.id, ${items.join(', ')} from data as r${where(room)} order by r.id` };
};

/** The same with literals in the place of columns, which fold. */
const constants: Make = ({ dice }) => {
  const room = { dice, row: undefined };
  const items = some(dice, 2, (at) => `${expression(room, pickType(dice, types), 3)} as c${at}`);
  return { sql: `select ${items.join(', ')}` };
};

const guards: Make = (room) => {
  const { dice } = room;
  const guarded = fill(room, dice.pick(guardedForms), 1);
  return { sql: `select r.id, ${guarded} as g from data as r order by r.id` };
};

/** What fails where nothing guards it. */
const guardedForms = [
  'if(safe_cast({string} as int64) is null, {int}, cast({string} as int64))',
  'if(r.i = 0, null, div({int}, r.i))',
  'case when r.i is null or r.i = 0 then 0.0 else {int} / r.i end',
  'if(regexp_contains(r.s, r"^-?[0-9]+$"), cast(r.s as int64), {int})',
  'coalesce(safe_cast(r.s as float64), cast({int} as float64))',
  'ifnull(safe.parse_date("%F", r.s), {date})',
  'if(array_length(r.ai) > 1, r.ai[offset(1)], {int})',
  'case r.i when 0 then -1 else mod({int}, r.i) end',
  'safe_divide({int}, r.i)',
  'safe.parse_timestamp("%F", r.s)',
  'nullif(safe.substr(r.s, {int}, {n}), "")',
];

/** Aggregates whose result does not depend on the order of rows. */
const aggregates = [
  'count(*)',
  'count({string})',
  'count(distinct {string})',
  'countif({bool})',
  'sum({int})',
  'sum({numeric})',
  'avg({int})',
  'avg({numeric})',
  'min({string})',
  'max({date})',
  'max({timestamp})',
  'min({float})',
  'logical_and({bool})',
  'logical_or({bool})',
  'string_agg({string}, "," order by r.id)',
  'string_agg(distinct r.s, "," order by r.s)',
  'array_agg(r.id order by {date}, r.id desc limit {positive})',
  'array_agg({string} ignore nulls order by r.id)',
  'array_agg(struct(r.id, r.s) order by r.id desc)',
  'array_concat_agg(r.ai order by r.id)',
  'bit_and({int})',
  'bit_xor({int})',
  'max(if({bool}, {int}, null))',
  'sum(distinct r.i)',
  'stddev_samp({int})',
  'var_pop({int})',
  'corr({int}, r.id)',
  'safe_divide(countif({bool}), count(*))',
  'array_length(array_agg(distinct r.s ignore nulls))',
  'max(r.id) - min(r.id)',
  'any_value(r.s having max r.id)',
];

const aggregate = (room: Room) => fill(room, room.dice.pick(aggregates), 1);

const groups: Make = (room) => {
  const { dice } = room;
  const by = some(dice, 2, (at) => `${expression(room, pickType(dice, keys), 1)} as k${at}`);
  const values = some(dice, 3, (at) => `${aggregate(room)} as a${at}`);
  const names = by.map((_, at) => `k${at}`).join(', ');
  const group = dice.oneIn(5) ? `rollup(${names})` : names;
  const having = dice.oneIn(4) ? ` having count(*) > ${dice.below(2)}` : '';
  const list = [...by, ...values].join(', ');
  return { sql: `select ${list} from data as r${where(room)} group by ${group}${having}` };
};

const totals: Make = (room) => {
  const values = some(room.dice, 3, (at) => `${aggregate(room)} as a${at}`);
  return { sql: `select ${values.join(', ')} from data as r${where(room)}` };
};

const windowCalls = [
  'row_number()',
  'rank()',
  'dense_rank()',
  'ntile({positive})',
  'percent_rank()',
  'cume_dist()',
  'lag({string})',
  'lag({int}, {n}, -7)',
  'lead({date}, {n})',
];
const framedCalls = [
  'first_value({string})',
  'last_value({int} ignore nulls)',
  'nth_value({string}, {positive})',
  'sum({int})',
  'avg({float})',
  'count(*)',
  'min({date})',
  'max({timestamp})',
  'countif({bool})',
  'string_agg({string})',
  'array_agg(r.id)',
  'logical_or({bool})',
  'sum({numeric})',
];
const rowFrames = [
  '',
  'rows unbounded preceding',
  'rows between {n} preceding and current row',
  'rows between {n} preceding and {n} following',
  'rows between {positive} following and unbounded following',
  'rows between unbounded preceding and {positive} preceding',
];
const rangeFrames = [
  'range between {n} preceding and {n} following',
  'range between current row and unbounded following',
  'range between unbounded preceding and {positive} preceding',
];

const windowed: Make = (room) => {
  const { dice } = room;
  const call = () => {
    const parts = dice.oneIn(2) ? `partition by ${expression(room, pickType(dice, keys), 1)} ` : '';
    const direction = dice.pick(['', ' desc', ' asc nulls last', ' desc nulls first']);
    const order = `order by ${expression(room, pickType(dice, scalars), 1)}${direction}, r.id`;
    if (dice.oneIn(3)) return `${fill(room, dice.pick(windowCalls), 1)} over (${parts}${order})`;
    const frame = dice.oneIn(4)
      ? `order by r.i${dice.pick(['', ' desc'])} ${fill(room, dice.pick(rangeFrames), 0)}`
      : `${order} ${fill(room, dice.pick(rowFrames), 0)}`;
    const isRange = frame.includes('range');
    const calls = isRange ? ['sum({int})', 'count(*)', 'max({date})', 'avg({int})'] : framedCalls;
    return `${fill(room, dice.pick(calls), 1)} over (${parts}${frame})`;
  };
  const items = some(dice, 2, (at) => `${call()} as w${at}`);
  const qualify = dice.oneIn(4) ? ` qualify ${call()} is not null` : '';
  const filter = qualify === '' ? where(room) : ' where true';
  return { sql: `select r.id, ${items.join(', ')} from data as r${filter}${qualify}` };
};

const joinWords = ['join', 'left join', 'right join', 'full join'] as const;

const joins: Make = (room) => {
  const { dice } = room;
  const type = pickType(dice, keys);
  const side = (name: string) =>
    `(select ${expression(room, type, 1)} as k, r.id as ${name}, ${expression(room, 'string', 1)} as t from data as r)`;
  const word = dice.pick(joinWords);
  if (dice.oneIn(3)) {
    const more = dice.oneIn(2) ? ' and a.x <> b.y' : '';
    const list = 'a.k as ak, b.k as bk, a.x, b.y, a.t || b.t as tt';
    return {
      sql: `select ${list} from ${side('x')} as a ${word} ${side('y')} as b on a.k = b.k${more}`,
    };
  }
  const list = dice.pick(['*', 'k, x, y', 'k, count(*) as n', 'a.k as ak, b.k as bk, k']);
  const group = list.includes('count') ? ' group by k' : '';
  const sql = `from ${side('x')} as a ${word} ${side('y').replace(/, [^,]* as t /, ' ')} as b using (k)`;
  const third = dice.oneIn(4)
    ? ` left join (select r.i as k, r.id as z from data as r) as c using (k)`
    : '';
  const isInt = type === 'int';
  return { sql: `select ${list} ${sql}${isInt ? third : ''}${group}` };
};

const pivots: Make = (room) => {
  const { dice } = room;
  const inner = `select mod(r.id, 2) as g, ${expression(room, 'string', 0)} as k, ${expression(room, 'int', 1)} as v from data as r`;
  const calls = dice.pick([
    'sum(v)',
    'count(*) as n',
    'sum(v) as s, count(v) as c',
    'max(v) as m',
    'array_agg(v ignore nulls order by v)',
  ]);
  const values = dice.pick(["'a', 'b'", "'a' as x, null as y", "'abc', '', '42'", "'a' as `A-b`"]);
  return { sql: `select * from (${inner}) pivot(${calls} for k in (${values}))` };
};

const unpivots: Make = (room) => {
  const { dice } = room;
  const type = pickType(dice, ['int', 'string', 'date', 'numeric']);
  const inner = `select r.id, ${['a', 'b', 'c', 'd'].map((name) => `nullif(${expression(room, type, 1)}, ${expression(room, type, 0)}) as ${name}`).join(', ')} from data as r`;
  const nulls = dice.pick(['', ' include nulls', ' exclude nulls']);
  const form = dice.pick([
    '(v for k in (a, b, c))',
    "(v for k in (a as 'x', b as 'y'))",
    '(v for k in (a as 1, b as 2, c as 3))',
    '((v, w) for k in ((a, b), (c, d)))',
  ]);
  return { sql: `select * from (${inner}) unpivot${nulls}${form}` };
};

const nested: Make = (room) => {
  const { dice } = room;
  const form = fill(room, dice.pick(nestedForms), 1);
  return { sql: `select r.id, ${form} as x from data as r order by r.id` };
};

const nestedForms = [
  'array(select as struct x, {string} as s, [x, {int}] is not null as b from unnest({ints}) as x with offset as o order by o)',
  '(select as struct count(*) as n, sum(p.v) as v from unnest({pairs}) as p where p.k >= {string})',
  '(select p.v from unnest({pairs}) as p with offset as o where o = {n})',
  'array(select p.k || cast(x as string) from unnest({pairs}) as p, unnest({ints}) as x where p.k is not null order by 1)',
  '(select array_agg(struct(p.k, x) order by p.k, x, p.v limit 3) from unnest({pairs}) as p cross join unnest({ints}) as x)',
  'exists (select 1 from unnest({pairs}) as p join unnest({ints}) as x on p.v = x)',
  '(select count(distinct p.k) from unnest(array_concat({pairs}, {pairs})) as p)',
  'struct({int} as a, struct({string} as c, {ints} as d) as b)',
  '[struct({int} as a, {string} as b), struct({int} as a, {string} as b)]',
  '(select string_agg(c, "" order by o desc) from unnest(split({string}, "")) as c with offset as o)',
  '(select max(q.id) from data as q where q.i <= r.i)',
  '(select count(*) from data as q where q.s = {string})',
  '{int} in (select q.i from data as q)',
  'array(select q.id from data as q where q.id > r.id order by q.id)',
  'exists (select 1 from data as q, unnest(q.ai) as x where x = {int})',
  '(select sum(s) from (select x * {int} as s from unnest({ints}) as x union all select {int}))',
  'array(select x from unnest(split({string}, ",")) as x where x <> "" order by x desc limit 2)',
  'array_to_string(array(select upper(p.k) from unnest({pairs}) as p order by p.v, p.k), "-", "?")',
];

const unnested: Make = (room) => {
  const { dice } = room;
  const join = dice.pick([
    'cross join unnest(r.av) as p',
    'left join unnest(r.av) as p',
    ', r.av as p',
    'join unnest(r.av) as p with offset as o',
    'left join unnest(r.ai) as x cross join unnest(r.av) as p',
  ]);
  const list = dice.pick([
    'r.id, p.k, p.v',
    'r.id, p',
    'r.id, to_json_string(p) as p',
    'p.*',
    'count(*) as n, sum(p.v) as v',
  ]);
  const filter = dice.oneIn(2) ? '' : ` where ${fill(room, 'p.k = {string} or p.v > {int}', 1)}`;
  const comma = join.startsWith(',') ? '' : ' ';
  return { sql: `select ${list} from data as r${comma}${join}${filter}` };
};

const sets: Make = (room) => {
  const { dice } = room;
  const [first, second] = [pickType(dice, keys), pickType(dice, keys)];
  const select = () =>
    `select ${expression(room, first, 1)} as a, ${expression(room, second, 1)} as b from data as r${where(room)}`;
  const word = dice.pick(['union all', 'union distinct', 'intersect distinct', 'except distinct']);
  const sql = `(${select()}) ${word} (${select()})`;
  return { sql: dice.oneIn(3) ? `select a, count(*) as n from (${sql}) group by a` : sql };
};

const latest: Make = (room) => {
  const { dice } = room;
  const limit = `limit ${1 + dice.below(3)}${dice.oneIn(3) ? ` offset ${dice.below(3)}` : ''}`;
  const by = `${expression(room, pickType(dice, scalars), 1)}${dice.pick(['', ' desc', ' nulls last'])}`;
  const item = dice.pick(['r.id', 'r.id, r.s', 'r.* except (j)', 'r.* replace (r.i + 1 as i)']);
  return { sql: `select ${item} from data as r${where(room)} order by ${by}, r.id ${limit}` };
};

/** Pipe operators, with what they are in standard syntax over the query before, `q`. */
const operators: readonly ((room: Room) => { readonly pipe: string; readonly select: string })[] = [
  (room) => {
    const text = fill(room, 'i > {int} or s = {string}', 0);
    return { pipe: `where ${text}`, select: `select * from q where ${text}` };
  },
  (room) => {
    const name = room.dice.alias('x');
    const text = expression(room, pickType(room.dice, scalars), 1);
    return { pipe: `extend ${text} as ${name}`, select: `select *, ${text} as ${name} from q` };
  },
  (room) => {
    const text = expression(room, 'int', 1);
    return { pipe: `set i = ${text}`, select: `select * replace (${text} as i) from q` };
  },
  (room) => {
    const count = 1 + room.dice.below(3);
    return {
      pipe: `order by id desc |> limit ${count}`,
      select: `select * from q order by id desc limit ${count}`,
    };
  },
];

const endings: readonly Make[] = [
  ({ dice }) => {
    const call = dice.pick(['count(*)', 'max(d)', 'sum(i)', 'countif(b)', 'count(distinct s)']);
    const select = `select s as k, ${call} as a from q group by k`;
    return { sql: `aggregate ${call} as a group by s as k`, plain: select };
  },
  () => ({ sql: 'drop f, iv', plain: 'select * except (f, iv) from q' }),
  (room) => {
    const text = expression(room, pickType(room.dice, scalars), 1);
    return { sql: `select id, ${text} as x`, plain: `select id, ${text} as x from q` };
  },
  () => ({ sql: 'select s, b |> distinct', plain: 'select distinct s, b from q' }),
  () => ({
    sql: 'as p |> join data as c using (id) |> select id, p.i, c.i as j',
    plain: 'select id, p.i, c.i as j from (select * from q) as p join data as c using (id)',
  }),
];

const pipes: Make = ({ dice }) => {
  const room = { dice, row: '' };
  const steps = some(dice, 3, () => dice.pick(operators)(room));
  const { sql, plain = '' } = dice.pick(endings)(room);
  const selects = [...steps.map(({ select }) => select), plain];
  const whole = selects.reduce(
    (query, select) => select.replace('from q', () => `from (${query})`),
    'select * from data',
  );
  return { sql: ['from data', ...steps.map(({ pipe }) => pipe), sql].join(' |> '), plain: whole };
};

const shapes: readonly Make[] = [
  columns,
  columns,
  columns,
  columns,
  constants,
  constants,
  guards,
  groups,
  groups,
  totals,
  windowed,
  windowed,
  joins,
  pivots,
  unpivots,
  nested,
  nested,
  unnested,
  sets,
  latest,
  pipes,
];
