/** The words for a parameter's type in an endpoint file. */
export const parameterTypes = [
  'string',
  'regexp',
  'timestamp',
  'integer',
  'number',
  'boolean',
] as const;

export type ParameterType = (typeof parameterTypes)[number];

/** What a stored query declares that a caller gives. */
export interface Parameter {
  readonly name: string;
  readonly type: ParameterType;
  readonly required: boolean;
  /** The value when the caller gives none; only where not required. */
  readonly default?: string;
  /** The only values allowed. */
  readonly oneOf?: readonly string[];
}

/** How long rows may be kept, in seconds; 0 is never. */
export interface Caching {
  readonly ttlSeconds: number;
  readonly warmSeconds: number;
}

/** A stored query with its settings: one file under `sql/endpoints`. */
export interface Endpoint {
  readonly name: string;
  /** A UUID, in lower case. */
  readonly id: string;
  readonly maxRows: number;
  readonly caching: Caching;
  /** Whether a caller may send a query of their own over the CTEs. */
  readonly sandbox: boolean;
  readonly redactPii: boolean;
  readonly parameters: readonly Parameter[];
  /** The whole file's text: its header is comments, so that lines and columns are the file's own. */
  readonly sql: string;
  /** The file's name without its folder, for messages. */
  readonly file: string;
}

/** Values by parameter name; null where an optional one is absent. */
export type Bindings = Readonly<Record<string, string | null>>;
