import type {
  BoundExpression,
  BoundOrder,
  BoundQuery,
  BoundRead,
  BoundSelect,
} from '../bound/bound.js';
import { fieldNamesOf } from '../bound/map-expression.js';
import { printedCounter, printedSize } from '../bound/size.js';
import { rowCount } from '../duckdb-sql/at-least.js';
import type {
  DuckExpression,
  DuckItem,
  DuckOrder,
  DuckQuery,
  DuckSelect,
} from '../duckdb-sql/duckdb-sql.js';
import { mayBeNan, nanKeys } from '../functions/nan.js';
import { type Known, nothing } from '../rewrite/fold-constants.js';
import { withWindows } from '../rewrite/gather-window.js';
import { inheritedOrder } from '../rewrite/inherit-order.js';
import { openConditions } from '../rewrite/own-rows.js';
import { withoutImplied } from './implied-not-null.js';
import { lowerExists } from './lower-exists.js';
import { lowerExpression } from './lower-expression.js';
import { lowerFrom } from './lower-from.js';
import { lowerGrouping } from './lower-grouping.js';
import type { Lowering } from './lowering.js';
import { outputNames } from './relation.js';

/** What is asked of a statement beside its text. */
export interface LowerOptions {
  /** How many of its rows anybody reads; undefined: all. */
  readonly maxRows: number | undefined;
  /** What is known of its parameters. */
  readonly known?: Known;
  /** Whether texts of logs are redacted before they are matched against a parameter. */
  readonly redact?: boolean;
  /** Names the table that a read of a gathered CTE reads; without it there is none to read. */
  readonly gathered?: (read: BoundRead) => string;
}

/**
 * The fourth stage: a bound query -> a DuckDB statement with the same rows. Names are no longer
 * looked up: every column is written as its table's alias and its name there.
 * @throws QueryFault `resourcesExceeded` where the statement would be too large
 */
export function lower(
  query: BoundQuery,
  { maxRows, redact = false, known = nothing, gathered = refuseGathered }: LowerOptions,
): DuckQuery {
  let aliases = 0;
  const names = new Map<BoundQuery, string>();
  const readsIn = (read: Map<BoundQuery, number>) => ({
    read,
    readCte: (cte: BoundQuery) => {
      read.set(cte, (read.get(cte) ?? 0) + 1);
      return names.get(cte) ?? '';
    },
  });
  const newAlias = () => `t${++aliases}`;
  const countWritten = printedCounter(query.at);
  for (const { type } of query.columns) countWritten(printedSize(type));
  let fields: ReadonlySet<string> | undefined;
  const fieldNames = () => (fields ??= fieldNamesOf(query));
  const own = { columns: new Map(), newAlias, fieldNames, countWritten, redact, gathered, known };
  const trial = (lowering: Lowering) => ({
    ...lowering,
    ...readsIn(new Map()),
    gathered: () => '',
    countWritten: () => {},
  });
  const statement = {
    ...own,
    ...readsIn(new Map()),
    trial,
    lowerExists,
    lowerQuery: lowerNested,
    names,
  };
  return lowerQuery(withWindows(query, maxRows), true, statement);
}

function refuseGathered({ cte }: BoundRead): never {
  throw new Error(`${cte.name} is to be gathered, and nothing gathers it`);
}

/** What is known of the statement's CTEs: their names in it, and which of them something reads. */
interface Statement extends Lowering {
  readonly names: Map<BoundQuery, string>;
  /** How often something reads each CTE. */
  readonly read: ReadonlyMap<BoundQuery, number>;
}

function lowerNested(query: BoundQuery, lowering: Lowering, keepsOrder = false): DuckQuery {
  return lowerQuery(withWindows(query), keepsOrder, lowering as Statement);
}

/**
 * Where nobody keeps the order and no LIMIT goes with it, ORDER BY would be a sort for nothing.
 * A CTE that nobody reads is left out.
 */
