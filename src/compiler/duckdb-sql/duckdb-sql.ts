/** A SELECT statement of DuckDB, or a query inside one. */
export interface DuckQuery {
  readonly kind: 'query';
  readonly ctes: readonly DuckCte[];
  readonly body: DuckSelect | DuckSetOperation | DuckQuery;
  readonly orderBy: readonly DuckOrder[];
  readonly limit?: DuckExpression;
  readonly offset?: DuckExpression;
}

/** A query of WITH. */
export interface DuckCte {
  readonly name: string;
  readonly query: DuckQuery;
  /**
   * `inline`: computed at each read. `stored`: computed once, before the first read. `automatic`: as DuckDB decides.
   * `recursive`: a UNION ALL whose last operand reads the CTE itself; it runs completely before it is read, even if few
   * of its rows are needed.
   */
  readonly evaluation: 'inline' | 'automatic' | 'stored' | 'recursive';
}

/** UNION, INTERSECT or EXCEPT. */
export interface DuckSetOperation {
  readonly kind: 'set-operation';
  readonly operator: 'UNION' | 'INTERSECT' | 'EXCEPT';
  readonly distinct: boolean;
  readonly operands: readonly DuckQuery[];
}

/** A SELECT block. */
export interface DuckSelect {
  readonly kind: 'select';
  readonly distinct: boolean;
  readonly items: readonly DuckItem[];
  readonly from?: DuckFrom;
  /** Conditions, all of which must hold. */
  readonly where: readonly DuckExpression[];
  /** The number of items, from the first, that are keys; undefined if the block does not group. */
  readonly groupKeys?: number;
  /** The grouping sets, as indexes of keys; undefined for a single set of all keys. */
  readonly groupSets?: readonly (readonly number[])[];
  readonly qualify?: DuckExpression;
}

/** An item of a SELECT list, or a field of a struct. */
export interface DuckItem {
  readonly name: string;
  readonly value: DuckExpression;
}

/** A key of ORDER BY. */
export interface DuckOrder {
  /** An expression, or the position of an output column, from 1. */
  readonly value: DuckExpression | number;
  readonly descending: boolean;
  readonly nulls?: 'FIRST' | 'LAST';
}

/** An item of FROM. A path of one name is a CTE. */
export type DuckFrom = Readonly<
  | { kind: 'table'; path: readonly string[]; alias: string }
  | {
      kind: 'derived';
      query: DuckQuery;
      alias: string;
      /** New names for its columns; by default they keep their own. */
      columns?: readonly string[];
    }
  | {
      kind: 'join';
      join: 'CROSS' | 'INNER' | 'LEFT' | 'RIGHT' | 'FULL';
      left: DuckFrom;
      right: DuckFrom;
      on?: DuckExpression;
    }
>;

/** A call, with the clauses of aggregates and window functions. */
export interface DuckCall {
  readonly kind: 'call';
  readonly path: readonly string[];
  readonly args: readonly DuckExpression[];
  readonly distinct?: boolean;
  readonly orderBy?: readonly DuckOrder[];
  readonly ignoreNulls?: boolean;
  readonly filter?: DuckExpression;
  readonly over?: DuckWindow;
}

/** The window of OVER. */
export interface DuckWindow {
  readonly partitionBy: readonly DuckExpression[];
  readonly orderBy: readonly DuckOrder[];
  readonly frame?: DuckFrame;
}

/** The frame of a window. */
export interface DuckFrame {
  readonly unit: 'ROWS' | 'RANGE';
  readonly start: DuckBound;
  readonly end: DuckBound;
}

/** A bound of a frame. */
export interface DuckBound {
  readonly kind: 'PRECEDING' | 'FOLLOWING' | 'CURRENT ROW';
  /** Undefined if the bound is unbounded or the current row. */
  readonly offset?: DuckExpression;
}

