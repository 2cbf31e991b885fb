import type { Type } from '../source/schema.js';
import type { BoundCte, BoundExpression, BoundQuery, BoundRead, BoundSelect } from './bound.js';
import { mapExpression } from './bound-map.js';
import {
  type DuckItem,
  type DuckOrder,
  type DuckQuery,
  type DuckSelect,
  duckNull,
  integer,
} from './duck.js';
import { lower } from './lower-query.js';
import { callRow } from './match-call.js';
import { type GatheredColumn, partOf } from './narrow.js';
import { redactValue } from './redact.js';
import { columnValue } from './scope.js';
import type { Gathering, GatherOptions } from './table-step.js';
import { storedNames } from './type.js';

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
  const items = itemsOf(body, { read, columns, redact: options.redact });
  const top = others.length === 0 ? read.top : undefined;
  const selected = { ...query, body: { ...body, items } };
  if (top === undefined) return selected;
  const key = body.items[placeOf(read, top.order.value)]?.value ?? duckNull;
  const order: DuckOrder = { ...top.order, value: key };
  return { ...selected, orderBy: [order], limit: integer(top.rows) };
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
  return more.length === 0 ? first : callRow('$OR', needed, 0);
}

function allOf(conditions: readonly BoundExpression[]): BoundExpression | undefined {
  const [first, ...more] = conditions;
  return more.length === 0 ? first : callRow('$AND', conditions, 0);
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

interface Selecting {
  readonly read: Pick<BoundRead, 'columns'>;
  readonly columns: readonly GatheredColumn[];
  readonly redact: boolean;
}

/** The items that give these columns of a CTE's rows. */
export function itemsOf(
  body: DuckSelect,
  { read, columns, redact }: Selecting,
): readonly DuckItem[] {
  const places = new Map(body.items.map(({ name }, place) => [name, place]));
  const items = columns.map((column): DuckItem => {
    const place = places.get(column.of) ?? -1;
    const [item, type] = [body.items[place], read.columns[place]?.type];
    if (item === undefined || type === undefined) throw new Error(`no column ${column.of}`);
    const value = partOf(item.value, column);
    const isRedacted = redact && !column.isNull;
    return {
      name: column.name,
      value: isRedacted ? redactValue(value, typeAt(type, column.path)) : value,
    };
  });
  return items.length > 0 ? items : [{ name: 'one', value: integer(1) }];
}

/** The type of the field of a record at a path of stored names. */
export function typeAt(type: Type, [name, ...rest]: readonly string[]): Type {
  if (name === undefined) return type;
  const record = type.kind === 'ARRAY' && type.layout === 'struct' ? type.element : type;
  const fields = record.kind === 'STRUCT' ? record.fields : [];
  const place = record.kind === 'STRUCT' ? storedNames(record).indexOf(name) : -1;
  const field = fields[place];
  if (field === undefined) throw new Error(`no field ${name}`);
  return typeAt(field.type, rest);
}
