import { hasOtherParts, rowIdColumns, type SourceSchema } from '../../../types/schema.js';
import type { DuckStep } from '../duckdb-plan.js';
import * as d from '../duckdb-sql.js';
import { mapChildren, someNode } from '../map-tree.js';

/** The sources that are not read as one table, by name: they have several parts, or parts with other columns. */
export type Parts = ReadonlyMap<string, SourceSchema>;

/** Selects the sources that are not read as one table. */
export function splitSources(sources: readonly SourceSchema[]): Parts {
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
export function spreadParts(query: d.DuckQuery, parts: Parts): d.DuckQuery {
  return parts.size === 0 ? query : spread(query, { parts, ctes: new Map() });
}

interface Scope {
  readonly parts: Parts;
  readonly ctes: ReadonlyMap<string, d.DuckQuery>;
}

function spread(query: d.DuckQuery, outer: Scope): d.DuckQuery {
  const scope = withCtes(query, outer);
  const mapper = { query: (inner: d.DuckQuery) => spread(inner, scope) };
  return firstOfParts(query, scope) ?? mapChildren(query, mapper);
}

function withCtes(query: d.DuckQuery, scope: Scope): Scope {
  const ctes = new Map([...scope.ctes, ...query.ctes.map((cte) => [cte.name, cte.query] as const)]);
  return { ...scope, ctes };
}

/** Spreads a query over each part, if it returns the first rows of a source with several parts, in some order. */
function firstOfParts(query: d.DuckQuery, scope: Scope): d.DuckQuery | undefined {
  if (query.limit === undefined) return undefined;
  if (query.orderBy.length === 0) return firstOfOrdered(query, scope);
  const { body, offset } = query;
  if (body.kind !== 'select') return undefined;
  const limit = sum(query.limit, offset);
  const views = partViews(query, scope);
  if (limit === undefined || views.length === 0 || query.orderBy.some(hasWindow)) return undefined;
  const { items, orderBy } = withKeys(body.items, query.orderBy);
  const operands = views.map((view) => {
    const part = inPart(d.bareQuery({ ...body, items }), view, scope);
    return { ...part, orderBy, limit };
  });
  const whole = { ...query, body: d.unionAll(operands), orderBy };
  return items.length === body.items.length ? whole : withoutKeys(whole, body.items);
}

type Keyed = Pick<d.DuckQuery, 'orderBy'> & Pick<d.DuckSelect, 'items'>;

/** Turns keys into positions of columns; adds a column for a key that is not a column. */
function withKeys(items: d.DuckSelect['items'], orderBy: d.DuckQuery['orderBy']): Keyed {
  const written = items.map(({ value }) => JSON.stringify(value));
  const added: d.DuckItem[] = [];
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
function withoutKeys(query: d.DuckQuery, items: d.DuckSelect['items']): d.DuckQuery {
  const alias = 'parts';
  const columns = items.map((_, index) => `c${index + 1}`);
  const own = items.map(({ name }, index) => ({ name, value: d.column(alias, `c${index + 1}`) }));
  const from = { kind: 'derived', query: { ...query, ctes: [] }, alias, columns } as const;
  return { ...d.selectFrom(own, from), ctes: query.ctes };
}

/** Like {@link firstOfParts}, for a LIMIT around a sub-select with ORDER BY. */
function firstOfOrdered(query: d.DuckQuery, scope: Scope): d.DuckQuery | undefined {
  const { body, limit, offset } = query;
  if (limit === undefined || body.kind !== 'select' || body.from?.kind !== 'derived')
    return undefined;
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
export function fetchParts(step: DuckStep, parts: Parts): DuckStep {
  const { query } = step;
  const { body } = query;
  if (body.kind !== 'select') throw new Error('a fetch is one block');
  const scope = withCtes(query, { parts, ctes: new Map() });
  const views = partViews(query, scope);
  const partBlock = (part: number): d.DuckSelect => {
    return { ...body, where: body.where.map((condition) => limitToPart(condition, part)) };
  };
  const operands = views.map((view, part) => inPart(d.bareQuery(partBlock(part)), view, scope));
  const fetched = views.length === 0 ? partBlock(0) : d.unionAll(operands);
  return { ...step, query: { ...query, body: fetched } };
}

/** Restricts a condition on found rows to the rows of one part. */
function limitToPart(condition: d.DuckExpression, part: number): d.DuckExpression {
  if (condition.kind !== 'subquery' || condition.form !== 'IN') return condition;
  const { body } = condition.query;
  if (body.kind !== 'select' || body.from?.kind !== 'table') return condition;
  const partId = d.column(body.from.alias, rowIdColumns[1]);
  const found = { ...body, where: [...body.where, d.infix('=', partId, d.integer(part))] };
  return { ...condition, query: { ...condition.query, body: found } };
}

/** The parts of the only source whose rows the query returns; empty if it returns other rows. */
function partViews({ body }: d.DuckQuery, scope: Scope): readonly string[] {
  if (body.kind !== 'select' || body.from === undefined || changesRows(body)) return [];
  const { from } = body;
  if (from.kind === 'join') return [];
  const [schema = '', source] = from.kind === 'table' ? from.path : [];
  if (source !== undefined) return viewsOfParts(scope.parts.get(source));
  const read = from.kind === 'derived' ? from.query : scope.ctes.get(schema);
  if (read === undefined || read.limit !== undefined || read.offset !== undefined) return [];
  return partViews(read, withCtes(read, scope));
}

/** Makes a query read one part of its source, inlining the CTEs between them. */
function inPart(query: d.DuckQuery, view: string, scope: Scope): d.DuckQuery {
  const { body } = query;
  if (body.kind !== 'select' || body.from === undefined) return query;
  return { ...query, orderBy: [], body: { ...body, from: fromPart(body.from, view, scope) } };
}

function fromPart(from: d.DuckFrom, view: string, scope: Scope): d.DuckFrom {
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
function changesRows({ distinct, groupKeys, qualify, items }: d.DuckSelect): boolean {
  return distinct || groupKeys !== undefined || qualify !== undefined || items.some(hasWindow);
}

function hasWindow(node: object): boolean {
  return someNode(node, d.isWindow);
}

/** The sum of LIMIT and OFFSET; undefined unless both are numbers. */
function sum(
  limit: d.DuckExpression,
  offset: d.DuckExpression | undefined,
): d.DuckExpression | undefined {
  const readCount = (count: d.DuckExpression) =>
    count.kind === 'number' ? Number(count.digits) : Number.NaN;
  const total = readCount(limit) + (offset === undefined ? 0 : readCount(offset));
  return Number.isSafeInteger(total) ? d.integer(total) : undefined;
}
