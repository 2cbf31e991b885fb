import type {
  Identifier,
  JoinType,
  LiteralType,
  NameMatch,
  Offset,
  Placed,
  TypeName,
} from './names.js';

/** A query with its WITH, ORDER BY, LIMIT and OFFSET; `ctes` is empty without WITH. */
export interface Query extends Placed {
  readonly kind: 'query';
  readonly ctes: readonly Cte[];
  readonly body: QueryBody;
  readonly orderBy: readonly OrderItem[];
  readonly limit?: Expression;
  readonly offset?: Expression;
}

/** One common table expression of WITH. */
export interface Cte extends Placed {
  readonly name: Identifier;
  readonly query: Query;
  /** Set if it reads itself: it is a UNION ALL, whose last operand does so exactly once. */
  readonly isRecursive?: true;
}

/**
 * The body of a query, to which ORDER BY and LIMIT apply: a SELECT, a set operation, pipe syntax, or a query
 * in brackets.
 */
export type QueryBody = Select | SetOperation | Pipeline | Query;

/** A chain of one set operator. */
export interface SetOperation extends Placed {
  readonly kind: 'set-operation';
  readonly operator: 'UNION' | 'INTERSECT' | 'EXCEPT';
  readonly distinct: boolean;
  /** Set for BY NAME and CORRESPONDING. */
  readonly match?: NameMatch;
  readonly operands: readonly QueryBody[];
}

/** A query in pipe syntax: `FROM input |> operator …`. */
export interface Pipeline extends Placed {
  readonly kind: 'pipeline';
  readonly input: FromItem;
  readonly operators: readonly PipeOperator[];
}

/**
 * An operator of pipe syntax.
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/pipe-syntax
 */
export type PipeOperator = Readonly<
  Placed &
    (
      | { kind: 'pipe-where'; where: Expression }
      | ({ kind: 'pipe-select' } & Pick<Select, 'distinct' | 'as' | 'items' | 'windows'>)
      | ({ kind: 'pipe-extend' } & Pick<Select, 'items' | 'windows'>)
      | { kind: 'pipe-set'; items: readonly (SelectExpression & Aliased)[] }
      | { kind: 'pipe-drop'; columns: readonly Identifier[] }
      | { kind: 'pipe-rename'; columns: readonly (Aliased & { readonly column: Identifier })[] }
      | ({ kind: 'pipe-as' } & Aliased)
      | { kind: 'pipe-aggregate'; values: readonly AggregateItem[]; keys?: readonly AggregateKey[] }
      | { kind: 'pipe-distinct' }
      | { kind: 'pipe-order-by'; orderBy: readonly OrderItem[] }
      | { kind: 'pipe-limit'; limit: Expression; offset?: Expression }
      | ({ kind: 'pipe-join' } & Pick<Join, 'type' | 'right' | 'on' | 'using'>)
      | ({ kind: 'pipe-set-operation'; operands: readonly Query[] } & SetOperator)
      | { kind: 'pipe-pivot'; pivot: Pivot }
      | { kind: 'pipe-with'; ctes: readonly Cte[] }
    )
>;

/** The operator of one kind. */
export type PipeOperatorOf<K> = Extract<PipeOperator, { readonly kind: K }>;

/** A set operator without its operands. */
export type SetOperator = Pick<SetOperation, 'operator' | 'distinct' | 'match'>;

interface Aliased {
  readonly alias: Identifier;
}

/** A value of AGGREGATE, and its order if it has one. */
export interface AggregateItem extends AliasedValue, Placed {
  readonly order?: Pick<OrderItem, 'descending' | 'nulls'>;
}

/** A key of AGGREGATE … GROUP BY. */
export interface AggregateKey extends Omit<AggregateItem, 'value'> {
  readonly item: GroupItem;
}

/** A SELECT block. */
export interface Select extends Placed {
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
}

/** A SELECT list, and the words before it. */
export type SelectList = Pick<Select, 'distinct' | 'as' | 'items'>;

