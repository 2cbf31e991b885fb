import type * as bound from '../../compiler/bound/bound.js';
import { mapExpression } from '../../compiler/bound/map-expression.js';
import { hasWindow, isUnstable, someExpression } from '../../compiler/bound/search.js';
import { conjuncts } from '../../compiler/rewrite/conditions.js';
import type { KnownTime } from '../../types/time-window.js';
import { knownTime, timeColumn } from './known-time.js';

interface Found {
  /** Whether every read of a table has a start. */
  isBounded: boolean;
  visits: number;
  /** For each read, the starts that are known before the statement runs; the latest counts. */
  readonly starts: (readonly KnownTime[])[];
}

/**
 * Finds the starts of a statement's reads: conditions that compare the time of a table with a constant, in the query that
 * reads the table or in an outer query to which the time passes unchanged. They let BigQuery skip the partitions before them.
 */
export function findTimeStarts(statement: bound.Query): Omit<Found, 'visits'> {
  const found: Found = { isBounded: true, visits: 0, starts: [] };
  visitQuery(statement, { found, starts: noStarts });
  const { isBounded, starts } = found;
  return { isBounded, starts };
}

/** The constants that columns are compared with. */
type Starts = ReadonlyMap<number, readonly bound.Expression[]>;

const noStarts: Starts = new Map();

/** The starts known outside a query. ON has no subqueries over tables: they are refused. */
interface Around {
  readonly found: Found;
  /** For a query, by the index of the output column; for an item of FROM, by the id of the column. */
  readonly starts: Starts;
}

/**
 * The maximum number of visits: a CTE is visited at each read, so a chain of CTEs that read each other twice is
 * exponential.
 */
const maxVisits = 1000;

function visitQuery(query: bound.Query, { found, starts }: Around): void {
  const { body, limit, offset, orderBy } = query;
  found.visits += 1;
  if (found.visits > maxVisits) found.isBounded = false;
  if (found.visits > maxVisits) return;
  const around = { found, starts: limit === undefined && offset === undefined ? starts : noStarts };
  for (const { value } of orderBy) visitSubqueries(value, found);
  if (body.kind === 'select') visitSelect(body, around);
  else if (body.kind === 'query') visitQuery(body, around);
  else {
    // A condition on the rows of a recursive CTE need not hold for the rows that they are computed from.
    const under = body.recursion === undefined ? around : { found, starts: noStarts };
    for (const operand of body.operands) visitQuery(operand, under);
  }
}

function visitSelect(select: bound.Select, { found, starts: outside }: Around): void {
  const { items, grouping, where, having, qualify } = select;
  const isRowWise =
    grouping === undefined && qualify === undefined && !items.some(({ value }) => hasWindow(value));
  const shown = items.flatMap(({ value }, index): readonly ColumnStart[] => {
    const starts = isRowWise && value.kind === 'column' ? (outside.get(index) ?? []) : [];
    return value.kind === 'column' ? starts.map((start) => ({ id: value.column.id, start })) : [];
  });
  const grouped = [...(grouping?.keys ?? []), ...(grouping?.aggregates ?? [])];
  const values = [...items, ...grouped].map(({ value }) => value);
  for (const value of [...values, where, having, qualify]) visitSubqueries(value, found);
  visitFrom(select.from, { found, starts: withStarts(new Map(), [...shown, ...startsIn(where)]) });
}

function visitFrom(from: bound.From, { found, starts }: Around): void {
  const under = (on: bound.Expression | undefined, keepsAll: boolean): Around => ({
    found,
    starts: keepsAll ? starts : withStarts(starts, startsIn(on)),
  });
  switch (from.kind) {
    case 'source':
      noteRead(starts.get(timeColumn(from)?.id ?? -1) ?? [], found);
      break;
    case 'cte':
    case 'derived': {
      const byIndex = from.columns.map(({ id }, index) => [index, starts.get(id) ?? []] as const);
      const inner = from.kind === 'cte' ? from.cte.query : from.query;
      visitQuery(inner, { found, starts: new Map(byIndex) });
      break;
    }
    case 'unnest':
      visitSubqueries(from.array, found);
      visitFrom(from.left, under(from.on, from.join === 'LEFT'));
      break;
    case 'join':
      visitFrom(from.left, under(from.on, ['LEFT', 'FULL'].includes(from.join)));
      visitFrom(from.right, under(from.on, ['RIGHT', 'FULL'].includes(from.join)));
      break;
    default:
  }
}

function noteRead(starts: readonly bound.Expression[], found: Found): void {
  found.isBounded &&= starts.length > 0;
  if (starts.length > 0) found.starts.push(starts.flatMap((start) => knownTime(start) ?? []));
}

function withStarts(before: Starts, more: readonly ColumnStart[]): Starts {
  const starts = new Map(before);
  for (const { id, start } of more) starts.set(id, [...(starts.get(id) ?? []), start]);
  return starts;
}

/** A column, by its id, and the constant that it is compared with. */
interface ColumnStart {
  readonly id: number;
  readonly start: bound.Expression;
}

function startsIn(condition: bound.Expression | undefined): readonly ColumnStart[] {
  return conjuncts(condition).flatMap(conditionStarts);
}

function visitSubqueries(value: bound.Expression | undefined, found: Found): void {
  if (value === undefined) return;
  mapExpression(value, (node) => {
    if (node.kind !== 'subquery') return undefined;
    visitSubqueries(node.operand, found);
    visitQuery(node.query, { found, starts: noStarts });
    return node;
  });
}

/**
 * The start in `column > constant`, also with swapped sides, or in BETWEEN; the column may be truncated or cast to a
 * date.
 */
function conditionStarts(condition: bound.Expression): readonly ColumnStart[] {
  if (condition.kind !== 'call') return [];
  const [first, second] = condition.args;
  if (first === undefined || second === undefined) return [];
  const sides = { first: [first, second], second: [second, first] } as const;
  return (timeSides[condition.function.name] ?? []).flatMap((side) => {
    const [time, start] = sides[side];
    const column = truncatedColumn(time);
    return column?.kind === 'column' && isConstant(start) ? [{ id: column.column.id, start }] : [];
  });
}

/** The arguments of each comparison that may be the time, with the other argument as its start. */
const timeSides: Readonly<Record<string, readonly ('first' | 'second')[]>> = {
  '$<': ['second'],
  '$<=': ['second'],
  '$=': ['first', 'second'],
  '$>': ['first'],
  '$>=': ['first'],
  $BETWEEN: ['first'],
};

/**
 * The column in a function whose result is not later than the column, and for which BigQuery also skips partitions.
 * @see https://cloud.google.com/bigquery/docs/querying-partitioned-tables#isolate_the_partitioning_column_or_use_supported_functions
 */
function truncatedColumn(time: bound.Expression): bound.Expression | undefined {
  if (time.kind === 'cast') return time.type.kind === 'DATE' ? time.of : undefined;
  if (time.kind !== 'call') return time;
  return time.args.length === truncations[time.function.name] ? time.args[0] : undefined;
}

/** The functions that truncate a time, with their number of arguments without a time zone. */
const truncations: Readonly<Record<string, number>> = {
  $extract_date: 1,
  date: 1,
  timestamp_trunc: 2,
};

function isConstant(value: bound.Expression): boolean {
  return !someExpression(
    value,
    (node) => node.kind === 'column' || node.kind === 'subquery' || isUnstable(node),
  );
}
