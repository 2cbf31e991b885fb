import type * as bound from '../bound/bound.js';
import { comparedProject, type ReadSource } from './compared-project.js';
import { conjuncts } from './conditions.js';

/** A request for the newest records of one source, as an entire statement makes it. */
export interface NewestRowsQuery {
  readonly source: string;
  /** The records' project; absent if the statement reads all projects. */
  readonly project?: Constant;
  readonly bounds: readonly TimeBound[];
  /** The number of records; absent for all of them. */
  readonly limit?: number;
  /** The columns of the answer: their names, and the names of the source's columns that they show unchanged. */
  readonly columns: readonly { readonly name: string; readonly column: string }[];
}

/** A bound of the records' timestamp. */
export interface TimeBound {
  readonly operator: '>' | '>=' | '<' | '<=';
  readonly time: Constant;
}

/** A parameter, or a string; an instant has the notation of a literal. */
export type Constant = { readonly parameter: string } | { readonly text: string };

/**
 * Returns the request of a rewritten statement that only selects unchanged columns of one source's records, by their
 * project and time, newest first; undefined for any other statement.
 */
export function newestRowsQuery(statement: bound.Query): NewestRowsQuery | undefined {
  const read = onlyRead(statement);
  const [order, tie, ...others] = statement.orderBy;
  if (read === undefined || order === undefined) return undefined;
  // Rows of the same instant must be ordered by id; only the statement knows the columns that come after it.
  if (tie === undefined || !isColumn(tie.value, 'id', read) || tie.descending) return undefined;
  if (others.some(({ isTieBreaker }) => !isTieBreaker)) return undefined;
  // The source shifts its times: it does not show the stored ones.
  if (read.from.source.seenAsNow !== undefined) return undefined;
  const { value, descending, nulls = 'LAST' } = order;
  if (!descending || nulls !== 'LAST' || !isColumn(value, 'timestamp', read)) return undefined;
  const limit = literalLimit(statement);
  const filters = read.conditions.map((condition) => conditionFilter(condition, read));
  if (limit === 'other' || filters.includes(undefined)) return undefined;
  const [project, another] = filters.flatMap((filter) => filter?.project ?? []);
  if (another !== undefined) return undefined;
  const columns = statement.columns.map(({ name, id }) => ({
    name,
    column: read.columns.get(id) ?? '',
  }));
  return {
    source: read.from.source.name,
    ...(project && { project }),
    bounds: filters.flatMap((filter) => filter?.bounds ?? []),
    ...(limit !== undefined && { limit }),
    columns,
  };
}

/** Rows of a source that a query returns unchanged, except that it selects, filters and orders them. */
interface Read {
  readonly from: ReadSource;
  /** The source's column of each visible column, by id. */
  readonly columns: ReadonlyMap<number, string>;
  readonly conditions: readonly bound.Expression[];
}

function onlyRead({ body }: bound.Query): Read | undefined {
  if (body.kind !== 'select' || body.distinct || body.isValue) return undefined;
  const { grouping, having, qualify, from, items, where } = body;
  if ([grouping, having, qualify].some((clause) => clause !== undefined)) return undefined;
  const read = readFrom(from);
  if (read === undefined) return undefined;
  const columns = new Map(read.columns);
  for (const { column, value } of items) {
    const stored = value.kind === 'column' ? read.columns.get(value.column.id) : undefined;
    if (stored === undefined) return undefined;
    columns.set(column.id, stored);
  }
  return { ...read, columns, conditions: [...read.conditions, ...conjuncts(where)] };
}

function readFrom(from: bound.From): Read | undefined {
  if (from.kind === 'source') {
    const columns = new Map(from.columns.map(({ id, name }) => [id, name]));
    return { from, columns, conditions: [] };
  }
  if (from.kind !== 'cte' && from.kind !== 'derived') return undefined;
  const query = from.kind === 'cte' ? from.cte.query : from.query;
  const read = (query.limit ?? query.offset) ? undefined : onlyRead(query);
  if (read === undefined) return undefined;
  const columns = new Map(read.columns);
  for (const [index, { id }] of from.columns.entries()) {
    columns.set(id, read.columns.get(query.columns[index]?.id ?? -1) ?? '');
  }
  return { ...read, columns };
}

function isColumn(value: bound.Expression, name: string, { columns }: Read): boolean {
  return value.kind === 'column' && columns.get(value.column.id) === name;
}

function literalLimit({ limit, offset }: bound.Query): number | undefined | 'other' {
  if (offset !== undefined) return 'other';
  if (limit === undefined) return undefined;
  return limit.kind === 'literal' && limit.value !== null ? Number(limit.value) : 'other';
}

function conditionFilter(condition: bound.Expression, read: Read) {
  const compared = comparedProject(condition, read.from);
  const project = compared && comparedConstant(compared);
  if (project !== undefined) return { project };
  const bounds = timeBounds(condition, read);
  return bounds && { bounds };
}

const mirrored = { '>': '<', '>=': '<=', '<': '>', '<=': '>=' } as const;

const operators: Readonly<Record<string, TimeBound['operator']>> = {
  '$>': '>',
  '$>=': '>=',
  '$<': '<',
  '$<=': '<=',
};

function timeBounds(condition: bound.Expression, read: Read): readonly TimeBound[] | undefined {
  if (condition.kind !== 'call') return undefined;
  const { function: called, args } = condition;
  const [first, ...others] = args.map((value) =>
    isColumn(value, 'timestamp', read) ? 'time' : comparedConstant(value),
  );
  if (called.name === '$BETWEEN' && first === 'time') {
    const [from, to] = others;
    if (!isConstant(from) || !isConstant(to)) return undefined;
    return [
      { operator: '>=', time: from },
      { operator: '<=', time: to },
    ];
  }
  const operator = operators[called.name];
  const [second] = others;
  if (operator === undefined) return undefined;
  if (first === 'time' && isConstant(second)) return [{ operator, time: second }];
  return second === 'time' && isConstant(first)
    ? [{ operator: mirrored[operator], time: first }]
    : undefined;
}

function isConstant(value: Constant | 'time' | undefined): value is Constant {
  return typeof value === 'object';
}

/** A constant that compares like its type: a STRING or a TIMESTAMP; undefined for any other value. */
function comparedConstant(value: bound.Expression): Constant | undefined {
  const { kind } = value.type;
  if (kind !== 'STRING' && kind !== 'TIMESTAMP') return undefined;
  if (value.kind === 'inlined') return comparedConstant(value.of);
  if (value.kind === 'parameter') return { parameter: value.name };
  return value.kind === 'literal' && value.value !== null ? { text: value.value } : undefined;
}
