/** A node of a syntax tree. */
export interface Placed {
  /** The node's offset in the text, in UTF-16 units. */
  readonly at: number;
}

/** A name as written. */
export interface Identifier extends Placed {
  readonly name: string;
  readonly quoted: boolean;
}

/** The matching of columns by name: `INNER … BY NAME ON (columns)`; STRICT if no mode is written. */
export interface NameMatch {
  readonly mode: 'STRICT' | 'INNER' | 'LEFT' | 'FULL';
  readonly columns?: readonly Identifier[];
}

/** The kinds of joins; OUTER is implied. */
export type JoinType = 'CROSS' | 'INNER' | 'LEFT' | 'RIGHT' | 'FULL';

/** A type: `ARRAY<STRUCT<a INT64>>`; `name` is BigQuery's name, not an alias such as INTEGER. */
export interface TypeName extends Placed {
  readonly name: string;
  /** The numbers of `NUMERIC(10, 2)`. */
  readonly parameters?: readonly number[];
  readonly element?: TypeName;
  readonly fields?: readonly { readonly name?: Identifier; readonly type: TypeName }[];
}

/** The types of literals that need no type name. */
export type LiteralType = 'STRING' | 'BYTES' | 'INT64' | 'FLOAT64' | 'BOOL' | 'NULL';

/** WITH OFFSET; its column is named `offset` unless it has an alias. */
export interface Offset extends Placed {
  readonly alias?: Identifier;
}
