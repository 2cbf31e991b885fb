import { ignoreErrors } from '../../process/ignore-errors.js';
import { type JsonStep, parseLaxPath } from '../json-path.js';
import { compareCodePoints, type Json, maxJsonDepth, parseTree, printTree } from '../json-tree.js';
import { ValueFault } from '../value-fault.js';
import type { Text } from './script-function.js';

/** Returns all values at a path in lax mode, as a JSON array. */
export function laxJsonValues(json: string, path: string): Text {
  const { steps, isRecursive } = parseLaxPath(path);
  const maxArrays = isRecursive ? maxJsonDepth : 1;
  const tree = ignoreErrors(() => parseTree(json));
  // A string that nests too deeply gives NULL, as with a path in strict mode.
  if (tree === undefined) return null;
  let values: readonly Json[] = [tree];
  for (const step of steps) values = values.flatMap((value) => followLax(value, step, maxArrays));
  return printTree([...values]);
}

/**
 * Returns the values at a step: also searches the elements of arrays for a member, and treats a single value as its
 * own first element.
 */
function followLax(value: Json, step: JsonStep, maxArrays: number): readonly Json[] {
  const found = (one: Json | undefined) => (one === undefined ? [] : [one]);
  if (typeof step === 'number') {
    return found(Array.isArray(value) ? value[step] : step === 0 ? value : undefined);
  }
  if (typeof value === 'string') return [];
  if (!Array.isArray(value)) return found(value.get(step));
  if (maxArrays === 0) return [];
  return value.flatMap((element) => followLax(element, step, maxArrays - 1));
}

/** The maximum number of directly nested arrays that each mode of JSON_KEYS enters. */
const arraysByMode: ReadonlyMap<string, number> = new Map([
  ['strict', 0],
  ['lax', 1],
  ['lax recursive', Number.POSITIVE_INFINITY],
]);

/** JSON_KEYS: the paths of all members, sorted, as a JSON array of strings. */
export function jsonKeyPaths(json: Text, depth: Text, mode: Text): Text {
  if (json === null || mode === null) return null;
  const maxDepth = Number(depth ?? Number.POSITIVE_INFINITY);
  if (maxDepth <= 0) throw new ValueFault('max_depth must be positive.');
  const maxArrays = arraysByMode.get(mode.toLowerCase());
  if (maxArrays === undefined) {
    const modes = [...arraysByMode.keys()].join(', ');
    throw new ValueFault(`Invalid mode in JSON_KEYS: it is one of ${modes}`);
  }
  const found = new Set<string>();
  addKeys(found, parseTree(json), { path: [], arrays: 0, maxDepth, maxArrays });
  return JSON.stringify([...found].sort(compareCodePoints));
}

/** A value, and the maximum depth of the search below it. */
interface KeysBelow {
  readonly path: readonly string[];
  /** The number of arrays directly around it. */
  readonly arrays: number;
  readonly maxDepth: number;
  readonly maxArrays: number;
}

function addKeys(found: Set<string>, value: Json, below: KeysBelow): void {
  const { path, arrays, maxDepth, maxArrays } = below;
  if (typeof value === 'string') return;
  if (Array.isArray(value)) {
    if (arrays === maxArrays) return;
    for (const child of value) addKeys(found, child, { ...below, arrays: arrays + 1 });
    return;
  }
  if (path.length >= maxDepth) return;
  for (const [name, child] of value) {
    const own = [...path, pathPart(name)];
    found.add(own.join('.'));
    addKeys(found, child, { ...below, path: own, arrays: 0 });
  }
}

/** Prints a name as a part of a JSONPath, quoted if it has special characters. */
function pathPart(name: string): string {
  return /^[\p{L}\p{N}_]+$/u.test(name) ? name : `"${name.replaceAll(/["\\]/g, '\\$&')}"`;
}
