import type { Dice } from '../../../test/support/random-scope.js';
import { expression, fill, keys, pickType, type Room, scalars } from './expressions.js';
import {
  aggregates,
  clientForms,
  framedCalls,
  guardedForms,
  nestedForms,
  rangeFrames,
  rowFrames,
  windowCalls,
} from './forms.js';
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
  const rows = randomData(dice);
  const room = { dice, row: 'r.' };
  const { sql, plain } = dice.pick(shapes)(room);
  const whole = (body: string) => `with data as (${rows})\n${body}`;
  return { sql: whole(sql), ...(plain === undefined ? {} : { plain: whole(plain) }) };
}

const types = Object.keys(valueSources) as readonly ValueType[];
const arrays: ReadonlySet<ValueType> = new Set(['ints', 'pairs']);

function randomData(dice: Dice): string {
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
  const side = (id: string) =>
    `(select ${expression(room, type, 1)} as k, r.id as ${id} from data as r)`;
  const word = dice.pick(joinWords);
  if (dice.oneIn(3)) {
    const more = dice.oneIn(2) ? ' and a.x <> b.y' : '';
    const on = `on a.k = b.k${more}`;
    return {
      sql: `select a.k as ak, b.k as bk, x, y from ${side('x')} as a ${word} ${side('y')} as b ${on}`,
    };
  }
  const list = dice.pick(['*', 'k, x, y', 'k, count(*) as n', 'a.k as ak, b.k as bk, k']);
  const group = list.includes('count') ? ' group by k' : '';
  const third = dice.oneIn(4) ? ` ${dice.pick(joinWords)} ${side('z')} as c using (k)` : '';
  return {
    sql: `select ${list} from ${side('x')} as a ${word} ${side('y')} as b using (k)${third}${group}`,
  };
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

const clients: Make = (room) => ({ sql: fill(room, room.dice.pick(clientForms), 1) });

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
  clients,
  clients,
  clients,
];
