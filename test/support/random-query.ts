import { type Dice, isArray, type Name, type Scope } from './random-scope.js';
import { anything, condition, expression, type Relation } from './random-value.js';

/** The kinds of a query's columns, in order. */
type Kinds = readonly Name['kind'][];

interface Query {
  readonly sql: string;
  readonly kinds: Kinds;
  /** Set where it has a column more, by which no ORDER BY tells its rows apart. */
  readonly hasMore?: boolean;
}

/** A random query over the source of `web-source.ts`, most often one that BigQuery accepts. */
export function randomQuery(dice: Dice): string {
  if (dice.oneIn(4)) {
    const cte = select(dice, { ctes: [], depth: 1 });
    const known = { name: dice.alias('c'), kinds: cte.kinds };
    const { sql } = whole(dice, { ctes: [known], depth: 1 });
    return `with ${known.name} as (${cte.sql}) ${sql}`;
  }
  return whole(dice, { ctes: [], depth: 2 }).sql;
}

/** The CTEs that a SELECT may read beside the source, and the depth to which it may nest. */
interface Room {
  readonly ctes: readonly { readonly name: string; readonly kinds: Kinds }[];
  readonly depth: number;
  /** Whether FROM may join with commas: a group in brackets may not. */
  readonly noCommas?: boolean;
}

function whole(dice: Dice, room: Room): Query {
  if (dice.oneIn(7)) return grouped(dice, room);
  if (dice.oneIn(8)) return united(dice, room);
  if (dice.oneIn(14)) return starred(dice, room);
  const query = select(dice, room);
  if (!query.kinds.every((kind) => kind === 'text' || kind === 'number')) return query;
  const order = query.kinds.map((_, place) => `${place + 1}${dice.oneIn(3) ? ' desc' : ''}`);
  if (dice.oneIn(4)) {
    const limit = !query.hasMore && dice.oneIn(2) ? ` limit ${1 + dice.below(4)}` : '';
    return { ...query, sql: `${query.sql} order by ${order.join(', ')}${limit}` };
  }
  return dice.oneIn(6) ? { ...query, sql: query.sql.replace('select', 'select distinct') } : query;
}

const anyKind: Kinds = [
  'text',
  'text',
  'text',
  'number',
  'number',
  'metadata',
  'request',
  'items',
  'metadataRow',
  'requestRow',
];

/** A SELECT of columns k1, k2 … of the kinds, or of random ones. */
function select(dice: Dice, room: Room, given?: Kinds): Query {
  const { sql, scope } = from(dice, room);
  const has = (kind: Name['kind']) =>
    kind === 'text' || kind === 'number' || scope.some((name) => name.kind === kind);
  const kinds =
    given ??
    [...Array(1 + dice.below(4))].map(() => dice.pick(anyKind)).filter((kind) => has(kind));
  const wanted = kinds.length === 0 ? (['text'] as const) : kinds;
  const items = wanted.map((kind, place) => `${anything(dice, scope, kind)} as k${place + 1}`);
  const key = expression(dice, scope, 'text', 0);
  const more = [
    `${condition(dice, scope)} as more`,
    `count(*) over (partition by ${key}) as more`,
    `array(select as struct ${key} as k, ${dice.below(9)} as n) as more`,
  ];
  const flags = given === undefined && dice.oneIn(3) ? [dice.pick(more)] : [];
  const list = [...items, ...flags].join(', ');
  const text = `select ${list} from ${sql}${where(dice, scope)}`;
  return { sql: text, kinds: wanted, hasMore: flags.length > 0 };
}

function starred(dice: Dice, room: Room): Query {
  const { sql, scope } = from(dice, { ...room, depth: 0 });
  const lists = scope.flatMap(({ kind, sql: row }) => {
    if (kind === 'metadataRow') return [`${row}.*`, `${row}.* except (level)`];
    return kind === 'tableRow' ? ['*', `${row}.* except (metadata)`, `'x' as x, ${row}`] : [];
  });
  const list = lists.length === 0 ? '*' : dice.pick(lists);
  return { sql: `select ${list} from ${sql}${where(dice, scope)}`, kinds: [] };
}

function united(dice: Dice, room: Room): Query {
  const arrays = dice.oneIn(3);
  const kinds: Kinds = arrays ? ['text', 'metadata', 'items'] : ['text', 'number'];
  const words = ['union all', 'union distinct', 'except distinct', 'intersect distinct'];
  const word = dice.pick(arrays ? words.slice(0, 1) : words);
  const [left, right] = [select(dice, room, kinds), select(dice, room, kinds)];
  return { sql: `${left.sql} ${word} ${right.sql}`, kinds };
}