function lowerQuery(query: BoundQuery, keepsOrder: boolean, lowering: Statement): DuckQuery {
  for (const cte of query.ctes) lowering.names.set(cte.query, uniqueName(cte.name, lowering));
  const { limit, offset } = query;
  const own = query.orderBy.length > 0 ? query.orderBy : inheritedOrder(query);
  const orderBy = keepsOrder || limit !== undefined ? own : [];
  const lowered = lowerBody(query, orderBy, lowering);
  return {
    ctes: lowerCtes(query, lowering),
    ...lowered,
    ...(limit === undefined ? {} : { limit: lowerCount(limit, lowering) }),
    ...(offset === undefined ? {} : { offset: lowerCount(offset, lowering) }),
  };
}

/** A bare number where it is one: DuckDB makes no top-N of a cast. */
function lowerCount(count: BoundExpression, lowering: Lowering): DuckExpression {
  if (count.kind !== 'literal' || count.value === null)
    return rowCount(lowerExpression(count, lowering));
  return { kind: 'number', digits: count.value };
}

/** Rows of one source, filtered: cheaper to read twice, for what each reader needs, than to keep whole. */
function isPlainRead({ body }: BoundQuery): boolean {
  return body.kind === 'select' && body.from.kind === 'source' && body.grouping === undefined;
}

/** From the last to the first, since only later ones read earlier ones. */
function lowerCtes({ ctes }: BoundQuery, lowering: Statement): DuckQuery['ctes'] {
  const lowered = ctes.toReversed().flatMap((cte) => {
    const times = lowering.read.get(cte.query) ?? 0;
    if (times === 0) return [];
    const name = lowering.names.get(cte.query) ?? '';
    const isInline = times === 1 || isPlainRead(cte.query);
    return [{ name, query: lowerNested(cte.query, lowering), isInline }];
  });
  return lowered.toReversed();
}

/** A CTE's name in the statement, in which names of inner queries must not hide those of outer ones. */
function uniqueName(name: string, { names }: Statement): string {
  const taken = new Set([...names.values()].map((other) => other.toLowerCase()));
  let free = name;
  for (let n = 2; taken.has(free.toLowerCase()); n++) free = `${name}_${n}`;
  return free;
}

function lowerBody(
  query: BoundQuery,
  orderBy: readonly BoundOrder[],
  lowering: Lowering,
): Pick<DuckQuery, 'body' | 'orderBy'> {
  const { body } = query;
  const isBare = body.kind === 'select' && !body.distinct;
  if (!isBare && orderBy.some(({ value }) => value.kind !== 'column' || mayBeNan(value))) {
    return lowerAround(query, orderBy, lowering);
  }
  const lowered = lowerRows(body, lowering);
  const before = isBare ? nanOf(body, lowering) : () => [];
  return { body: lowered, orderBy: lowerKeys(query, { orderBy, before }, lowering) };
}

function lowerRows(body: BoundQuery['body'], lowering: Lowering): DuckQuery['body'] {
  if (body.kind === 'query') return lowerNested(body, lowering);
  if (body.kind === 'select') return lowerSelect(body, lowering);
  const operands = body.operands.map((operand) => lowerNested(operand, lowering));
  const { operator, distinct } = body;
  return { kind: 'set-operation', operator, distinct, operands };
}

/** DISTINCT and UNION let nothing order but their own columns as they stand: for more, they are read. */
function lowerAround(
  query: BoundQuery,
  orderBy: readonly BoundOrder[],
  lowering: Lowering,
): Pick<DuckQuery, 'body' | 'orderBy'> {
  const alias = lowering.newAlias();
  const names = outputNames(query.columns);
  const inner = { ctes: [], body: lowerRows(query.body, lowering), orderBy: [] };
  const items = query.columns.map(({ id }, place): DuckItem => {
    const name = names[place] ?? '';
    const value = { kind: 'column', table: alias, name } as const;
    lowering.columns.set(id, value);
    return { name, value };
  });
  const from = { kind: 'derived', query: inner, alias, columns: names } as const;
  const before = (item: BoundOrder) =>
    nanKeys(item, item.value, (key) => lowerExpression(key, lowering));
  const keys = lowerKeys(query, { orderBy, before }, lowering);
  return { body: { kind: 'select', distinct: false, items, from, where: [] }, orderBy: keys };
}