/** An item of a SELECT list. */
export type SelectItem = SelectExpression | SelectStar;

/** `value [AS alias]`. */
export interface SelectExpression extends AliasedValue, Placed {
  readonly kind: 'item';
}

/** `*` or `of.*`, with the columns of EXCEPT and REPLACE. */
export interface SelectStar extends Placed {
  readonly kind: 'star';
  readonly of?: Expression;
  readonly except: readonly Identifier[];
  readonly replace: readonly SelectExpression[];
}

/** A GROUP BY clause; `all` is GROUP BY ALL, which has no items. */
export interface GroupBy extends Placed {
  readonly all: boolean;
  readonly items: readonly GroupItem[];
}

/** An item of GROUP BY; `sets` are the grouping sets, or the operands of ROLLUP or CUBE. */
export type GroupItem = Readonly<
  Placed &
    (
      | { kind: 'key'; value: Expression }
      | { kind: 'rollup' | 'cube' | 'sets'; sets: readonly (readonly Expression[])[] }
    )
>;

/** A key of ORDER BY; `nulls` is absent if not written. */
export interface OrderItem extends Placed {
  readonly value: Expression;
  readonly descending: boolean;
  readonly nulls?: 'FIRST' | 'LAST';
}

/** An item of FROM. */
export type FromItem = TableReference | UnnestItem | DerivedTable | GapFill | Pivot | Piped | Join;

/** A table by name, or an array by path: `from t, t.items`. */
export interface TableReference extends Placed {
  readonly kind: 'table';
  readonly path: readonly Identifier[];
  readonly alias?: Identifier;
  readonly offset?: Offset;
}

/** `UNNEST(array) [AS alias] [WITH OFFSET]`. */
export interface UnnestItem extends Placed {
  readonly kind: 'unnest';
  readonly array: Expression;
  readonly alias?: Identifier;
  readonly offset?: Offset;
}

/** A subquery in FROM. */
export interface DerivedTable extends Placed {
  readonly kind: 'derived';
  readonly query: Query;
  readonly alias?: Identifier;
}

/** `GAP_FILL(input, arguments) [AS alias]`. */
export interface GapFill extends Placed {
  readonly kind: 'gap-fill';
  readonly input: Query;
  readonly arguments: readonly NamedArgument[];
  readonly alias?: Identifier;
}

/** `input PIVOT(aggregates FOR column IN (values)) [AS alias]`. */
export interface Pivot extends Placed {
  readonly kind: 'pivot';
  readonly input: TableReference | DerivedTable | Piped;
  /** Each alias is the prefix of its columns' names. */
  readonly aggregates: readonly PivotAggregate[];
  readonly column: Expression;
  readonly values: readonly AliasedValue[];
  readonly alias?: Identifier;
}

/** The input of the pipe operator PIVOT: the table before it. */
export interface Piped extends Placed {
  readonly kind: 'piped';
}

/** An aggregate of PIVOT. */
export interface PivotAggregate extends AliasedValue {
  readonly value: Call;
}

/** `value [AS alias]`; in the IN list of PIVOT, a value without an alias names its columns itself. */
export interface AliasedValue {
  readonly value: Expression;
  readonly alias?: Identifier;
}

/** A join; `on` and `using` are both absent for a cross join. */
export interface Join extends Placed {
  readonly kind: 'join';
  readonly type: JoinType;
  /** Whether it was written as a comma. */
  readonly isComma: boolean;
  readonly left: FromItem;
  readonly right: FromItem;
  readonly on?: Expression;
  readonly using?: readonly Identifier[];
}

/** `WINDOW name AS spec`. */
export interface NamedWindow {
  readonly name: Identifier;
  readonly spec: WindowSpec;
}

/** An argument of a call: `value` or `name => value`. */
export interface NamedArgument {
  readonly name?: Identifier;
  readonly value: Expression;
}