function grouped(dice: Dice, room: Room): Query {
  const { sql, scope } = from(dice, room);
  const keys = [...Array(1 + dice.below(2))].map(
    (_, place) => `${expression(dice, scope, 'text')} as k${place + 1}`,
  );
  const aggregates = [...Array(1 + dice.below(3))].map(
    (_, place) => `${aggregate(dice, scope)} as n${place + 1}`,
  );
  const by = keys.map((_, place) => place + 1).join(', ');
  const having = dice.oneIn(4) ? ` having count(*) > ${dice.below(3)}` : '';
  const filter = where(dice, scope);
  const list = [...keys, ...aggregates].join(', ');
  return { sql: `select ${list} from ${sql}${filter} group by ${by}${having}`, kinds: [] };
}

/** An aggregate that is the same in whatever order its rows come. */
function aggregate(dice: Dice, scope: Scope): string {
  const text = expression(dice, scope, 'text');
  return dice.pick([
    () => 'count(*)',
    () => `count(${text})`,
    () => `count(distinct ${text})`,
    () => `max(${text})`,
    () => `sum(${expression(dice, scope, 'number')})`,
    () => `countif(${condition(dice, scope)})`,
    () => `logical_or(${condition(dice, scope)})`,
    () => `string_agg(${text}, ',' order by ${text})`,
    () => `array_agg(${text} ignore nulls order by ${text})`,
    () => `any_value(if(${condition(dice, scope)}, 'same', null))`,
    () => `any_value(${text} having max ${text})`,
    () => `countif(${dice.pick(scope).sql} is null)`,
  ])();
}

function where(dice: Dice, scope: Scope): string {
  return dice.oneIn(2) ? '' : ` where ${condition(dice, scope)}`;
}

/** FROM: a table, a CTE, a sub-select or a group in brackets, and what is joined with it. */
function from(dice: Dice, room: Room): Relation {
  let relation = read(dice, room);
  const times = dice.below(4);
  const noCommas = room.noCommas === true || dice.oneIn(2);
  const words = noCommas ? unnestWords : [', ', ' left join '];
  for (let i = 0; i < times; i++) {
    const arrays = relation.scope.filter(isArray);
    if (arrays.length > 0 && !dice.oneIn(5))
      relation = unnested(dice, relation, { array: dice.pick(arrays), words });
    else if (room.depth > 0) relation = joined(dice, relation, { ...room, noCommas });
  }
  return relation;
}

function read(dice: Dice, room: Room): Relation {
  const alias = dice.alias('t');
  const [cte] = room.ctes;
  if (cte !== undefined && !dice.oneIn(3)) {
    return { sql: `${cte.name} as ${alias}`, scope: namesOfQuery(dice, alias, cte.kinds) };
  }
  if (room.depth > 0 && dice.oneIn(5)) {
    const { sql, kinds } = select(dice, { ...room, depth: room.depth - 1 });
    return { sql: `(${sql}) as ${alias}`, scope: namesOfQuery(dice, alias, kinds) };
  }
  return { sql: `\`logs.web\` as ${alias}`, scope: dice.namesOf('tableRow', alias) };
}

function namesOfQuery(dice: Dice, alias: string, kinds: Kinds): Scope {
  return kinds.flatMap((kind, place) => dice.namesOf(kind, `${alias}.k${place + 1}`));
}

const unnestWords = [' cross join ', ' inner join ', ' left join ', ' left join '] as const;

interface Unnesting {
  readonly array: Name;
  readonly words: readonly string[];
}

function unnested(dice: Dice, left: Relation, { array, words }: Unnesting): Relation {
  const word = dice.pick(words);
  const { sql, scope } = dice.unnest(array);
  const names = [...left.scope, ...scope];
  const on = / (inner|left) /.test(word) && dice.oneIn(2) ? ` on ${onCondition(dice, names)}` : '';
  return { sql: `${left.sql}${word}${sql}${on}`, scope: names };
}

const joinWords = ['join', 'left join', 'left join', 'right join', 'full join'] as const;

function joined(dice: Dice, left: Relation, room: Room): Relation {
  const other = from(dice, { ...room, depth: 0, noCommas: true });
  const right = other.sql.includes(' join ') ? `(${other.sql})` : other.sql;
  const scope = [...left.scope, ...other.scope];
  const texts = (of: Scope) => of.filter(({ kind }) => kind === 'text');
  const [a, b] = [texts(left.scope), texts(other.scope)];
  const equal = a.length > 0 && b.length > 0 && !dice.oneIn(8);
  const same = equal ? `${dice.pick(a).sql} = ${dice.pick(b).sql}` : 'true';
  const on = dice.oneIn(3) ? `${same} and ${onCondition(dice, scope)}` : same;
  const words = room.noCommas ? joinWords : joinWords.slice(0, 2);
  return { sql: `${left.sql} ${dice.pick(words)} ${right} on ${on}`, scope };
}

/** BigQuery has no sub-selects over tables in ON; those over arrays are rare here too. */
function onCondition(dice: Dice, scope: Scope): string {
  return condition(dice, scope, dice.oneIn(6) ? 1 : 0);
}
