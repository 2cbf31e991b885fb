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

/** A type as written: `ARRAY<STRUCT<a INT64>>`, `NUMERIC(10, 2)`. */
export interface TypeName {
  readonly name: string;
  readonly element?: TypeName;
  readonly fields?: readonly { readonly name?: Identifier; readonly type: TypeName }[];
  readonly at: number;
}

export type LiteralType = 'STRING' | 'BYTES' | 'INT64' | 'FLOAT64' | 'BOOL' | 'NULL';

export interface NamedArgument {
  readonly name?: Identifier;
  readonly value: Expression;
}

/** Expressions; the words of operators are upper case. */
export type Expression =
  | {
      readonly kind: 'literal';
      readonly type: LiteralType;
      readonly value: string;
      readonly at: number;
    }
  | {
      readonly kind: 'typed-literal';
      readonly type: string;
      readonly value: string;
      readonly at: number;
    }
  | {
      readonly kind: 'interval';
      readonly value: Expression;
      readonly part: string;
      readonly to?: string;
      readonly at: number;
    }
  | { readonly kind: 'parameter'; readonly name: string; readonly at: number }
  | { readonly kind: 'path'; readonly parts: readonly Identifier[]; readonly at: number }
  | {
      readonly kind: 'field';
      readonly of: Expression;
      readonly name: Identifier;
      readonly at: number;
    }
  | {
      readonly kind: 'index';
      readonly of: Expression;
      readonly index: Expression;
      readonly at: number;
    }
  | { readonly kind: 'star'; readonly at: number }
  | Call
  | {
      readonly kind: 'unary';
      readonly operator: '-' | '+' | '~' | 'NOT';
      readonly operand: Expression;
      readonly at: number;
    }
  | {
      readonly kind: 'binary';
      readonly operator: string;
      readonly left: Expression;
      readonly right: Expression;
      readonly at: number;
    }
  | {
      readonly kind: 'logical';
      readonly operator: 'AND' | 'OR';
      readonly operands: readonly Expression[];
      readonly at: number;
    }
  | {
      readonly kind: 'is';
      readonly operand: Expression;
      readonly not: boolean;
      readonly test: 'NULL' | 'TRUE' | 'FALSE' | 'UNKNOWN';
      readonly at: number;
    }
  | {
      readonly kind: 'between';
      readonly operand: Expression;
      readonly not: boolean;
      readonly low: Expression;
      readonly high: Expression;
      readonly at: number;
    }
  | {
      readonly kind: 'in';
      readonly operand: Expression;
      readonly not: boolean;
      readonly values: readonly Expression[] | Query | { readonly array: Expression };
      readonly at: number;
    }
  | {
      readonly kind: 'case';
      readonly operand?: Expression;
      readonly whens: readonly { readonly when: Expression; readonly result: Expression }[];
      readonly otherwise?: Expression;
      readonly at: number;
    }
  | {
      readonly kind: 'cast';
      readonly operand: Expression;
      readonly type: TypeName;
      readonly safe: boolean;
      readonly format?: Expression;
      /** Of the format. */
      readonly zone?: Expression;
      readonly at: number;
    }
  | {
      readonly kind: 'extract';
      readonly part: Expression;
      readonly from: Expression;
      readonly zone?: Expression;
      readonly at: number;
    }
  | {
      readonly kind: 'array';
      readonly type?: TypeName;
      readonly elements: readonly Expression[];
      readonly at: number;
    }
  | {
      readonly kind: 'struct';
      /** Written as `(a, b)`, whose fields have no names. */
      readonly isTuple?: true;
      readonly type?: TypeName;
      readonly fields: readonly { readonly value: Expression; readonly alias?: Identifier }[];
      readonly at: number;
    }
  | {
      readonly kind: 'lambda';
      readonly parameters: readonly Identifier[];
      readonly body: Expression;
      readonly at: number;
    }
  | {
      readonly kind: 'subquery';
      readonly form: 'SCALAR' | 'ARRAY' | 'EXISTS';
      readonly query: Query;
      readonly at: number;
    };

/** A call of a function; `path` is `['safe', 'substr']` for SAFE.SUBSTR. */
export interface Call {
  readonly kind: 'call';
  readonly path: readonly Identifier[];
  readonly arguments: readonly NamedArgument[];
  readonly distinct: boolean;
  readonly nulls?: 'IGNORE' | 'RESPECT';
  readonly having?: { readonly kind: 'MAX' | 'MIN'; readonly value: Expression };
  readonly orderBy: readonly OrderItem[];
  readonly limit?: Expression;
  readonly over?: WindowSpec;
  readonly at: number;
}

export interface WindowSpec {
  readonly name?: Identifier;
  readonly partitionBy: readonly Expression[];
  readonly orderBy: readonly OrderItem[];
  readonly frame?: WindowFrame;
  readonly at: number;
}

export interface WindowFrame {
  readonly unit: 'ROWS' | 'RANGE';
  readonly start: FrameBound;
  readonly end?: FrameBound;
}

export interface FrameBound {
  readonly kind: 'PRECEDING' | 'FOLLOWING' | 'CURRENT ROW';
  /** Absent: unbounded, or the current row. */
  readonly offset?: Expression;
}
