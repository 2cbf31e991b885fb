/** The parameter types of endpoint files, as in JSON Schema. */
export const parameterSchemas = {
  string: { type: 'string' },
  regexp: { type: 'string', format: 'regex' },
  timestamp: { type: 'string', format: 'date-time' },
  date: { type: 'string', format: 'date' },
  integer: { type: 'integer', format: 'int64' },
  number: { type: 'number', format: 'double' },
  boolean: { type: 'boolean' },
} as const;

/** The names of the types. */
export const parameterTypes = Object.keys(parameterSchemas) as readonly ParameterType[];

/** One of the {@link parameterTypes}. */
export type ParameterType = keyof typeof parameterSchemas;

/** A parameter that an endpoint declares. */
export interface Parameter {
  readonly name: string;
  /** For a list, the type of its elements. */
  readonly type: ParameterType;
  /** Whether the value is an array. */
  readonly isList?: boolean;
  readonly required: boolean;
  /** The default value, in the form of {@link Bindings}; only for optional parameters. */
  readonly default?: string;
  /** The only values allowed, also in a list. */
  readonly oneOf?: readonly string[];
}

/** How long rows are cached and how often they are renewed, in seconds; 0 disables either. */
export interface Caching {
  readonly ttlSeconds: number;
  readonly warmSeconds: number;
}

/** A stored query with its settings, from one file of `sql/endpoints`. */
export interface Endpoint {
  readonly name: string;
  /** A UUID, in lower case. */
  readonly id: string;
  readonly maxRows: number;
  readonly caching: Caching;
  /** Whether callers may send their own query over the CTEs. */
  readonly sandbox: boolean;
  readonly redactPii: boolean;
  /** Whether callers can read the project's records of every source, by its name and its aliases. */
  readonly allSources?: boolean;
  readonly parameters: readonly Parameter[];
  /** The whole file, so that lines and columns match the file; its header consists of comments. */
  readonly sql: string;
  /** The file's base name, for messages. */
  readonly file: string;
}

/** Values by parameter name, a list as a JSON array of strings; null for an absent optional parameter. */
export type Bindings = Readonly<Record<string, string | null>>;
