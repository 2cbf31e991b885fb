import type * as bound from '../bound/bound.js';
import { mapQueries } from '../bound/map-expression.js';
import type { BoundPlan, BoundStep } from '../bound/plan.js';
import { conjuncts, joinConditions } from './conditions.js';
import { gather } from './gather.js';
import { gatheredReads } from './gathered-reads.js';
import { lateFetch } from './late-fetch.js';

/** The options of splitting a caller's query. */
export interface SplitOptions {
  /** The ids of the endpoint's CTEs. */
  readonly stored: ReadonlySet<number>;
  /** The ids of the endpoint's CTEs that are read in place, because all of their rows are the caller's own. */
  readonly inPlace: ReadonlySet<number>;
  /** The maximum number of rows that the answer needs. */
  readonly maxRows: number;
  /** The first unused id of columns and CTEs. */
  readonly nextId: number;
}

/**
 * Splits a statement at the wall: rows of the endpoint's CTEs are gathered into temporary tables, and
 * the caller's query reads only these tables. No expression of the caller is evaluated over other callers'
 * rows, so no statistics, dictionary or pushed-down filter can reveal anything about them. A stored query
 * has no gathers: it is the answer itself.
 * `with web as (…) select f(id) from web` ->
 * gather `gathered/web`: `with web as (…) select id, … from web`;
 * answer: `select f(id) from temp."gathered/web"`
 */
export function split(query: bound.Query, options: SplitOptions): BoundPlan {
  const stored = query.ctes.filter(({ id }) => options.stored.has(id));
  const isGathered = (id: number) => options.stored.has(id) && !options.inPlace.has(id);
  const own = { ...query, ctes: query.ctes.filter(({ id }) => !isGathered(id)) };
  const gathered = gatheredReads(own, { isGathered, maxRows: options.maxRows });
  const gatherings = stored.flatMap((cte) => {
    const [first, ...others] = gathered.get(cte.id) ?? [];
    return first === undefined ? [] : [{ cte, reads: [first, ...others] as const, stored }];
  });
  const [only, ...others] = gatherings;
  const late = only && others.length === 0 ? lateFetch(own, only, options) : undefined;
  const steps = gatherings.map((gathering): BoundStep => {
    return { table: gatheredTable(gathering.cte), kind: 'gather', query: gather(gathering) };
  });
  const applied = gatherings.flatMap(({ reads: [first, ...more] }) =>
    more.length === 0 ? first.applied : [],
  );
  return { steps: late ?? steps, answer: overTables(own, isGathered, new Set(applied)) };
}

/** The temporary table of a CTE's gathered rows. */
function gatheredTable({ name }: bound.Cte): string {
  return `gathered/${name}`;
}

/** Makes a query read the tables of gathered CTEs, and drops the conditions that their gathers apply. */
function overTables(
  query: bound.Query,
  isGathered: (id: number) => boolean,
  applied: ReadonlySet<bound.Expression>,
): bound.Query {
  const from = (item: bound.From): bound.From =>
    item.kind === 'cte' && isGathered(item.cte.id)
      ? { kind: 'table', table: gatheredTable(item.cte), columns: item.columns }
      : item;
  const withoutApplied = (block: bound.Query): bound.Query => {
    if (block.body.kind !== 'select') return block;
    const { where: all, ...body } = block.body;
    const kept = conjuncts(all).filter((condition) => !applied.has(condition));
    const where = kept.length === conjuncts(all).length ? all : joinConditions(kept);
    return where === all ? block : { ...block, body: { ...body, ...(where && { where }) } };
  };
  return mapQueries(query, { from, query: withoutApplied });
}
