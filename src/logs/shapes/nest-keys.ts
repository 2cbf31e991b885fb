import { sliceJson } from '../../values/slice-json.js';
import { type Line, type Member, type ReadName, recordMembers } from './member.js';

/** A dot in a name, or in a string before a colon; takes linear time. */
const dotInName = /\.[^"\\.]*"[ \t]*:/;

/** Names that are paths. Email and IP addresses are not: redaction would not recognize their parts. */
const pathName = /^"[A-Za-z_][\w-]*(?:\.[A-Za-z_][\w-]*)+"$/;

/** The maximum depth after nesting; lines that are nested deeper than 64 levels are not loaded. */
const maxDepth = 60;

/**
 * A value as written, or the members of an object by their names in lower case, or as written if two names differ only
 * in case.
 */
type Tree = Line | Map<string, { readonly key: Line; value: Tree }>;

/** The state of nesting the members. */
interface Nesting {
  readonly readName: ReadName;
  isTooDeep: boolean;
}

/**
 * Turns names with dots into records, at every depth: `{"log":{"a":1},"log.level":"info"}` ->
 * `{"log":{"a":1,"level":"info"}}`. A name stays as it is if its path crosses a value that is not a record, or ends
 * at an existing member. Records that would be nested too deeply stay as they are.
 */
export function nestKeys(members: readonly Member[], readName: ReadName): readonly Member[] {
  const hasPath = ({ key, raw }: Member) =>
    (key.includes('.') && pathName.test(key)) || (/^[[{]/.test(raw) && dotInName.test(raw));
  if (!members.some(hasPath)) return members;
  const nesting = { readName, isTooDeep: false };
  const nested = print(nestMembers(members, nesting, 2));
  return nesting.isTooDeep ? members : recordMembers(nested, readName);
}

function nestMembers(members: readonly Member[], nesting: Nesting, depth: number): Tree {
  const tree: Exclude<Tree, Line> = new Map();
  const add = (name: string, key: Line, value: Tree) =>
    tree.set(tree.has(name) ? key : name, { key, value });
  const paths = members.filter(({ key }) => pathName.test(key));
  for (const { name, key, raw } of members) {
    const isNew = tree.get(name)?.key !== key && !tree.has(key);
    if (isNew && !pathName.test(key)) add(name, key, nestValue(raw, nesting, depth));
  }
  for (const { name, key, raw } of paths) {
    const names = key.slice(1, -1).split('.');
    const value = nestValue(raw, nesting, depth + names.length - 1);
    if (!nesting.isTooDeep && !place(tree, names, value)) add(name, key, value);
  }
  return tree;
}

function nestValue(raw: Line, nesting: Nesting, depth: number): Tree {
  nesting.isTooDeep ||= depth > maxDepth;
  if (nesting.isTooDeep || !/^[[{]/.test(raw)) return raw;
  if (raw.startsWith('{'))
    return nestMembers(recordMembers(raw, nesting.readName), nesting, depth + 1);
  const elements = sliceJson(raw).map((element) => nestValue(element.raw, nesting, depth + 1));
  return `[${elements.map(print).join(',')}]`;
}

/** Adds a value at a path; returns false if the path is blocked. */
function place(
  tree: Exclude<Tree, Line>,
  [first = '', ...rest]: readonly string[],
  value: Tree,
): boolean {
  const name = first.toLowerCase();
  const known = tree.get(name);
  const isFree = known === undefined || known.value === 'null';
  if (rest.length === 0) {
    if (isFree) tree.set(name, { key: `"${first}"`, value });
    return isFree;
  }
  if (!isFree && typeof known.value === 'string') return false;
  const inner = isFree || typeof known.value === 'string' ? new Map() : known.value;
  tree.set(name, { key: known?.key ?? `"${first}"`, value: inner });
  return place(inner, rest, value);
}

function print(tree: Tree): Line {
  if (typeof tree === 'string') return tree;
  return `{${[...tree.values()].map(({ key, value }) => `${key}:${print(value)}`).join(',')}}`;
}