interface Keys {
  readonly orderBy: readonly BoundOrder[];
  /** What is to order before a key. */
  readonly before: (item: BoundOrder) => readonly DuckOrder[];
}

function lowerKeys(
  { columns }: BoundQuery,
  { orderBy, before }: Keys,
  lowering: Lowering,
): readonly DuckOrder[] {
  const places = new Map(columns.map(({ id }, place) => [id, place + 1]));
  return orderBy
    .flatMap((item) => [...before(item), lowerOrder(item, places, lowering)])
    .filter(({ value }) => !isConstant(value));
}

function nanOf({ items }: BoundSelect, lowering: Lowering) {
  return (item: BoundOrder): readonly DuckOrder[] => {
    const { value } = item;
    const id = value.kind === 'column' ? value.column.id : undefined;
    const key = items.find(({ column }) => column.id === id)?.value ?? value;
    return nanKeys(item, key, (inner) => lowerExpression(inner, lowering));
  };
}

/** A key that is an output column is written as its place. */
function lowerOrder(
  { value, descending, nulls }: BoundOrder,
  places: ReadonlyMap<number, number>,
  lowering: Lowering,
): DuckOrder {
  const place = value.kind === 'column' ? places.get(value.column.id) : undefined;
  return {
    value: place ?? lowerExpression(value, lowering),
    descending,
    ...(nulls === undefined ? {} : { nulls }),
  };
}

/** A constant orders nothing; DuckDB refuses one, or takes it for a place. */
function isConstant(value: DuckOrder['value']): boolean {
  return typeof value === 'object' && ['text', 'number', 'word'].includes(value.kind);
}

function lowerSelect(select: BoundSelect, lowering: Lowering): DuckSelect {
  const relation = lowerFrom(select.from, lowering);
  const where = openConditions(select, lowering.known).flatMap((condition) =>
    conjuncts(lowerExpression(condition, lowering)),
  );
  const rows = { ...relation, where: [...withoutImplied(relation, where), ...where] };
  if (select.grouping === undefined) {
    return { ...rowsOf(select, rows, lowering), where: rows.where };
  }
  const grouped = lowerGrouping(select.grouping, rows, lowering);
  const having =
    select.having === undefined ? [] : conjuncts(lowerExpression(select.having, lowering));
  return { ...rowsOf(select, grouped, lowering), where: having };
}

/** `a AND b` -> `a`, `b`: each may be asked as early as it can. */
function conjuncts(condition: DuckExpression): readonly DuckExpression[] {
  if (condition.kind !== 'infix' || condition.operator !== 'AND') return [condition];
  return condition.operands.flatMap(conjuncts);
}

/** Without a window function in it, it would be no QUALIFY: nothing of it is left out. */
function lowerQualify(condition: BoundExpression, lowering: Lowering): DuckExpression {
  return lowerExpression(condition, { ...lowering, known: nothing });
}

type Rows = ReturnType<typeof lowerFrom>;

function rowsOf(select: BoundSelect, rows: Rows, lowering: Lowering): Omit<DuckSelect, 'where'> {
  const names = outputNames(select.columns);
  const items = select.items.map(
    ({ value }, place): DuckItem => ({
      name: names[place] ?? '',
      value: lowerExpression(value, lowering),
    }),
  );
  return {
    kind: 'select',
    distinct: select.distinct,
    items,
    ...(rows.from === undefined ? {} : { from: rows.from }),
    ...(select.qualify === undefined ? {} : { qualify: lowerQualify(select.qualify, lowering) }),
  };
}
