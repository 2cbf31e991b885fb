import type { Expression, WindowSpec } from './tree-expression.js';

/** What the parser makes of a text; `at` is a node's offset in it. */
export interface Identifier {
  readonly name: string;
  readonly quoted: boolean;
  readonly at: number;
}

export interface Query {
  readonly kind: 'query';
  readonly ctes: readonly Cte[];
  readonly body: QueryBody;
  readonly orderBy: readonly OrderItem[];
  readonly limit?: Expression;
  readonly offset?: Expression;
  readonly at: number;
}

export interface Cte {
  readonly name: Identifier;
  readonly query: Query;
  readonly at: number;
}

export type QueryBody = Select | SetOperation | Query;

export interface SetOperation {
  readonly kind: 'set-operation';
  readonly operator: 'UNION' | 'INTERSECT' | 'EXCEPT';
  readonly distinct: boolean;
  readonly operands: readonly QueryBody[];
  readonly at: number;
}

export interface Select {
  readonly kind: 'select';
  readonly distinct: boolean;
  readonly as?: 'STRUCT' | 'VALUE';
  readonly items: readonly SelectItem[];
  readonly from?: FromItem;
  readonly where?: Expression;
  readonly groupBy?: GroupBy;
  readonly having?: Expression;
  readonly qualify?: Expression;
  readonly windows: readonly NamedWindow[];
  readonly at: number;
}

export type SelectItem = SelectExpression | SelectStar;

export interface SelectExpression {
  readonly kind: 'item';
  readonly value: Expression;
  readonly alias?: Identifier;
  readonly at: number;
}

/** `*` or `of.*`, with what is left out and what is put in its place. */
export interface SelectStar {
  readonly kind: 'star';
  readonly of?: Expression;
  readonly except: readonly Identifier[];
  readonly replace: readonly SelectExpression[];
  readonly at: number;
}

/** `all`: GROUP BY ALL. */
export interface GroupBy {
  readonly all: boolean;
  readonly items: readonly GroupItem[];
  readonly at: number;
}

export type GroupItem =
  | { readonly kind: 'key'; readonly value: Expression; readonly at: number }
  | {
      readonly kind: 'rollup' | 'cube' | 'sets';
      readonly sets: readonly (readonly Expression[])[];
      readonly at: number;
    };

export interface OrderItem {
  readonly value: Expression;
  readonly descending: boolean;
  readonly nulls?: 'FIRST' | 'LAST';
  readonly at: number;
}

export type FromItem = TableReference | UnnestItem | DerivedTable | Join;

/** A table by name, or an array by its path: `from t, t.items`. */
export interface TableReference {
  readonly kind: 'table';
  readonly path: readonly Identifier[];
  readonly alias?: Identifier;
  readonly offset?: Offset;
  readonly at: number;
}

export interface UnnestItem {
  readonly kind: 'unnest';
  readonly array: Expression;
  readonly alias?: Identifier;
  readonly offset?: Offset;
  readonly at: number;
}

/** WITH OFFSET; its column is named `offset` where no alias is given. */
export interface Offset {
  readonly alias?: Identifier;
  readonly at: number;
}

export interface DerivedTable {
  readonly kind: 'derived';
  readonly query: Query;
  readonly alias?: Identifier;
  readonly at: number;
}

export type JoinType = 'CROSS' | 'INNER' | 'LEFT' | 'RIGHT' | 'FULL';

export interface Join {
  readonly kind: 'join';
  readonly type: JoinType;
  /** Written as a comma. */
  readonly isComma: boolean;
  readonly left: FromItem;
  readonly right: FromItem;
  readonly on?: Expression;
  readonly using?: readonly Identifier[];
  readonly at: number;
}

export interface NamedWindow {
  readonly name: Identifier;
  readonly spec: WindowSpec;
}
