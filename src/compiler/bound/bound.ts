import type { SourceSchema } from '../../types/schema.js';
import { type ArrayType, holdsArray, type StructType, type Type } from '../../types/types.js';
import type { JoinType } from '../syntax/names.js';

/** A column of a query or a table; its `id` is unique in the statement. */
export interface Column {
  readonly id: number;
  /** Empty if it has no name. */
  readonly name: string;
  readonly type: Type;
  /** True for an unchanged field of a log source. */
  readonly isLogField: boolean;
  /** Set for a declared column of a log source that no file has: `*` omits it. */
  readonly isAbsent?: true;
  /** Set for a column of a log source that only log files have: a whole row as a value omits it if it is NULL. */
  readonly undeclared?: true;
  /** A column that is NULL in the rows that an outer join filled with NULLs; undefined if there are no such rows. */
  readonly nullWith?: Column;
}

/**
 * A resolved query: GoogleSQL in which every name refers to a column, and every expression has a type.
 */
export interface Query {
  readonly kind: 'query';
  readonly ctes: readonly Cte[];
  readonly body: Select | SetOperation | Query;
  readonly orderBy: readonly Order[];
  readonly limit?: Expression;
  readonly offset?: Expression;
  /**
   * Set if LIMIT also keeps rows whose keys all equal those of a kept row, and the result needs no order. `time` if the
   * only key is the time of records, which is never NULL.
   */
  readonly withTies?: 'time' | 'any';
  readonly columns: readonly Column[];
  /** True for a value table, whose rows are the values of its one column. */
  readonly isValue: boolean;
  /** Offset of the query in its text. */
  readonly at: number;
}

/** One CTE of WITH. */
export interface Cte {
  /** Unique in the statement, unlike the name. */
  readonly id: number;
  readonly name: string;
  readonly query: Query;
  /** Set for a recursive CTE inside its recursive term; `query` is then its base term. */
  readonly isSelf?: true;
}

/** A set operation over operands with the same column types. */
export interface SetOperation {
  readonly kind: 'set-operation';
  readonly operator: 'UNION' | 'INTERSECT' | 'EXCEPT';
  readonly distinct: boolean;
  readonly operands: readonly Query[];
  readonly columns: readonly Column[];
  /**
   * The id of the recursive CTE whose body this is. The operands are the base term, which runs once, and the
   * recursive term, which runs repeatedly and reads the rows of the previous run as `self`.
   */
  readonly recursion?: number;
}

/** An expression and the column that it becomes. */
export interface Item {
  readonly column: Column;
  readonly value: Expression;
}

/** A SELECT block. */
export interface Select {
  readonly kind: 'select';
  readonly distinct: boolean;
  readonly items: readonly Item[];
  readonly from: From;
  readonly where?: Expression;
  /** Set if the block groups: items, HAVING and QUALIFY then read only keys and aggregates. */
  readonly grouping?: Grouping;
  readonly having?: Expression;
  readonly qualify?: Expression;
  readonly columns: readonly Column[];
  readonly isValue: boolean;
}

/** The GROUP BY of a block, or its aggregation without GROUP BY. */
export interface Grouping {
  readonly keys: readonly Item[];
  /** The grouping sets, as indexes of keys; undefined for a single set of all keys. */
  readonly sets?: readonly (readonly number[])[];
  readonly aggregates: readonly Item[];
}

/** A key of ORDER BY: an output column, or an expression over the columns that the SELECT list can read. */
export interface Order {
  readonly value: Expression;
  readonly descending: boolean;
  readonly nulls?: 'FIRST' | 'LAST';
  /** Set for a key that the compiler added: it orders the rows that are equal in all keys before it. */
  readonly isTieBreaker?: true;
}

/** The rows that a block reads; `none` is a single row without columns. */
export type From =
  | { readonly kind: 'none' }
  | { readonly kind: 'source'; readonly source: SourceSchema; readonly columns: readonly Column[] }
  | Read
  | Self
  | Table
  | { readonly kind: 'derived'; readonly query: Query; readonly columns: readonly Column[] }
  | Unnest
  | Join;

/** A read of a CTE. */
export interface Read {
  readonly kind: 'cte';
  readonly cte: Cte;
  readonly columns: readonly Column[];
}

/** A read of a recursive CTE in its recursive term; it refers to the CTE by id, so that the tree has no cycle. */
export interface Self {
  readonly kind: 'self';
  readonly id: number;
  readonly name: string;
  /** The columns of the CTE itself. */
  readonly own: readonly Column[];
  readonly columns: readonly Column[];
}

