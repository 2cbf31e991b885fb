/** A node of DuckDB's serialized tree, not yet checked. */
export type SerializedNode = Readonly<Record<string, unknown>>;

/** The tables and parameters that a statement claims, and the existing macros. */
export interface Claims {
  /** Qualified names, such as `logs.<source>`. */
  readonly tables: ReadonlySet<string>;
  /** The names of bound parameters. */
  readonly parameters: ReadonlySet<string>;
  /** The names of the macros in the database `bq`. */
  readonly macros: ReadonlySet<string>;
}

/** The names that are visible at a position in the statement. */
export interface VisibleNames extends Claims {
  readonly ctes: ReadonlySet<string>;
  /** Table aliases of this query and its enclosing queries. */
  readonly aliases: ReadonlySet<string>;
  /** Table aliases of the enclosing queries, which a subquery in FROM may refer to. */
  readonly outerAliases: ReadonlySet<string>;
  /** Parameters of the enclosing lambdas. */
  readonly lambdas: ReadonlySet<string>;
  /** Checks a subquery. */
  readonly subquery: Check;
}

/** Checks a value of the tree; `name` is its property, `scope` the names visible there. */
export type Check = (value: unknown, scope: VisibleNames, name: string) => void;

/** All properties of a node, with their checks. */
export type NodeShape = Readonly<Record<string, Check>>;

/** The number of characters of a refused value that its error shows. */
const shownCharacters = 80;

/** @throws Error `Refused statement: …`, which may quote a part of the statement */
export function refuse(name: string, value: unknown): never {
  const shown = String(JSON.stringify(value)).slice(0, shownCharacters);
  throw new Error(`Refused statement: ${name} ${shown}`);
}

/** The value as a node. @throws Error `Refused statement: …` */
export function asNode(value: unknown, name: string): SerializedNode {
  const isNode = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isNode ? (value as SerializedNode) : refuse(name, value);
}

/** The value as a list. @throws Error `Refused statement: …` */
export function asList(value: unknown, name: string): readonly unknown[] {
  return Array.isArray(value) ? value : refuse(name, value);
}

/** The value as a string. @throws Error `Refused statement: …` */
export function expectText(value: unknown, name: string): string {
  return typeof value === 'string' ? value : refuse(name, value);
}

/** A string. */
export const textShape: Check = (value, _, name) => {
  expectText(value, name);
};

/** A number. */
export const number: Check = (value, _, name) => {
  if (typeof value !== 'number') refuse(name, value);
};

/** A boolean. */
export const flag: Check = (value, _, name) => {
  if (typeof value !== 'boolean') refuse(name, value);
};

/** This value. */
export function only(wanted: unknown): Check {
  return (value, _, name) => {
    if (value !== wanted) refuse(name, value);
  };
}

/** A property that must be empty, because the compiler never sets it. */
export const nothing: Check = (value, _, name) => {
  const isEmptyList = Array.isArray(value) && value.length === 0;
  if (value !== null && value !== '' && value !== false && !isEmptyList) refuse(name, value);
};

/** One of these words. */
export function oneOf(words: ReadonlySet<string>): Check {
  return (value, _, name) => {
    if (!words.has(expectText(value, name))) refuse(name, value);
  };
}

/** A value that may be null. */
export function optional(check: Check): Check {
  return (value, scope, name) => {
    if (value !== null) check(value, scope, name);
  };
}

/** A list whose items all pass the check. */
export function listShape(check: Check): Check {
  return (value, scope, name) => {
    for (const item of asList(value, name)) check(item, scope, name);
  };
}

/** A node with exactly the properties of the shape. */
export function record(shape: NodeShape): Check {
  const rows = Object.entries(shape);
  return (value, scope, name) => {
    const node = asNode(value, name);
    for (const key of Object.keys(node)) {
      if (!Object.hasOwn(shape, key)) refuse(`${name}.${key}`, node[key]);
    }
    for (const [key, check] of rows) check(node[key], scope, key);
  };
}

/** A node whose `key` selects its shape; `common` has the properties of all of them. */
export function recordBy(
  key: string,
  shapes: Readonly<Record<string, NodeShape>>,
  common: NodeShape = {},
): Check {
  const checks = new Map(
    Object.entries(shapes).map(([word, shape]) => [
      word,
      record({ [key]: textShape, ...common, ...shape }),
    ]),
  );
  return (value, scope, name) => {
    const word = expectText(asNode(value, name)[key], key);
    (checks.get(word) ?? refuse(name, word))(value, scope, name);
  };
}
