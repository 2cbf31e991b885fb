import { hasOtherParts, rowIdColumns, type SourceSchema } from '../../../types/schema.js';
import type { DuckExpression, DuckFrom, DuckItem, DuckQuery, DuckSelect } from '../duckdb-sql.js';
import { infix, integer, isBlock, isQuery, queryOf, selectFrom } from '../duckdb-sql.js';
import { mapChildren, someNode } from '../map-tree.js';

/** The sources that are not read as one table, by name: they have several parts, or parts with other columns. */
export type Parts = ReadonlyMap<string, SourceSchema>;

/** Selects the sources that are not read as one table. */
export function partsOf(sources: readonly SourceSchema[]): Parts {
  const split = sources.filter((one) => viewsOfParts(one).length > 0 || hasOtherParts(one));
  return new Map(split.map((source) => [source.name, source]));
}

/** The views of a source's parts, if it has several. */
export function viewsOfParts({ parts = [] }: Partial<SourceSchema> = {}): readonly string[] {
  return parts.length > 1 ? parts.map(({ view }) => view) : [];
}

/**
 * Reads the first rows of a source that is stored in several parts from the first rows of each part. Over
 * all parts as one table, the engine would sort every row.
 * `select … from t order by x limit 3` -> `(select … from t/0 order by x limit 3) union all
 * (select … from t/1 order by x limit 3) order by x limit 3`
 */
export function spreadParts(query: DuckQuery, parts: Parts): DuckQuery {
  return parts.size === 0 ? query : spread(query, { parts, ctes: new Map() });
}

interface Scope {
  readonly parts: Parts;
  readonly ctes: ReadonlyMap<string, DuckQuery>;
}

function spread(query: DuckQuery, outer: Scope): DuckQuery {
  const scope = withCtes(query, outer);
  return firstOfParts(query, scope) ?? mapQueries(query, (inner) => spread(inner, scope));
}

function withCtes(query: DuckQuery, scope: Scope): Scope {
  const ctes = new Map([...scope.ctes, ...query.ctes.map((cte) => [cte.name, cte.query] as const)]);
  return { ...scope, ctes };
}

/** Changes the outermost queries below a node. */
function mapQueries<T extends object>(node: T, change: (query: DuckQuery) => DuckQuery): T {
  return mapChildren(node, (part) => (isQuery(part) ? change(part) : mapQueries(part, change)));
}

/** Spreads a query over each part, if it returns the first rows of a source with several parts, in some order. */
function firstOfParts(query: DuckQuery, scope: Scope): DuckQuery | undefined {
  if (query.limit === undefined) return undefined;
  if (query.orderBy.length === 0) return firstOfOrdered(query, scope);
  const { body, offset } = query;
  if (!isBlock(body)) return undefined;
  const limit = sum(query.limit, offset);
  const views = viewsOf(query, scope);
  if (limit === undefined || views.length === 0 || query.orderBy.some(hasWindow)) return undefined;
  const { items, orderBy } = withKeys(body.items, query.orderBy);
  const operands = views.map((view) => {
    const part = inPart(queryOf({ ...body, items }), view, scope);
    return { ...part, orderBy, limit };
  });
  const union = { kind: 'set-operation', operator: 'UNION', distinct: false, operands } as const;
  const whole = { ...query, body: union, orderBy };
  return items.length === body.items.length ? whole : withoutKeys(whole, body.items);
}

type Keyed = Pick<DuckQuery, 'orderBy'> & Pick<DuckSelect, 'items'>;

/** Turns keys into positions of columns; adds a column for a key that is not a column. */
function withKeys(items: DuckSelect['items'], orderBy: DuckQuery['orderBy']): Keyed {
  const written = items.map(({ value }) => JSON.stringify(value));
  const added: DuckItem[] = [];
  const keys = orderBy.map((key) => {
    if (typeof key.value === 'number') return key;
    const index = written.indexOf(JSON.stringify(key.value));
    if (index >= 0) return { ...key, value: index + 1 };
    added.push({ name: `key_${added.length + 1}`, value: key.value });
    return { ...key, value: items.length + added.length };
  });
  return { items: [...items, ...added], orderBy: keys };
}

/** Removes the key columns with an outer query. The engine keeps the order of a sub-select. */
function withoutKeys(query: DuckQuery, items: DuckSelect['items']): DuckQuery {
  const alias = 'parts';
  const columns = items.map((_, index) => `c${index + 1}`);
  const own = items.map(({ name }, index): DuckItem => {
    return { name, value: { kind: 'column', table: alias, name: columns[index] ?? '' } };
  });
  const from = { kind: 'derived', query: { ...query, ctes: [] }, alias, columns } as const;
  return { ...selectFrom(own, from), ctes: query.ctes };
}