/** A read of a temporary table that an earlier step of the plan has filled. */
export interface Table {
  readonly kind: 'table';
  readonly table: string;
  readonly columns: readonly Column[];
}

/** One row for each element of an array, joined to the row of `left`, which the array may refer to. */
export interface Unnest {
  readonly kind: 'unnest';
  readonly join: 'CROSS' | 'LEFT';
  readonly left: From;
  readonly array: Expression;
  readonly element: Column;
  readonly offset?: Column;
  readonly on?: Expression;
  /** The columns that USING merges. */
  readonly merged: readonly Item[];
}

/** A join; `on` is absent for a cross join. */
export interface Join {
  readonly kind: 'join';
  readonly join: JoinType;
  readonly left: From;
  readonly right: From;
  readonly on?: Expression;
  /** The columns that USING merges. */
  readonly merged: readonly Item[];
  /** Columns that are TRUE in the rows of a side, and NULL in the rows for which the side has no match. */
  readonly present?: { readonly left?: Column; readonly right?: Column };
}

/** The function of a call; the table of functions contains its definition, by name. */
export interface CalledFunction {
  /** In lower case; the names of operators begin with `$`. */
  readonly name: string;
  /** False if two calls with the same arguments may return different values. */
  readonly isStable: boolean;
}

/** A call of a function or an operator. */
export interface Call {
  readonly kind: 'call';
  readonly function: CalledFunction;
  readonly args: readonly Expression[];
  readonly type: Type;
  /** Called as `SAFE.f(…)`, which returns NULL instead of an error. */
  readonly safe: boolean;
  readonly clauses?: Clauses;
  /** Offset of the call in its text. */
  readonly at: number;
}

/** The clauses of a call: the clauses in its brackets, after the arguments, and OVER. */
export interface Clauses {
  readonly distinct: boolean;
  readonly ignoreNulls: boolean;
  readonly respectNulls: boolean;
  readonly orderBy: readonly Order[];
  readonly limit?: Expression;
  readonly having?: { readonly kind: 'MAX' | 'MIN'; readonly value: Expression };
  readonly over?: Window;
}

/** The clauses of a call that has none. */
export const noClauses = {
  distinct: false,
  ignoreNulls: false,
  respectNulls: false,
  orderBy: [],
} as const satisfies Clauses;

/** The window of OVER. */
export interface Window {
  readonly partitionBy: readonly Expression[];
  readonly orderBy: readonly Order[];
  readonly frame?: {
    readonly unit: 'ROWS' | 'RANGE';
    readonly start: FrameBound;
    readonly end: FrameBound;
  };
}

/** One end of a window frame; without an offset, it is unbounded or the current row. */
export interface FrameBound {
  readonly kind: 'PRECEDING' | 'FOLLOWING' | 'CURRENT ROW';
  readonly offset?: Expression;
}

/**
 * The limits that the parameters of a type set: a length, a precision and a scale, or the limits of the
 * element or the fields.
 */
export type TypeLimits =
  | { readonly kind: 'length'; readonly length: number }
  | { readonly kind: 'decimal'; readonly precision: number; readonly scale: number }
  | { readonly kind: 'element'; readonly element: TypeLimits }
  | { readonly kind: 'fields'; readonly fields: readonly (TypeLimits | undefined)[] };

/** An expression and its type. */
export type Expression =
  | Field
  | Call
  | Readonly<
      { type: Type } & (
        | { kind: 'column'; column: Column }
        | { kind: 'literal'; value: string | null }
        | { kind: 'parameter'; name: string }
        /** A date part: `DAY`, `WEEK(MONDAY)`. */
        | { kind: 'part'; part: string; at: number }
        /** A value converted from its stored layout: arrays to lists, structs to their stored fields. */
        | {
            kind: 'plain';
            of: Expression;
            /** If this value is NULL, the array is NULL, too, instead of empty. */
            owner?: Expression;
            /** Set if only the array is converted, and its elements stay as they are stored. */
            keepsElements?: true;
          }
        /** The first element of a repeated record in its stored layout; NULL if there is none. */
        | { kind: 'only'; of: Expression }
        /** A value written in place of a column or a branch. Functions that require a literal do not accept it. */
        | { kind: 'inlined'; of: Expression }
        | {
            kind: 'cast';
            of: Expression;
            safe: boolean;
            /** The limits that the type's parameters set. */
            limits?: TypeLimits;
          }
        | { kind: 'is-null'; of: Expression }
        | {
            kind: 'case';
            /** `CASE operand WHEN value`: the values are compared with it. */
            operand?: Expression;
            whens: readonly {
              readonly when: Expression;
              readonly result: Expression;
            }[];
            otherwise: Expression;
          }
        | {
            kind: 'array';
            /** Set for `[]`, which can have any array type. */
            isUntyped?: true;
            elements: readonly Expression[];
            type: ArrayType;
          }
        | { kind: 'struct'; values: readonly Expression[]; type: StructType }
        | {
            kind: 'subquery';
            form: 'SCALAR' | 'ARRAY' | 'EXISTS' | 'IN';
            /** The value that IN searches for. */
            operand?: Expression;
            query: Query;
          }
      )
    >;