/** An expression; operators that are words are in upper case. */
export type Expression =
  | Call
  | Readonly<
      Placed &
        (
          | { kind: 'literal'; type: LiteralType; value: string }
          | { kind: 'typed-literal'; type: string; value: string }
          | { kind: 'interval'; value: Expression; part: string; to?: string }
          | { kind: 'parameter'; name: string }
          | { kind: 'path'; parts: readonly Identifier[] }
          | { kind: 'field'; of: Expression; name: Identifier }
          | { kind: 'index'; of: Expression; index: Expression }
          | { kind: 'star' }
          | { kind: 'unary'; operator: '-' | '+' | '~' | 'NOT'; operand: Expression }
          | { kind: 'binary'; operator: string; left: Expression; right: Expression }
          | { kind: 'logical'; operator: 'AND' | 'OR'; operands: readonly Expression[] }
          | {
              kind: 'is';
              operand: Expression;
              not: boolean;
              test: 'NULL' | 'TRUE' | 'FALSE' | 'UNKNOWN';
            }
          | {
              kind: 'between';
              operand: Expression;
              not: boolean;
              low: Expression;
              high: Expression;
            }
          | {
              kind: 'in';
              operand: Expression;
              not: boolean;
              values: readonly Expression[] | Query | { readonly array: Expression };
            }
          | {
              kind: 'case';
              operand?: Expression;
              whens: readonly { readonly when: Expression; readonly result: Expression }[];
              otherwise?: Expression;
            }
          | {
              kind: 'cast';
              operand: Expression;
              type: TypeName;
              safe: boolean;
              format?: Expression;
              /** The time zone of `FORMAT … AT TIME ZONE …`. */
              zone?: Expression;
            }
          | { kind: 'extract'; part: Expression; from: Expression; zone?: Expression }
          | { kind: 'array'; type?: TypeName; elements: readonly Expression[] }
          | {
              kind: 'struct';
              /** Set for `(a, b)`, whose fields have no names. */
              isTuple?: true;
              type?: TypeName;
              fields: readonly AliasedValue[];
            }
          | {
              kind: 'with';
              variables: readonly { readonly name: Identifier; readonly value: Expression }[];
              /** The result, which can read the variables. */
              value: Expression;
            }
          | { kind: 'lambda'; parameters: readonly Identifier[]; body: Expression }
          | { kind: 'subquery'; form: 'SCALAR' | 'ARRAY' | 'EXISTS'; query: Query }
        )
    >;

/** The expression of one kind. */
export type ExpressionOf<K> = Expression & { readonly kind: K };

/** A function call; `path` is `['safe', 'substr']` for SAFE.SUBSTR. */
export interface Call extends Placed {
  readonly kind: 'call';
  readonly path: readonly Identifier[];
  readonly arguments: readonly NamedArgument[];
  readonly distinct: boolean;
  readonly nulls?: 'IGNORE' | 'RESPECT';
  readonly having?: { readonly kind: 'MAX' | 'MIN'; readonly value: Expression };
  readonly orderBy: readonly OrderItem[];
  readonly limit?: Expression;
  readonly over?: WindowSpec;
}

/** The window of OVER or of a WINDOW clause: the name of another window, a specification, or both. */
export interface WindowSpec extends Placed {
  readonly name?: Identifier;
  readonly partitionBy: readonly Expression[];
  readonly orderBy: readonly OrderItem[];
  readonly frame?: WindowFrame;
}

/** The frame of a window; without `end` it ends at the current row. */
export interface WindowFrame {
  readonly unit: 'ROWS' | 'RANGE';
  readonly start: FrameBound;
  readonly end?: FrameBound;
}

/** One end of a window frame. */
export interface FrameBound {
  readonly kind: 'PRECEDING' | 'FOLLOWING' | 'CURRENT ROW';
  /** Absent for UNBOUNDED and CURRENT ROW. */
  readonly offset?: Expression;
}
