import { QueryFault } from '../../errors/query-fault.js';
import type {
  Expression,
  FromItem,
  GroupItem,
  Identifier,
  Query,
  QueryBody,
  SelectItem,
} from '../syntax/tree.js';

/** Every node that says its kind. */
export type Node = Query | QueryBody | SelectItem | FromItem | GroupItem | Expression;

/** The parts of a node that are not plain words or numbers. */
type PartsOf<N> = N extends unknown
  ? {
      [K in keyof N]-?: Exclude<N[K], undefined> extends string | number | boolean ? never : K;
    }[keyof N]
  : never;

/** The nodes of one kind. */
type OfKind<N, K> = N extends { readonly kind: infer Own } ? (K extends Own ? N : never) : never;

type Parts = { readonly [K in Node['kind']]: readonly PartsOf<OfKind<Node, K>>[] };

/**
 * The kinds of nodes that a caller's query may have, each with the parts that are walked: the
 * compiler holds it to the tree, and what is in neither is refused.
 */
const nodeParts = {
  query: ['ctes', 'body', 'orderBy', 'limit', 'offset'],
  'set-operation': ['operands'],
  select: ['items', 'from', 'where', 'groupBy', 'having', 'qualify', 'windows'],
  item: ['value', 'alias'],
  star: ['of', 'except', 'replace'],
  key: ['value'],
  rollup: ['sets'],
  cube: ['sets'],
  sets: ['sets'],
  table: ['path', 'alias', 'offset'],
  unnest: ['array', 'alias', 'offset'],
  derived: ['query', 'alias'],
  join: ['left', 'right', 'on', 'using'],
  literal: [],
  'typed-literal': [],
  interval: ['value'],
  parameter: [],
  path: ['parts'],
  field: ['of', 'name'],
  index: ['of', 'index'],
  call: ['path', 'arguments', 'having', 'orderBy', 'limit', 'over'],
  unary: ['operand'],
  binary: ['left', 'right'],
  logical: ['operands'],
  is: ['operand'],
  between: ['operand', 'low', 'high'],
  in: ['operand', 'values'],
  case: ['operand', 'whens', 'otherwise'],
  cast: ['operand', 'type', 'format', 'zone'],
  extract: ['part', 'from', 'zone'],
  array: ['type', 'elements'],
  struct: ['type', 'fields'],
  lambda: ['parameters', 'body'],
  subquery: ['query'],
} as const satisfies Parts;

/** What a frame's end and HAVING of an aggregate say of their kind. */
const wordParts = {
  PRECEDING: ['offset'],
  FOLLOWING: ['offset'],
  'CURRENT ROW': ['offset'],
  MAX: ['value'],
  MIN: ['value'],
} as const;

/** The parts of each kind; a map, since a tree's kind must find no property that every object has. */
export const parts: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>(
  Object.entries({ ...nodeParts, ...wordParts }),
);

/** How many of each a query may have: the engine plans longer than it runs beyond them. */
const limits = {
  nodes: { most: 5_000, what: 'parts' },
  joins: { most: 32, what: 'joins' },
  levels: { most: 6, what: 'levels of sub-selects' },
  ctes: { most: 64, what: 'CTEs' },
} as const;

/** @throws QueryFault `resourcesExceeded` where there are more than the limit */
export function checkLimit(
  what: keyof typeof limits,
  count: number,
  { at }: { readonly at: number },
): void {
  const { most, what: word } = limits[what];
  if (count <= most) return;
  const message = `The query has too many ${word}: at most ${most} are allowed`;
  throw new QueryFault(message, at, 'resourcesExceeded');
}

/** The longest identifier, in bytes of UTF-8. */
const maxNameBytes = 300;

/**
 * A name comes back as a key of the result, and goes to the engine as an identifier.
 * @throws QueryFault for one that is too long, has control characters, or is `__proto__`
 */
export function checkName({ name, at }: Identifier): void {
  if (name.toLowerCase() === '__proto__')
    throw new QueryFault(`The name ${name} is not allowed`, at, 'accessDenied');
  if (Buffer.byteLength(name) <= maxNameBytes && !/\p{Cc}/u.test(name)) return;
  const message = `A name has at most ${maxNameBytes} bytes and no control characters`;
  throw new QueryFault(message, at);
}
