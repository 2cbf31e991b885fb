import type { Type } from '../../types/types.js';
import * as bound from '../bound/bound.js';
import { shownValue } from '../bound/first-rows.js';
import type { BoundPlan } from '../bound/plan.js';
import { redactCall, redactMatches } from '../bound/redact-matches.js';
import { usedFieldNames } from '../bound/search.js';
import { createCounter, printedSize } from '../bound/size.js';
import { checkRowCount } from '../duckdb-sql/check-count.js';
import type { DuckPlan } from '../duckdb-sql/duckdb-plan.js';
import * as d from '../duckdb-sql/duckdb-sql.js';
import { mayBeNan, nanKeys } from '../functions/nan.js';
import { amongFirstTimes, changedKey, keepTies } from './first-times.js';
import { guardSubSelects } from './guard-sub-selects.js';
import { withoutImplied } from './implied-not-null.js';
import { keepLate } from './keep-late.js';
import { isLongChain } from './lower-chain.js';
import { conjunction, holdsSubquery, lowerFilter } from './lower-condition.js';
import { lowerExists } from './lower-exists.js';
import { lowerExpression } from './lower-expression.js';
import { lowerFrom } from './lower-from.js';
import { lowerGrouping } from './lower-grouping.js';
import { besideRecursion, lowerRecursion } from './lower-recursion.js';
import type { Lowering } from './lowering.js';
import { outputNames, type Relation } from './relation.js';
import { isChangedKey } from './tie-value.js';

/** The options of lowering a plan. */
export interface LowerOptions {
  /** Whether gathers redact strings of stored records before they match them against a parameter. */
  readonly redactSteps: boolean;
  /** Whether the answer does so, too. */
  readonly redactAnswer: boolean;
}

/**
 * The sixth stage: lowers each bound statement of a plan to a DuckDB statement with the same rows. Names are
 * not resolved again: every column is written with its table's alias.
 * @throws QueryFault `resourcesExceeded` if a statement would be too large
 */
export function lower(
  { steps, answer }: BoundPlan,
  { redactSteps, redactAnswer }: LowerOptions,
): DuckPlan {
  const lowerOne = (query: bound.Query, redact: boolean) => {
    return { query: lowerStatement(query, redact), columns: query.columns };
  };
  return {
    steps: steps.map(({ table, kind, query }) => {
      return { table, kind, ...lowerOne(query, redactSteps && kind !== 'search') };
    }),
    answer: lowerOne(answer, redactAnswer),
  };
}

/** An id above the ids of all columns of a statement. */
const firstFreeId = 2 ** 40;

function redactedMatches(query: bound.Query): bound.Query {
  let free = firstFreeId;
  const redact = (value: bound.Expression) => redactCall(value);
  const newColumn = (type: Type) => ({ id: free++, name: '', type, isLogField: false });
  // Redaction around each operator of a long chain would nest the whole chain.
  return redactMatches(query, { redact, newColumn, skips: isLongChain });
}

function lowerStatement(given: bound.Query, redact: boolean): d.DuckQuery {
  const query = redact ? redactedMatches(given) : given;
  let aliases = 0;
  let names: ReadonlySet<string> | undefined;
  const countWritten = createCounter('printed', query.at);
  for (const { type } of query.columns) countWritten(printedSize(type));
  const newAlias = () => `t${++aliases}`;
  const lowered = lowerQuery(query, {
    columns: new Map(),
    ctes: new Map(),
    newAlias,
    fieldNames: () => (names ??= usedFieldNames(query)),
    countWritten,
    redact,
    lowerQuery,
    lowerExists,
  });
  const options = { newAlias, countWritten };
  const guarded = holdsSubquery(lowered) ? guardSubSelects(lowered, options) : lowered;
  return keepLate(guarded, options);
}