/** An expression of DuckDB's SQL. */
export type DuckExpression =
  | DuckCall
  | Readonly<
      | { kind: 'column'; table: string; name: string }
      /** A variable: a parameter of a lambda. */
      | { kind: 'name'; name: string }
      | { kind: 'field'; of: DuckExpression; name: string }
      | { kind: 'text'; value: string }
      /** Digits with a sign, a point or an exponent, and nothing else. */
      | { kind: 'number'; digits: string }
      | { kind: 'word'; word: 'NULL' | 'TRUE' | 'FALSE' | '*' }
      | { kind: 'parameter'; name: string }
      | { kind: 'infix'; operator: string; operands: readonly DuckExpression[] }
      | { kind: 'prefix'; operator: 'NOT' | '-' | '~'; operand: DuckExpression }
      | { kind: 'is-null'; of: DuckExpression; not: boolean }
      | { kind: 'cast'; of: DuckExpression; type: string; safe: boolean }
      | {
          kind: 'case';
          operand?: DuckExpression;
          whens: readonly { readonly when: DuckExpression; readonly result: DuckExpression }[];
          otherwise?: DuckExpression;
        }
      | { kind: 'list'; elements: readonly DuckExpression[] }
      | { kind: 'struct'; fields: readonly DuckItem[] }
      | { kind: 'lambda'; parameters: readonly string[]; body: DuckExpression }
      | { kind: 'in'; operand: DuckExpression; values: readonly DuckExpression[] }
      | {
          kind: 'subquery';
          form: 'SCALAR' | 'ARRAY' | 'EXISTS' | 'IN';
          operand?: DuckExpression;
          query: DuckQuery;
        }
    >;

/** A node of the tree. Parts without a kind, such as items and sort keys, are not nodes. */
export type DuckNode = DuckQuery['body'] | DuckFrom | DuckBound | DuckExpression;

/** The engine's schema of temporary tables, which hold gathered rows. */
export const temporarySchema = 'temp';

/** `NULL`. */
export const nullValue: DuckExpression = { kind: 'word', word: 'NULL' };

/** `TRUE`. */
export const trueValue: DuckExpression = { kind: 'word', word: 'TRUE' };

/** `FALSE`. */
export const falseValue: DuckExpression = { kind: 'word', word: 'FALSE' };

/** `count(*)` */
export const countOfRows: DuckCall = {
  kind: 'call',
  path: ['count'],
  args: [{ kind: 'word', word: '*' }],
};

/** A string literal. */
export function text(value: string): DuckExpression {
  return { kind: 'text', value };
}

/** An integer literal. */
export function integer(value: number): DuckExpression {
  return { kind: 'number', digits: String(value) };
}

/** A column of a table. */
export function column(table: string, name: string): DuckExpression {
  return { kind: 'column', table, name };
}

/** A variable: a parameter of a lambda. */
export function variable(name: string): DuckExpression {
  return { kind: 'name', name };
}

/** The columns of a table with these names, as items. */
export function columnItems(table: string, names: readonly string[]): readonly DuckItem[] {
  return names.map((name) => ({ name, value: column(table, name) }));
}

/** The items of a SELECT list; `1` if there are none. */
export function itemsOrOne(items: readonly DuckItem[]): readonly DuckItem[] {
  return items.length > 0 ? items : [{ name: 'one', value: integer(1) }];
}

/** `SELECT items FROM from`, with other clauses. */
export function selectFrom(
  items: readonly DuckItem[],
  from?: DuckFrom,
  more: Partial<DuckSelect> = {},
): QueryOfBlock {
  const shown = itemsOrOne(items);
  const select = { kind: 'select', distinct: false, items: shown, where: [] } as const;
  return bareQuery({ ...select, ...(from && { from }), ...more });
}

/** `a UNION ALL b` */
export function unionAll(operands: readonly DuckQuery[]): DuckSetOperation {
  return { kind: 'set-operation', operator: 'UNION', distinct: false, operands };
}

