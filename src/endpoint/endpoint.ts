/** The parameter types of endpoint files, as in JSON Schema. */
export const parameterSchemas = {
  string: { type: 'string', examples: ['acme'] },
  regexp: { type: 'string', format: 'regex', examples: ['^acme$'] },
  timestamp: { type: 'string', format: 'date-time', examples: ['2026-03-10T12:00:00Z'] },
  date: { type: 'string', format: 'date', examples: ['2026-03-10'] },
  integer: { type: 'integer', format: 'int64', examples: [10] },
  number: { type: 'number', format: 'double', examples: [0.5] },
  boolean: { type: 'boolean', examples: [true] },
} as const;

/** The name of one of the types. */
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

/** A stored query with its settings, from one file of `sql/endpoints`. */
export interface Endpoint {
  readonly name: string;
  /** A UUID, in lower case. */
  readonly id: string;
  readonly maxRows: number;
  /** The time to live of cached rows and the interval between their renewals, in seconds; 0 disables either. */
  readonly caching: Readonly<Record<'ttlSeconds' | 'warmSeconds', number>>;
  /** Whether callers may send their own query over the CTEs. */
  readonly sandbox: boolean;
  /** Whether personal data is redacted, as set by its file or by an endpoint that it reads. */
  readonly redactPii: boolean;
  /** Whether callers can read the project's records of every source, by its name and its aliases. */
  readonly allSources?: boolean;
  readonly parameters: readonly Parameter[];
  /** The endpoints that it reads as tables, directly or through others; absent if there are none. */
  readonly reads?: readonly Pick<Endpoint, 'name' | 'sql' | 'allSources' | 'parameters'>[];
  /** The text of the whole file, so that lines and columns are those of the file; its header consists of comments. */
  readonly sql: string;
  /** The file's base name, for messages. */
  readonly file: string;
}

/** Values by parameter name, a list as a JSON array of strings; null for an absent optional parameter. */
export type Bindings = Readonly<Record<string, string | null>>;
