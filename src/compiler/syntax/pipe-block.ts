import { QueryFault } from '../../errors/query-fault.js';
import type {
  DerivedTable,
  Expression,
  FromItem,
  Identifier,
  Query,
  QueryBody,
  Select,
  SelectItem,
} from './tree.js';

/**
 * The query that the pipe operators so far make. While `select` is open, it is `SELECT * FROM …`, and an
 * operator can still add a clause to it; otherwise the next operator reads it as a subquery.
 */
export interface PipeBlock {
  readonly query: Query;
  /** The clauses that an operator may still add: its own block, LIMIT alone, or none. */
  readonly open: 'block' | 'limit' | 'none';
  /** `own`: ordered by its ORDER BY; `inherited`: ordered like its input, by columns that it may not have. */
  readonly order: 'none' | 'own' | 'inherited';
}

const everything = (at: number): SelectItem => ({ kind: 'star', except: [], replace: [], at });

/** `SELECT * FROM from`. */
export function blockFrom(from: FromItem, at: number): PipeBlock {
  const body: Select = {
    kind: 'select',
    distinct: false,
    items: [everything(at)],
    from,
    windows: [],
    at,
  };
  return { query: queryOf(body, at), open: 'block', order: 'none' };
}

/** A query whose operators come after it; only LIMIT may still be added to one that is `limit`. */
export function closedBlock(body: QueryBody, at: number): PipeBlock {
  return { query: queryOf(body, at), open: 'limit', order: 'none' };
}

export function queryOf(body: QueryBody, at: number): Query {
  return { kind: 'query', ctes: [], body, orderBy: [], at };
}

/** The open SELECT of a block; undefined if the block is closed. */
export function openSelect({ query, open }: PipeBlock): Select | undefined {
  return open === 'block' && query.body.kind === 'select' ? query.body : undefined;
}

/** The block as an item of FROM: a table alone stays as it is, anything else becomes a subquery. */
export function asInput(block: PipeBlock, alias?: Identifier): FromItem {
  const select = openSelect(block);
  const { query } = block;
  if (select?.from !== undefined && select.where === undefined && alias === undefined) {
    return select.from;
  }
  const { at } = query;
  return { kind: 'derived', query, ...(alias === undefined ? {} : { alias }), at };
}

/**
 * A new block over this one. `keepsOrder` is whether the operator keeps the order of its input.
 * @throws QueryFault for an order that the engine would lose
 */
export function nextBlock(
  block: PipeBlock,
  { at, keepsOrder, alias }: { at: number; keepsOrder: boolean; alias?: Identifier | undefined },
): PipeBlock {
  const { query, order } = block;
  const isLost = order === 'inherited' || query.orderBy.some(({ value }) => value.kind !== 'path');
  if (keepsOrder && order !== 'none' && isLost) {
    const message =
      'This operator would lose the order: put |> ORDER BY behind it, or order by a column';
    throw new QueryFault(message, at);
  }
  const input: DerivedTable = {
    kind: 'derived',
    query,
    ...(alias === undefined ? {} : { alias }),
    at,
  };
  const next = blockFrom(input, at);
  return keepsOrder && order !== 'none' ? { ...next, order: 'inherited' } : next;
}

/** The alias of the only table of an open block: a subquery of all of its columns can have the same one. */
export function onlyAlias(block: PipeBlock): Identifier | undefined {
  const from = openSelect(block)?.from;
  if (from?.kind === 'table') return from.alias ?? from.path.at(-1);
  return from?.kind === 'derived' || from?.kind === 'pivot' ? from.alias : undefined;
}

/** The conjunction of a block's condition and another one. */
export function and(where: Expression | undefined, condition: Expression): Expression {
  if (where === undefined) return condition;
  if (where.kind === 'logical' && where.operator === 'AND') {
    return { ...where, operands: [...where.operands, condition] };
  }
  return { kind: 'logical', operator: 'AND', operands: [where, condition], at: condition.at };
}

/** Whether a window function is called in an expression, outside of its subqueries. */
export function callsWindow(node: unknown): boolean {
  if (typeof node !== 'object' || node === null) return false;
  const { kind, over } = node as { readonly kind?: unknown; readonly over?: unknown };
  if (kind === 'query') return false;
  return over !== undefined || Object.values(node).some(callsWindow);
}