function lowerQuery(query: bound.Query, lowering: Lowering): d.DuckQuery {
  for (const { id, name } of query.ctes) {
    lowering.ctes.set(id, { name: uniqueName(name, lowering), reads: 0 });
  }
  const { limit, offset } = query;
  const lowered = lowerBody(query, lowering);
  const whole = { kind: 'query', ctes: lowerCtes(query, lowering) } as const;
  if (query.withTies) return { ...whole, ...keepTies(query, lowered, lowering) };
  return {
    ...whole,
    ...amongFirstTimes(query, lowered, lowering),
    ...(limit === undefined ? {} : { limit: lowerCount(limit, lowering) }),
    ...(offset === undefined ? {} : { offset: lowerCount(offset, lowering) }),
  };
}

/** Lowers LIMIT or OFFSET. A literal becomes a bare number: with a cast, DuckDB would not plan a top-N. */
function lowerCount(count: bound.Expression, lowering: Lowering): d.DuckExpression {
  if (count.kind !== 'literal' || count.value === null)
    return checkRowCount(lowerExpression(count, lowering));
  return { kind: 'number', digits: count.value };
}

/** Whether a query filters one source: it is cheaper to read twice, with only the needed columns, than to store. */
function isPlainRead({ body }: bound.Query): boolean {
  return body.kind === 'select' && body.from.kind === 'source' && body.grouping === undefined;
}

function isRecursive({ query: { body } }: bound.Cte): boolean {
  return body.kind === 'set-operation' && body.recursion !== undefined;
}

/** Lowers the last CTE first: only later CTEs read earlier ones, and these reads must be counted first. */
function lowerCtes({ ctes }: bound.Query, lowering: Lowering): d.DuckQuery['ctes'] {
  const lowered = ctes.toReversed().flatMap((cte): d.DuckQuery['ctes'] => {
    const { name = '', reads = 0 } = lowering.ctes.get(cte.id) ?? {};
    if (reads === 0) return [];
    const query = lowerQuery(cte.query, lowering);
    if (isRecursive(cte)) return [{ name, query, evaluation: 'recursive' }];
    const evaluation = reads === 1 || isPlainRead(cte.query) ? 'inline' : 'automatic';
    if (!ctes.some(isRecursive)) return [{ name, query, evaluation }];
    return [{ name, query: besideRecursion(cte.query, query, lowering), evaluation }];
  });
  return lowered.toReversed();
}

/** A name that no other CTE of the statement has, so that inner CTEs do not hide outer ones. */
function uniqueName(name: string, { ctes }: Lowering): string {
  const taken = new Set([...ctes.values()].map((other) => other.name.toLowerCase()));
  let free = name;
  for (let n = 2; taken.has(free.toLowerCase()); n++) free = `${name}_${n}`;
  return free;
}

function lowerBody(query: bound.Query, lowering: Lowering): Pick<d.DuckQuery, 'body' | 'orderBy'> {
  const { body, orderBy } = query;
  const isBare = body.kind === 'select' && !body.distinct;
  const needsMore = (item: bound.Order) =>
    item.value.kind !== 'column' ||
    isChangedKey(item, lowering) ||
    (mayBeNan(item.value) && !item.isTieBreaker);
  const isTwice = body.kind === 'query' && isCut(body) && isCut(query);
  if (isTwice || (!isBare && orderBy.some(needsMore))) {
    return lowerWithOuterQuery(query, lowering);
  }
  const lowered = lowerRows(body, lowering);
  return { body: lowered, orderBy: lowerKeys(query, isBare ? body.items : [], lowering) };
}

/** Whether a query has an order or a limit: DuckDB does not allow them both outside and inside of brackets. */
function isCut({ orderBy, limit, offset }: bound.Query): boolean {
  return orderBy.length > 0 || limit !== undefined || offset !== undefined;
}

function lowerRows(body: bound.Query['body'], lowering: Lowering): d.DuckQuery['body'] {
  if (body.kind === 'query') return lowerQuery(body, lowering);
  if (body.kind === 'select') return blockOverRows(body, lowerBlockRows(body, lowering), lowering);
  if (body.recursion !== undefined) return lowerRecursion(body, body.recursion, lowering);
  const operands = body.operands.map((operand) => lowerQuery(operand, lowering));
  const { operator, distinct } = body;
  return { kind: 'set-operation', operator, distinct, operands };
}

