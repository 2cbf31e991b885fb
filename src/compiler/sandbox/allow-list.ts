import type { Node } from '../syntax/nodes-in.js';

/** The properties of a node that contain other nodes. */
type PartsOf<N> = N extends unknown
  ? {
      [K in keyof N]-?: Exclude<N[K], undefined> extends string | number | boolean ? never : K;
    }[keyof N]
  : never;

/** The nodes of a union that have a kind. */
type OfKind<N, K> = N extends { readonly kind: infer Own } ? (K extends Own ? N : never) : never;

type Parts = { readonly [K in Node['kind']]: readonly PartsOf<OfKind<Node, K>>[] };

/**
 * The node kinds that a caller's query may contain, each with the properties that are walked. The
 * type ensures that the list covers the tree; anything that is not listed is refused.
 */
const nodeParts = {
  query: ['ctes', 'body', 'orderBy', 'limit', 'offset'],
  'set-operation': ['match', 'operands'],
  pipeline: ['input', 'operators'],
  'pipe-where': ['where'],
  'pipe-select': ['items', 'windows'],
  'pipe-extend': ['items', 'windows'],
  'pipe-set': ['items'],
  'pipe-drop': ['columns'],
  'pipe-rename': ['columns'],
  'pipe-as': ['alias'],
  'pipe-aggregate': ['values', 'keys'],
  'pipe-distinct': [],
  'pipe-order-by': ['orderBy'],
  'pipe-limit': ['limit', 'offset'],
  'pipe-join': ['right', 'on', 'using'],
  'pipe-set-operation': ['match', 'operands'],
  'pipe-pivot': ['pivot'],
  'pipe-with': ['ctes'],
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
  'gap-fill': ['input', 'arguments', 'alias'],
  pivot: ['input', 'aggregates', 'column', 'values', 'alias'],
  piped: [],
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
  with: ['variables', 'value'],
  lambda: ['parameters', 'body'],
  subquery: ['query'],
} as const satisfies Parts;

/** Objects that have a kind but are not nodes: the ends of a window frame, and HAVING in an aggregate. */
const otherParts = {
  PRECEDING: ['offset'],
  FOLLOWING: ['offset'],
  'CURRENT ROW': ['offset'],
  MAX: ['value'],
  MIN: ['value'],
} as const;

/** The walked properties by kind; a map, so that a kind like `constructor` finds nothing. */
export const allowedParts: ReadonlyMap<string, readonly string[]> = new Map<
  string,
  readonly string[]
>(Object.entries({ ...nodeParts, ...otherParts }));
