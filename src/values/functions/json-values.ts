import { ignoreErrors } from '../../process/ignore-errors.js';
import { type JsonStep, parseLaxPath } from '../json-path.js';
import { elementsAt, memberPointer, partAt, scalarsAt } from '../json-raw.js';
import { compareCodePoints, type Json, maxJsonDepth, parseTree, printTree } from '../json-tree.js';
import { normalizeJson } from '../normalize-json.js';
import { ValueFault } from '../value-fault.js';
import { jsonUpTo } from './json-prefix.js';
import { prettyJson } from './json-pretty.js';
import { type TextFunction, textFunction } from './script-function.js';

type Texts = Parameters<TextFunction['call']>[0];

/** `(text, mode)` */
function parseJson([json = null, mode = null]: Texts): string | null {
  return json === null ? null : normalizeJson(json, mode === 'exact' ? mode : 'round');
}

/** `(JSON without blanks)` */
function pretty([json = null]: Texts): string | null {
  return json === null ? null : prettyJson(json);
}

/** `(text, pointer)`, with a function that reads the value. */
function read(reader: (text: string, pointer: string) => string | null) {
  return ([json = null, pointer = null]: Texts) =>
    json === null || pointer === null ? null : reader(json, pointer);
}

/** `(JSON, path in lax mode)`: all values at the path, as a JSON array. */
function queryLax([json = null, path = null]: Texts): string | null {
  if (json === null || path === null) return null;
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

/** How many directly nested arrays each mode of JSON_KEYS enters. */
const arraysByMode: ReadonlyMap<string, number> = new Map([
  ['strict', 0],
  ['lax', 1],
  ['lax recursive', Number.POSITIVE_INFINITY],
]);

/** `(JSON, depth, mode)`: the paths of all members, sorted, as a JSON array of strings. */
function jsonKeys([json = null, depth = null, mode = null]: Texts): string | null {
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

/** A value, and how deep to search below it. */
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

/** Functions that read and print JSON with numbers that DuckDB prints differently from BigQuery. */
export const jsonValueFunctions: readonly TextFunction[] = [
  textFunction('js_json_elements_at', read(elementsAt)),
  textFunction('js_json_keys', jsonKeys),
  textFunction('js_json_member_pointer', read(memberPointer)),
  textFunction('js_json_part_at', read(partAt)),
  textFunction('js_json_query_lax', queryLax),
  textFunction('js_json_pretty', pretty),
  textFunction('js_json_scalars_at', read(scalarsAt)),
  textFunction('js_json_up_to', read(jsonUpTo)),
  textFunction('js_parse_json', parseJson),
];