/** Lowers a query with keys that need an outer query: DuckDB orders DISTINCT and UNION only by their own columns. */
function lowerWithOuterQuery(
  query: bound.Query,
  lowering: Lowering,
): Pick<d.DuckQuery, 'body' | 'orderBy'> {
  const alias = lowering.newAlias();
  const names = outputNames(query.columns);
  const inner = d.bareQuery(lowerRows(query.body, lowering));
  const items = d.columnItems(alias, names);
  for (const [index, { id }] of query.columns.entries()) {
    lowering.columns.set(id, items[index]?.value ?? d.nullValue);
  }
  const from = { kind: 'derived', query: inner, alias, columns: names } as const;
  return { body: d.selectFrom(items, from).body, orderBy: lowerKeys(query, [], lowering) };
}

/** @param items the items that keys may refer to */
function lowerKeys(
  { columns, orderBy }: bound.Query,
  items: readonly bound.Item[],
  lowering: Lowering,
): readonly d.DuckOrder[] {
  const positions = new Map(columns.map(({ id }, index) => [id, index + 1]));
  const lowerKey = (key: bound.Expression) => lowerExpression(key, lowering);
  // A record that takes work to make is not made twice, and compared with its fields in the source's order.
  const isChanged = (item: bound.Order) =>
    isChangedKey(item, lowering) &&
    (lowering.redact || isMadeOfPaths(shownValue(item.value, items)));
  return orderBy
    .flatMap((item) => [
      ...(item.isTieBreaker ? [] : nanKeys(item, shownValue(item.value, items), lowerKey)),
      isChanged(item)
        ? { value: changedKey(item, items, lowering), descending: item.descending }
        : lowerOrder(item, positions, lowering),
    ])
    .filter(({ value }) => !d.isConstantKey(value));
}

function isMadeOfPaths(value: bound.Expression): boolean {
  if (value.kind === 'struct') return value.values.every(isMadeOfPaths);
  if (value.kind === 'array') return value.elements.every(isMadeOfPaths);
  if (value.kind === 'plain') return isMadeOfPaths(value.of);
  return bound.isPath(value) || value.kind === 'literal';
}

/** Lowers a sort key; writes an output column as its position, from 1. */
function lowerOrder(
  { value, descending, nulls }: bound.Order,
  positions: ReadonlyMap<number, number>,
  lowering: Lowering,
): d.DuckOrder {
  const position = value.kind === 'column' ? positions.get(value.column.id) : undefined;
  return {
    value: position ?? lowerExpression(value, lowering),
    descending,
    ...(nulls === undefined ? {} : { nulls }),
  };
}

/** The rows of a block before its items: joined, filtered and grouped. */
function lowerBlockRows(select: bound.Select, lowering: Lowering): Relation {
  const relation = lowerFrom(select.from, lowering);
  const where = lowerFilter(select.where, lowering);
  const rows = { ...relation, where: [...withoutImplied(relation, where), ...where] };
  if (select.grouping === undefined) return rows;
  const grouped = lowerGrouping(select.grouping, rows, lowering);
  return { ...grouped, where: lowerFilter(select.having, lowering) };
}

function blockOverRows(select: bound.Select, rows: Relation, lowering: Lowering): d.DuckSelect {
  const names = outputNames(select.columns);
  const items = select.items.map(
    ({ value }, index): d.DuckItem => ({
      name: names[index] ?? '',
      value: lowerExpression(value, lowering),
    }),
  );
  return {
    kind: 'select',
    distinct: select.distinct,
    items,
    ...(rows.from && { from: rows.from }),
    where: rows.where,
    ...(select.qualify && { qualify: conjunction(lowerFilter(select.qualify, lowering)) }),
  };
}
