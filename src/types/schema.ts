/** The BigQuery types without parts. */
export type ScalarName =
  | 'BOOL'
  | 'BYTES'
  | 'BIGNUMERIC'
  | 'DATE'
  | 'DATETIME'
  | 'FLOAT64'
  | 'INT64'
  | 'INTERVAL'
  | 'JSON'
  | 'NUMERIC'
  | 'STRING'
  | 'TIME'
  | 'TIMESTAMP';

/**
 * A BigQuery type, with how the engine stores it where that differs.
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/data-types
 */
export type Type = ScalarType | ArrayType | StructType;

export interface ScalarType {
  readonly kind: ScalarName;
}

export interface ArrayType {
  readonly kind: 'ARRAY';
  readonly element: Type;
  /**
   * `list`: a list in the engine. `struct`: a repeated record no row of which has two elements,
   * stored as the element itself; NULL is the empty array.
   */
  readonly layout: 'list' | 'struct';
  /**
   * Only with `struct`: the paths, below the element, of the scalars that are set in every row whose
   * element is there, the shortest first. To ask for one reads one column; to ask for the element
   * reads all of its own.
   */
  readonly presence?: readonly (readonly string[])[];
}

export interface StructType {
  readonly kind: 'STRUCT';
  readonly fields: readonly Field[];
  /** Set where the engine's struct has more fields than are stored of these: only records had them that are gone. */
  readonly hasMore?: true;
}

/** A column of a table or a field of a struct. */
export interface Field {
  /** Empty where a struct's field has no name. */
  readonly name: string;
  readonly type: Type;
  /** False for a field that is declared and that no file has: it reads NULL and is not stored. */
  readonly stored: boolean;
}

/** The table of one source, `logs.<name>` in the engine. */
export interface SourceSchema {
  readonly name: string;
  /** `id`, `timestamp`, `event_message`, `project` where declared, `metadata`, then undeclared ones. */
  readonly columns: readonly Field[];
  /** Where its records are stored; absent: in the main database file. */
  readonly parts?: readonly Part[];
  /** The path of the field that names a record's project, such as `metadata`, `project_ref`. */
  readonly projectPath?: readonly string[];
  /** The project of every stored record, where there is only one. */
  readonly onlyProject?: string;
}

/** Some of a source's records, in order of time. */
export interface Part {
  /** A database file that has a table of the source's name. */
  readonly file: string;
  /** The name under which the engine shows this part alone, in its schema `logs`. */
  readonly view: string;
}
