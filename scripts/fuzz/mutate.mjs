// Mutates queries at the level of the grammar: parsed to their trees, parts changed, taken out,
// doubled or swapped with those of other queries, printed again; and at the level of tokens.

/** @typedef {import('../../src/compiler/syntax/tree.js').Query} Query */
/** @typedef {import('../fixtures/random.mjs').Random} Random */
/** @typedef {Record<string, unknown>} Part */
/** @typedef {{ readonly holder: Part, readonly key: string, readonly role: string }} Slot */

const fromKinds = new Set(['table', 'unnest', 'derived', 'join']);
const itemKinds = new Set(['item', 'star']);
const groupKinds = new Set(['key', 'rollup', 'cube', 'sets']);
const bodyKinds = new Set(['select', 'set-operation']);
const frameKinds = new Set(['PRECEDING', 'FOLLOWING', 'CURRENT ROW', 'MAX', 'MIN']);

/** @param {Part} node */
function roleOf(node) {
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
 * Every place of a tree that holds a node, with the role of what may stand there.
 * @param {Part} holder
 * @returns {readonly Slot[]}
 */
function slotsOf(holder) {
  return Object.entries(holder).flatMap(([key, node]) => {
    if (!isPart(node)) return [];
    const role = Array.isArray(node) ? undefined : roleOf(node);
    const inner = slotsOf(node);
    return role === undefined ? inner : [{ holder, key, role }, ...inner];
  });
}

/** @typedef {(slot: Slot, other: Part, random: Random) => void} Change */

/** What is done to one place of a tree. @type {readonly Change[]} */
const changes = [
  swap,
  swap,
  swap,
  rename,
  rename,
  takeOut,
  double,
  (slot) => {
    slot.holder[slot.key] = nested(slot);
  },
];

/** Puts a node of the same role from another tree there. @type {Change} */
function swap(slot, other, random) {
  const fitting = slotsOf(other).filter(({ role }) => role === slot.role);
  if (fitting.length === 0) return;
  const { holder, key } = random.any(fitting);
  slot.holder[slot.key] = structuredClone(holder[key]);
}

/** Changes a word of the node: a name, an operator's text, a literal. @type {Change} */
function rename({ holder, key }, _other, random) {
  const node = /** @type {Part} */ (holder[key]);
  const words = Object.keys(node).filter((name) => typeof node[name] === 'string');
  const word = words.find((name) => name === 'name' || name === 'value');
  if (word !== undefined) node[word] = random.any(strangeNames);
  if ('quoted' in node) Object.assign(node, { quoted: true });
}

/** Takes the node out of its list, or out of a part that may be absent. @type {Change} */
function takeOut({ holder, key }) {
  if (Array.isArray(holder)) holder.splice(Number(key), 1);
  else delete holder[key];
}

/** @type {Change} */
function double({ holder, key }) {
  if (Array.isArray(holder)) holder.splice(Number(key), 0, structuredClone(holder[Number(key)]));
}

/** @param {Slot} slot */
function nested({ holder, key, role }) {
  const node = holder[key];
  if (role !== 'expression') return node;
  const item = { kind: 'item', value: node, at: 0 };
  const select = { kind: 'select', distinct: false, items: [item], windows: [], at: 0 };
  const query = { kind: 'query', ctes: [], body: select, orderBy: [], at: 0 };
  return { kind: 'subquery', form: 'SCALAR', query, at: 0 };
}

/** Names and texts that an attacker would try; the fuzzer adds its own files to them. */
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
 * A query with one to four parts changed; undefined where what came of it has no text.
 * @param {string} text
 * @param {string} other
 * @param {{ random: Random, parse: (text: string) => Query, print: (query: Query) => string }} by
 */
export function mutateTree(text, other, { random, parse, print }) {
  try {
    const root = { query: structuredClone(parse(text)) };
    const donor = { query: parse(other) };
    for (let left = random.integer(1, 4); left > 0; left--) {
      random.any(changes)(random.any(slotsOf(/** @type {Part} */ (root))), donor, random);
    }
    return print(root.query);
  } catch {
    // A tree without a part that the printer needs, or a text that never parsed.
    return undefined;
  }
}

/**
 * A text with tokens or characters too many, too few or elsewhere.
 * @param {string} text
 * @param {string} other
 * @param {Random} random
 */
export function mutateTokens(text, other, random) {
  let tokens = tokensOf(text);
  const donor = [...tokensOf(other), ...strangeNames];
  for (let left = random.integer(1, 3); left > 0; left--) {
    const at = random.integer(0, tokens.length);
    const count = random.integer(0, 2);
    const put = random.chance(0.7) ? [random.any(donor)] : [];
    tokens = [...tokens.slice(0, at), ...put, ...tokens.slice(at + count)];
  }
  return tokens.join('');
}

/** @param {string} text @returns {string[]} */
function tokensOf(text) {
  return text.match(/\w+|\s+|[^\w\s]/g) ?? [];
}