/** A query of a body, without ORDER BY. */
export function bareQuery<T extends DuckQuery['body']>(body: T): DuckQuery & { readonly body: T } {
  return { kind: 'query', ctes: [], body, orderBy: [] };
}

/** A query whose body is a SELECT block. */
export type QueryOfBlock = DuckQuery & { readonly body: DuckSelect };

/** Whether the body of a query is a SELECT block. */
export function isQueryOfBlock(query: DuckQuery): query is QueryOfBlock {
  return query.body.kind === 'select';
}

/** Whether a node is a call of a window function. */
export function isWindow(node: DuckNode): boolean {
  return node.kind === 'call' && node.over !== undefined;
}

/** Whether a value is UNNEST, which adds rows in a SELECT list even if its item is not read. */
export function makesRows(value: DuckExpression): boolean {
  return value.kind === 'call' && value.path[0] === 'unnest';
}

/** Whether the query's own LIMIT is a number that is at most `rows`. */
export function isLimitedTo({ limit }: DuckQuery, rows: number): boolean {
  return limit?.kind === 'number' && Number(limit.digits) <= rows;
}

/** A call of a DuckDB function. */
export function call(name: string, ...args: readonly DuckExpression[]): DuckCall {
  return { kind: 'call', path: [name], args };
}

/** A call of a macro of `sql/bigquery`. */
export function macro(name: string, ...args: readonly DuckExpression[]): DuckCall {
  return { kind: 'call', path: ['bq', name], args };
}

/**
 * Joins operands with an operator; returns a single operand unchanged. Many `||` become a balanced tree, because
 * DuckDB's planner fails on deep nesting.
 */
export function infix(operator: string, ...operands: readonly DuckExpression[]): DuckExpression {
  const [only] = operands;
  if (only !== undefined && operands.length === 1) return only;
  if (operator !== '||' || operands.length <= 4) return { kind: 'infix', operator, operands };
  const middle = operands.length >> 1;
  const halves = [operands.slice(0, middle), operands.slice(middle)];
  return { kind: 'infix', operator, operands: halves.map((half) => infix(operator, ...half)) };
}

/** `of IS NULL`; FALSE for a record that is written out. */
export function isNull(of: DuckExpression): DuckExpression {
  return of.kind === 'struct' ? falseValue : { kind: 'is-null', of, not: false };
}

/** `of IS NOT NULL`; TRUE for a record that is written out. */
export function isNotNull(of: DuckExpression): DuckExpression {
  return of.kind === 'struct' ? trueValue : { kind: 'is-null', of, not: true };
}

/** `of.name`; the value of the field if the record is written out. */
export function fieldValue(of: DuckExpression, name: string): DuckExpression {
  const own = of.kind === 'struct' ? of.fields.find((field) => field.name === name) : undefined;
  return own?.value ?? { kind: 'field', of, name };
}

/** `CAST(of AS type)`. */
export function castTo(of: DuckExpression, type: string): DuckExpression {
  return { kind: 'cast', of, type, safe: false };
}

/** `CASE WHEN when THEN result ELSE otherwise END`; `otherwise` if the condition is FALSE. */
export function choose(
  when: DuckExpression,
  result: DuckExpression,
  otherwise: DuckExpression = nullValue,
): DuckExpression {
  return when === falseValue ? otherwise : { kind: 'case', whens: [{ when, result }], otherwise };
}

/** The value that a sort key orders by. */
export function keyValue({ value }: DuckOrder, items: readonly DuckItem[]): DuckExpression {
  return typeof value === 'number' ? (items[value - 1]?.value ?? nullValue) : value;
}

/** Whether a sort key is a constant, which DuckDB refuses or reads as the position of a column. */
export function isConstantKey(value: DuckOrder['value']): boolean {
  return typeof value === 'object' && ['text', 'number', 'word'].includes(value.kind);
}