/** Does the same for a LIMIT around a sub-select with ORDER BY. */
function firstOfOrdered(query: DuckQuery, scope: Scope): DuckQuery | undefined {
  const { body, limit, offset } = query;
  if (limit === undefined || !isBlock(body) || body.from?.kind !== 'derived') return undefined;
  const { from } = body;
  const keepsRows = !changesRows(body) && body.where.length === 0;
  const max = sum(limit, offset);
  if (!keepsRows || max === undefined || from.query.limit !== undefined) return undefined;
  const inner = firstOfParts({ ...from.query, limit: max }, withCtes(from.query, scope));
  return inner && { ...query, body: { ...body, from: { ...from, query: inner } } };
}

/**
 * Fetches the rows that a search found, part by part: row ids are unique only within a part.
 * `… where "row id" in (select "row id" from found)` -> for the parts 0, 1 … `… where "row id" in
 * (select "row id" from found where "part id" = 0) union all …`
 */
export function fetchParts(query: DuckQuery, parts: Parts): DuckQuery {
  const { body } = query;
  if (!isBlock(body)) throw new Error('a fetch is one block');
  const scope = withCtes(query, { parts, ctes: new Map() });
  const views = viewsOf(query, scope);
  const blockOf = (part: number): DuckSelect => {
    return { ...body, where: body.where.map((condition) => inPartOf(condition, part)) };
  };
  if (views.length === 0) return { ...query, body: blockOf(0) };
  const operands = views.map((view, part) => inPart(queryOf(blockOf(part)), view, scope));
  const union = { kind: 'set-operation', operator: 'UNION', distinct: false, operands } as const;
  return { ...query, body: union };
}

/** Restricts a condition on found rows to the rows of one part. */
function inPartOf(condition: DuckExpression, part: number): DuckExpression {
  if (condition.kind !== 'subquery' || condition.form !== 'IN') return condition;
  const { body } = condition.query;
  if (!isBlock(body) || body.from?.kind !== 'table') return condition;
  const partId = { kind: 'column', table: body.from.alias, name: rowIdColumns[1] } as const;
  const found = { ...body, where: [...body.where, infix('=', partId, integer(part))] };
  return { ...condition, query: { ...condition.query, body: found } };
}

/** The parts of the only source whose rows the query returns; empty if it returns other rows. */
function viewsOf({ body }: DuckQuery, scope: Scope): readonly string[] {
  if (!isBlock(body) || body.from === undefined || changesRows(body)) return [];
  const { from } = body;
  if (from.kind === 'join') return [];
  const [schema = '', source] = from.kind === 'table' ? from.path : [];
  if (source !== undefined) return viewsOfParts(scope.parts.get(source));
  const read = from.kind === 'derived' ? from.query : scope.ctes.get(schema);
  if (read === undefined || read.limit !== undefined || read.offset !== undefined) return [];
  return viewsOf(read, withCtes(read, scope));
}

/** Makes a query read one part of its source, inlining the CTEs between them. */
function inPart(query: DuckQuery, view: string, scope: Scope): DuckQuery {
  const { body } = query;
  if (!isBlock(body) || body.from === undefined) return query;
  return { ...query, orderBy: [], body: { ...body, from: fromPart(body.from, view, scope) } };
}

function fromPart(from: DuckFrom, view: string, scope: Scope): DuckFrom {
  if (from.kind === 'join') return from;
  const [schema = '', source] = from.kind === 'table' ? from.path : [];
  if (from.kind === 'table' && source !== undefined) {
    return { ...from, path: [schema, view] };
  }
  const read = from.kind === 'derived' ? from.query : scope.ctes.get(schema);
  if (read === undefined) return from;
  const query = inPart(read, view, withCtes(read, scope));
  return { ...from, kind: 'derived', query };
}

/** Whether a row of the block depends on more than one row of FROM. */
function changesRows({ distinct, groupKeys, qualify, items }: DuckSelect): boolean {
  return distinct || groupKeys !== undefined || qualify !== undefined || items.some(hasWindow);
}

function hasWindow(node: object): boolean {
  return someNode(node, (part) => 'over' in part && part.over !== undefined);
}

/** The sum of LIMIT and OFFSET; undefined unless both are numbers. */
function sum(
  limit: DuckExpression,
  offset: DuckExpression | undefined,
): DuckExpression | undefined {
  const readCount = (count: DuckExpression) =>
    count.kind === 'number' ? Number(count.digits) : Number.NaN;
  const total = readCount(limit) + (offset === undefined ? 0 : readCount(offset));
  return Number.isSafeInteger(total) ? integer(total) : undefined;
}
