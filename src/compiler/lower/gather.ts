import { scalar, storedNames, structOf, type Type } from '../../types/type.js';
import {
  type BoundCte,
  type BoundExpression,
  type BoundQuery,
  type BoundRead,
  type BoundSelect,
  columnValue,
} from '../bound/bound.js';
import { mapExpression } from '../bound/map-expression.js';
import {
  type DuckItem,
  type DuckOrder,
  type DuckQuery,
  type DuckSelect,
  duckNull,
  integer,
} from '../duckdb-sql/duckdb-sql.js';
import { type GatheredColumn, partOf } from '../duckdb-sql/passes/narrow.js';
import { redactColumns } from '../duckdb-sql/passes/redact.js';
import { holdsText } from '../duckdb-sql/redact-value.js';
import { callByName } from '../functions/match-call.js';
import { lower } from './lower.js';
import type { Gathering, GatherOptions } from './table-step.js';

/**
 * The SELECT that gathers rows of an endpoint's CTE: as it is stored, with the columns that are
 * needed of it and what {@link withWindows} has noted on its reads.
 */
export function gather(
  { cte, reads }: Gathering,
  columns: readonly GatheredColumn[],
  options: GatherOptions,
): DuckQuery {
  const [read, ...others] = reads;
  if (read === undefined) throw new Error(`nothing reads ${cte.name}`);
  const window = windowOf(read, others);
  const query = rowsOf(cte, { columns: read.columns, window }, options);
  const { body } = query;
  const selected = { ...query, body: { ...body, items: itemsOf(body, columns) } };
  const top = others.length === 0 ? read.top : undefined;
  const rows = top === undefined ? selected : { ...selected, ...firstOf(query, read, top) };
  return options.redact ? redactGathered(rows, read, columns) : rows;
}

/** ORDER BY and LIMIT of the newest rows. */
function firstOf({ body }: DuckBlock, read: BoundRead, top: NonNullable<BoundRead['top']>) {
  const key = body.items[placeOf(read, top.order.value)]?.value ?? duckNull;
  const order: DuckOrder = { ...top.order, value: key };
  return { orderBy: [order], limit: integer(top.rows) };
}

/** All columns of a CTE as one block. */
export function rowsOf(
  cte: BoundCte,
  {
    columns,
    window,
  }: Pick<BoundRead, 'columns'> & { readonly window?: BoundExpression | undefined },
  { stored, known, redact }: GatherOptions,
): DuckBlock {
  const { isGathered: _, ...own } = cte;
  const body: BoundSelect = {
    kind: 'select',
    distinct: false,
    items: columns.map((column) => ({ column, value: columnValue(column) })),
    from: { kind: 'cte', cte: own, columns },
    ...(window && { where: window }),
    columns,
    isValue: false,
  };
  const ctes = [...stored.filter(({ name }) => name !== cte.name), own];
  const query: BoundQuery = {
    ...{ kind: 'query', ctes, body, orderBy: [], columns, isValue: false, at: cte.query.at },
  };
  const lowered = lower(query, { maxRows: undefined, known, redact });
  if (!('kind' in lowered.body) || lowered.body.kind !== 'select')
    throw new Error('a gather is one block');
  // The order of the CTE is for the statement that reads it: what is gathered has none.
  return { ...lowered, orderBy: [], body: lowered.body };
}

/** A statement that is one block. */
export interface DuckBlock extends DuckQuery {
  readonly body: DuckSelect;
}

/** Rows that any of the reads may need: those in one of their windows. */
function windowOf(read: BoundRead, others: readonly BoundRead[]): BoundExpression | undefined {
  const windows = [read, ...others].map((each) => allOf(inColumnsOf(read, each)));
  const needed = windows.filter((window) => window !== undefined);
  if (needed.length < windows.length) return undefined;
  const [first, ...more] = needed;
  return more.length === 0 ? first : callByName('$OR', needed, 0);
}

function allOf(conditions: readonly BoundExpression[]): BoundExpression | undefined {
  const [first, ...more] = conditions;
  return more.length === 0 ? first : callByName('$AND', conditions, 0);
}

/** The window of another read, over the columns of the first. */
function inColumnsOf(read: BoundRead, other: BoundRead): readonly BoundExpression[] {
  const columns = new Map(other.columns.map(({ id }, place) => [id, read.columns[place]]));
  const replace = (node: BoundExpression) => {
    const column = node.kind === 'column' ? columns.get(node.column.id) : undefined;
    return column && columnValue(column);
  };
  return (other.window ?? []).map((condition) => mapExpression(condition, replace));
}

function placeOf(read: BoundRead, key: BoundExpression): number {
  return read.columns.findIndex(({ id }) => key.kind === 'column' && key.column.id === id);
}

/** The items that give these columns of a CTE's rows. */
export function itemsOf(body: DuckSelect, columns: readonly GatheredColumn[]): readonly DuckItem[] {
  const values = new Map(body.items.map(({ name, value }) => [name, value]));
  const items = columns.map((column): DuckItem => {
    const value = values.get(column.of);
    if (value === undefined) throw new Error(`no column ${column.of}`);
    return { name: column.name, value: partOf(value, column) };
  });
  return items.length > 0 ? items : [{ name: 'one', value: integer(1) }];
}

/** Gathered rows with the personal data in their texts redacted. */
export function redactGathered(
  rows: DuckQuery,
  read: Pick<BoundRead, 'columns'>,
  columns: readonly GatheredColumn[],
): DuckQuery {
  const typed = columns.map((column) => ({ name: column.name, type: typeOf(read, column) }));
  return typed.some(({ type }) => holdsText(type)) ? redactColumns(rows, typed) : rows;
}

/** The type of a gathered column. */
export function typeOf({ columns }: Pick<BoundRead, 'columns'>, column: GatheredColumn): Type {
  const place = storedNames(structOf(columns)).indexOf(column.of);
  const type = columns[place]?.type;
  if (type === undefined) throw new Error(`no column ${column.of}`);
  return column.isNull ? scalar('BOOL') : typeAt(type, column.path);
}

/** The type of the field of a record at a path of stored names. */
function typeAt(type: Type, [name, ...rest]: readonly string[]): Type {
  if (name === undefined) return type;
  const record = type.kind === 'ARRAY' && type.layout === 'struct' ? type.element : type;
  const fields = record.kind === 'STRUCT' ? record.fields : [];
  const place = record.kind === 'STRUCT' ? storedNames(record).indexOf(name) : -1;
  const field = fields[place];
  if (field === undefined) throw new Error(`no field ${name}`);
  return typeAt(field.type, rest);
}
