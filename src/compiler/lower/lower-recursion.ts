import { scalar, storedNames, structType } from '../../types/types.js';
import type * as bound from '../bound/bound.js';
import * as d from '../duckdb-sql/duckdb-sql.js';
import { duckType } from '../duckdb-sql/duckdb-type.js';
import { nameOfSelf } from './lower-from.js';
import type { Lowering } from './lowering.js';
import { outputNames } from './relation.js';

/**
 * The maximum number of runs of a recursive term that return rows.
 * @see https://cloud.google.com/bigquery/docs/recursive-ctes#troubleshoot_iteration_limit_errors
 */
const maxIterations = 500;

/**
 * The body of a recursive CTE, with a column that counts the iterations:
 * `select a from t union all select b from self` -> `select base.a, 0 as iteration from (select a from t) base
 * union all select term.b, case when run.iteration < 500 then run.iteration + 1 else … end from
 * (select b from self) term cross join (select max(iteration) from self) run`
 */
export function lowerRecursion(
  { operands, columns }: bound.SetOperation,
  id: number,
  lowering: Lowering,
): d.DuckSetOperation {
  const [base, term] = operands;
  if (base === undefined || term === undefined) throw new Error('a recursion has two terms');
  const name = nameOfSelf(id, lowering.ctes);
  const counter = storedNames(structType([...columns, counterField])).at(-1) ?? counterField.name;
  const first = termRows(base, columns, lowering);
  const before = new Map(lowering.ctes);
  const more = termRows(term, columns, lowering);
  // The term runs many times, and so would an inlined CTE: each read of a CTE in it counts twice.
  for (const [key, cte] of lowering.ctes) {
    if (cte.reads > (before.get(key)?.reads ?? 0))
      lowering.ctes.set(key, { ...cte, reads: cte.reads + 1 });
  }
  const run = latest(name, counter, lowering);
  const from: d.DuckFrom = { kind: 'join', join: 'CROSS', left: more.from, right: run.from };
  const zero = { name: counter, value: d.castTo(d.integer(0), 'BIGINT') };
  return d.unionAll([
    d.selectFrom([...first.items, zero], first.from),
    d.selectFrom([...more.items, { name: counter, value: nextCount(run.count) }], from),
  ]);
}

const counterField = { name: 'iteration', type: scalar('INT64'), stored: true } as const;

/** The rows of a term, cast to the types of the CTE. */
function termRows(term: bound.Query, columns: readonly bound.Column[], lowering: Lowering) {
  const alias = lowering.newAlias();
  const names = outputNames(columns);
  const query = lowering.lowerQuery(term, lowering);
  const items = columns.map(({ type }, index): d.DuckItem => {
    const name = names[index] ?? '';
    return { name, value: d.castTo(d.column(alias, name), duckType(type)) };
  });
  return { from: { kind: 'derived', query, alias, columns: names } as const, items };
}

/** The number of the iteration that made the rows that the term reads; it is the same for all of them. */
function latest(name: string, counter: string, lowering: Lowering) {
  const [inner, alias] = [lowering.newAlias(), lowering.newAlias()];
  const self = { kind: 'table', path: [name], alias: inner } as const;
  const last = d.call('max', d.column(inner, counter));
  const query = d.selectFrom([{ name: counter, value: last }], self);
  return { from: { kind: 'derived', query, alias } as const, count: d.column(alias, counter) };
}

/** The number of the next iteration. Each new row computes it, so the limit fails only an iteration that has rows. */
function nextCount(count: d.DuckExpression): d.DuckExpression {
  const message = `A recursive CTE has reached the maximum number of iterations: ${maxIterations}. Its recursive term must come to return no rows`;
  const next = d.infix('+', count, d.integer(1));
  return d.choose(
    d.infix('<', count, d.integer(maxIterations)),
    next,
    d.macro('fail_int64', d.text(message)),
  );
}

/**
 * Wraps a CTE that is defined with a recursive one in a SELECT: the engine would treat any UNION there as a
 * recursion, and refuse its ORDER BY.
 */
export function besideRecursion(
  { columns }: bound.Query,
  query: d.DuckQuery,
  lowering: Lowering,
): d.DuckQuery {
  if (query.body.kind === 'select') return query;
  const alias = lowering.newAlias();
  const names = outputNames(columns);
  const from = { kind: 'derived', query, alias, columns: names } as const;
  return d.selectFrom(d.columnItems(alias, names), from);
}
