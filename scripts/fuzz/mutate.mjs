// Mutates queries, either as trees (parts are changed, removed, duplicated or replaced by parts of other
// queries, and the tree is printed) or as lists of tokens.

/** @typedef {import('../../src/compiler/syntax/tree.js').Query} Query */
/** @typedef {import('../fixtures/built.mjs').Random} Random */
/** A node of a syntax tree, or a list of nodes. @typedef {Record<string, unknown>} Part */
/** A property that holds a node; nodes of the same role can replace each other. @typedef {{ readonly parent: Part, readonly key: string, readonly role: string }} Slot */

const fromKinds = new Set(['table', 'unnest', 'derived', 'join']);
const itemKinds = new Set(['item', 'star']);
const groupKinds = new Set(['key', 'rollup', 'cube', 'sets']);
const bodyKinds = new Set(['select', 'set-operation']);
const frameKinds = new Set(['PRECEDING', 'FOLLOWING', 'CURRENT ROW', 'MAX', 'MIN']);

/** The role of a node; undefined if it cannot be replaced. @param {Part} node */
function nodeRole(node) {
  if (!('kind' in node)) return 'quoted' in node ? 'name' : undefined;
  const kind = String(Object(node).kind);
  if (fromKinds.has(kind)) return 'from';
  if (itemKinds.has(kind)) return 'item';
  if (groupKinds.has(kind)) return 'group';
  if (bodyKinds.has(kind)) return 'body';
  if (frameKinds.has(kind)) return undefined;
  return kind === 'query' ? 'query' : 'expression';
}

/** @param {unknown} value @returns {value is Part} */
function isPart(value) {
  return typeof value === 'object' && value !== null;
}

/**
 * Every slot in a tree.
 * @param {Part} parent
 * @returns {readonly Slot[]}
 */
function findSlots(parent) {
  return Object.entries(parent).flatMap(([key, node]) => {
    if (!isPart(node)) return [];
    const role = Array.isArray(node) ? undefined : nodeRole(node);
    const inner = findSlots(node);
    return role === undefined ? inner : [{ parent, key, role }, ...inner];
  });
}

/** @typedef {(slot: Slot, other: Part, random: Random) => void} Change */

/** The possible changes of a slot; entries are repeated to make them more likely. @type {readonly Change[]} */
const changes = [
  replace,
  replace,
  replace,
  rename,
  rename,
  remove,
  duplicate,
  (slot) => {
    slot.parent[slot.key] = wrapInSubquery(slot);
  },
];

/** Replaces the node by one of the same role from another tree. @type {Change} */
function replace(slot, other, random) {
  const candidates = findSlots(other).filter(({ role }) => role === slot.role);
  if (candidates.length === 0) return;
  const { parent, key } = random.any(candidates);
  slot.parent[slot.key] = structuredClone(parent[key]);
}

/** Changes the node's name or value. @type {Change} */
function rename({ parent, key }, _other, random) {
  const node = /** @type {Part} */ (parent[key]);
  const words = Object.keys(node).filter((name) => typeof node[name] === 'string');
  const word = words.find((name) => name === 'name' || name === 'value');
  if (word !== undefined) node[word] = random.any(strangeNames);
  if ('quoted' in node) Object.assign(node, { quoted: true });
}

/** Removes the node from its list or its parent. @type {Change} */
function remove({ parent, key }) {
  if (Array.isArray(parent)) parent.splice(Number(key), 1);
  else delete parent[key];
}

/** Repeats an element of a list. @type {Change} */
function duplicate({ parent, key }) {
  if (Array.isArray(parent)) parent.splice(Number(key), 0, structuredClone(parent[Number(key)]));
}

/** Wraps an expression in a scalar subquery. @param {Slot} slot */
function wrapInSubquery({ parent, key, role }) {
  const node = parent[key];
  if (role !== 'expression') return node;
  const item = { kind: 'item', value: node, at: 0 };
  const select = { kind: 'select', distinct: false, items: [item], windows: [], at: 0 };
  const query = { kind: 'query', ctes: [], body: select, orderBy: [], at: 0 };
  return { kind: 'subquery', form: 'SCALAR', query, at: 0 };
}

/** Names and strings that an attacker would try; the fuzzer adds paths of its own files. */
export const strangeNames = [
  ...['edge_logs', 'function_logs', 'realtime_logs', 'storage_logs', 'rest_logs', 'pooler_logs'],
  ...['logs', 'logs.edge_logs', 'main', 'bq', 'memory', 'information_schema', 'duckdb_settings'],
  ...['event_message', 'metadata', 'id', 'timestamp', 'project', 'request', 't', 'm'],
  ...['cast', 'parse_json', 'regexp_contains', 'error', 'getenv', 'read_text', 'query', 'lower'],
  ...['theirs', 'mine', '1', '0', '-1', '9223372036854775807', '2026-03-10', '%', '.*', '(', '$.a'],
  ...[
    `'`,
    `"`,
    '`',
    '\\',
    ';',
    '--',
    '/*',
    '$1',
    '$p_project',
    "'; drop table x; --",
    '\u0000',
    '',
  ],
];

/**
 * Applies one to four changes to a query; undefined if the result cannot be printed.
 * @param {string} text
 * @param {string} other
 * @param {{ random: Random, parse: (text: string) => Query, print: (query: Query) => string }} tools
 */
export function mutateTree(text, other, { random, parse, print }) {
  try {
    const root = { query: structuredClone(parse(text)) };
    const donor = { query: parse(other) };
    for (let left = random.integer(1, 4); left > 0; left--) {
      random.any(changes)(random.any(findSlots(/** @type {Part} */ (root))), donor, random);
    }
    return print(root.query);
  } catch {
    // The text does not parse, or the tree lacks a part that the printer needs.
    return undefined;
  }
}

/**
 * Inserts, removes or replaces tokens of a text.
 * @param {string} text
 * @param {string} other
 * @param {Random} random
 */
export function mutateTokens(text, other, random) {
  let tokens = splitTokens(text);
  const donor = [...splitTokens(other), ...strangeNames];
  for (let left = random.integer(1, 3); left > 0; left--) {
    const at = random.integer(0, tokens.length);
    const count = random.integer(0, 2);
    const inserted = random.chance(0.7) ? [random.any(donor)] : [];
    tokens = [...tokens.slice(0, at), ...inserted, ...tokens.slice(at + count)];
  }
  return tokens.join('');
}

/** @param {string} text @returns {string[]} */
function splitTokens(text) {
  return text.match(/\w+|\s+|[^\w\s]/g) ?? [];
}