/** The expressions of a kind. */
export type ExpressionOf<K> = Expression & { readonly kind: K };

/** A field of a struct; `name` is its name in the engine, `stored` is as in the type's field. */
export interface Field {
  readonly kind: 'field';
  readonly of: Expression;
  readonly name: string;
  readonly stored: boolean;
  readonly type: Type;
}

/** A column as an expression. */
export function columnValue(column: Column): Expression {
  return { kind: 'column', column, type: column.type };
}

/**
 * Whether an expression is an unchanged field of a log source, one of its records, or a record whose arrays all are such
 * fields.
 */
export function isLogField(expression: Expression): boolean {
  if (expression.kind === 'column') return expression.column.isLogField;
  if (expression.kind === 'struct') {
    const arrays = expression.values.filter(({ type }) => holdsArray(type));
    return arrays.length > 0 && arrays.every(isLogField);
  }
  // Only logs have fields that are not stored.
  if (expression.kind === 'field' && !expression.stored) return true;
  if (expression.kind === 'call') return isStoredElement(expression);
  return (expression.kind === 'field' || expression.kind === 'only') && isLogField(expression.of);
}

/** Whether a call returns a record of a log's array in its stored layout. */
function isStoredElement({ args: [array], type }: Call): boolean {
  if (array?.kind !== 'plain' || array.keepsElements === undefined) return false;
  return array.type.kind === 'ARRAY' && array.type.element === type && isLogField(array.of);
}

/** Whether an expression is a column or a field of one. */
export function isPath(node: Expression): boolean {
  return node.kind === 'column' || (node.kind === 'field' && isPath(node.of));
}

/** The query with another SELECT block, whose items become its columns. */
export function withItems(query: Query, body: Select): Query {
  const columns = body.items.map(({ column }) => column);
  return { ...query, columns, body: { ...body, columns } };
}

/** The record with other values. */
export function withValues(
  record: ExpressionOf<'struct'>,
  values: readonly Expression[],
): ExpressionOf<'struct'> {
  const fields = record.type.fields.map((field, at) => {
    return { ...field, type: values[at]?.type ?? field.type };
  });
  return { ...record, values, type: { ...record.type, fields } };
}

/** A query of a body, without ORDER BY. */
export function bareQuery(body: Query['body'], isValue: boolean, at: number): Query {
  return { kind: 'query', ctes: [], body, orderBy: [], columns: body.columns, isValue, at };
}

/** A query whose body is one SELECT block. */
export type SelectQuery = Query & { readonly body: Select };

/** A query that selects these items, with the given other clauses. */
export function selectQuery(
  items: readonly Item[],
  from: From,
  { at = 0, ...more }: Pick<Select, 'where' | 'grouping'> & { readonly at?: number } = {},
): SelectQuery {
  const columns = items.map(({ column }) => column);
  const select = { kind: 'select', distinct: false, items, from, columns, isValue: false } as const;
  const body = { ...select, ...more };
  return { kind: 'query', ctes: [], body, orderBy: [], columns, isValue: false, at };
}

/**
 * Wraps the body of a query in a subquery and selects these items from it; ORDER BY and LIMIT stay
 * outside. `select … union all select … order by 1` -> `select <items> from (select … union all
 * select …) order by 1`
 */
export function overRows(query: Query, items: readonly Item[]): Query {
  const rows = bareQuery(query.body, query.isValue, query.at);
  const from = { kind: 'derived', query: rows, columns: rows.columns } as const;
  const { body: select, columns } = selectQuery(items, from);
  return { ...query, body: select, columns, isValue: false };
}
