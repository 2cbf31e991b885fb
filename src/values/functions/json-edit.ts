import { type JsonStep, parseJsonPath } from '../json-path.js';
import { type Json, maxJsonDepth, parseTree, printTree } from '../json-tree.js';
import { ValueFault } from '../value-fault.js';
import { remember, type Text } from './script-function.js';

type Path = readonly JsonStep[];

/** The maximum number of elements in an array. */
const maxElements = 1_000_000;

const readPath = remember((text): Path => {
  const path = parseJsonPath(text);
  if (path.length > maxJsonDepth) {
    throw new ValueFault(`JSONPath has more than ${maxJsonDepth} steps`);
  }
  return path;
});

/** Sets a value at a path; `creates` says whether to create missing members and elements. */
function set(json: Json, path: Path, value: Json, creates: boolean): Json {
  const [step, ...rest] = path;
  if (step === undefined) return value;
  const container = json === 'null' && creates ? emptyFor(step) : json;
  const found = childAt(container, step);
  if (found === 'no container' || (found === undefined && !creates)) return json;
  return put(container, step, set(found?.child ?? 'null', rest, value, creates));
}

function emptyFor(step: JsonStep): Json {
  return typeof step === 'string' ? new Map() : [];
}

/** Returns the child at a step; undefined if it is missing. */
function childAt(json: Json, step: JsonStep): { child: Json } | undefined | 'no container' {
  let child: Json | undefined;
  if (json instanceof Map && typeof step === 'string') child = json.get(step);
  else if (Array.isArray(json) && typeof step === 'number') child = json[step];
  else return 'no container';
  return child === undefined ? undefined : { child };
}

/** Sets a member or an element of a container of the right kind. */
function put(container: Json, step: JsonStep, child: Json): Json {
  if (container instanceof Map) container.set(String(step), child);
  if (Array.isArray(container)) {
    pad(container, Number(step));
    container[Number(step)] = child;
  }
  return container;
}

/** Extends an array with JSON nulls up to a length. */
function pad(elements: Json[], length: number): void {
  refuseBeyond(length);
  while (elements.length < length) elements.push('null');
}

function refuseBeyond(length: number): void {
  if (length >= maxElements) throw new ValueFault(`Exceeded maximum array size of ${maxElements}`);
}

/** Changes the value at a path, if there is one. */
function alter(json: Json, path: Path, change: (found: Json) => Json): Json {
  const [step, ...rest] = path;
  if (step === undefined) return change(json);
  const found = childAt(json, step);
  if (found === undefined || found === 'no container') return json;
  return put(json, step, alter(found.child, rest, change));
}

function remove(json: Json, path: Path): Json {
  const last = path.at(-1);
  if (last === undefined) throw new ValueFault("The JSONPath cannot be '$'");
  return alter(json, path.slice(0, -1), (found) => {
    if (found instanceof Map && typeof last === 'string') found.delete(last);
    if (Array.isArray(found) && typeof last === 'number') found.splice(last, 1);
    return found;
  });
}

function append(json: Json, path: Path, values: readonly Json[]): Json {
  return alter(json, path, (found) => {
    const elements = found === 'null' ? [] : found;
    if (!Array.isArray(elements)) return found;
    refuseBeyond(elements.length + values.length - 1);
    return [...elements, ...values];
  });
}

function insert(json: Json, path: Path, values: readonly Json[]): Json {
  const index = path.at(-1);
  if (typeof index !== 'number') return json;
  return alter(json, path.slice(0, -1), (found) => {
    const elements = found === 'null' ? [] : found;
    if (!Array.isArray(elements)) return found;
    refuseBeyond(Math.max(index, elements.length) + values.length - 1);
    pad(elements, values.length === 0 && index >= elements.length ? index + 1 : index);
    return [...elements.slice(0, index), ...values, ...elements.slice(index)];
  });
}

interface Stripped {
  readonly arrays: boolean;
  readonly empty: boolean;
}

/** Removes JSON nulls, and empty containers if requested; if nothing is left, returns a JSON null. */
function strip(json: Json, options: Stripped): Json {
  stripWithin(json, options);
  return isEmpty(json, options) ? 'null' : json;
}

function stripWithin(json: Json, options: Stripped): void {
  if (typeof json === 'string') return;
  for (const child of json.values()) stripWithin(child, options);
  const isDropped = (child: Json) => child === 'null' || isEmpty(child, options);
  if (json instanceof Map) {
    for (const [name, child] of json) if (isDropped(child)) json.delete(name);
  } else if (options.arrays) {
    const kept = json.filter((child) => !isDropped(child));
    json.length = 0;
    for (const child of kept) json.push(child);
  }
}

function isEmpty(json: Json, { arrays, empty }: Stripped): boolean {
  if (!empty) return false;
  return json instanceof Map ? json.size === 0 : arrays && Array.isArray(json) && json.length === 0;
}

function flatten(json: Json): readonly Json[] {
  return Array.isArray(json) ? json.flatMap(flatten) : [json];
}

/** Groups the arguments. */
function inGroups(args: readonly Text[], size: number): readonly (readonly Text[])[] {
  return Array.from({ length: args.length / size }, (_, i) =>
    args.slice(i * size, i * size + size),
  );
}

/**
 * JSON_SET; the rest are pairs of a path and a value. In all functions of this file, a step that does not fit the value
 * leaves it unchanged.
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/json_functions
 */
export function setInJson(json: Text, creates: Text, ...rest: readonly Text[]): Text {
  const pairs = inGroups(rest, 2).flatMap(([path = null, value = null]) =>
    path === null ? [] : [{ path: readPath(path), value: value ?? 'null' }],
  );
  if (json === null || creates === null) return json;
  return printTree(
    pairs.reduce(
      (tree, { path, value }) => set(tree, path, parseTree(value), creates === 'true'),
      parseTree(json),
    ),
  );
}

type Add = (json: Json, path: Path, values: readonly Json[]) => Json;

/**
 * Returns a function that adds values: the rest are triples of a path, `array` or `value`, and a value; a NULL array
 * adds nothing.
 */
function adder(add: Add) {
  return (json: Text, each: Text, ...rest: readonly Text[]): Text => {
    const triples = inGroups(rest, 3).flatMap(([path = null, kind, value = null]) =>
      path === null ? [] : [{ path: readPath(path), spreads: kind === 'array', value }],
    );
    if (json === null || each === null) return json;
    const added = triples.reduce((tree, { path, spreads, value }) => {
      if (!spreads || each === 'false') return add(tree, path, [parseTree(value ?? 'null')]);
      const values = value === null ? 'null' : parseTree(value);
      return Array.isArray(values) ? add(tree, path, values) : tree;
    }, parseTree(json));
    return printTree(added);
  };
}

/** JSON_ARRAY_APPEND. */
export const appendToJson = adder(append);

/** JSON_ARRAY_INSERT. */
export const insertIntoJson = adder(insert);

/** JSON_REMOVE. */
export function removeFromJson(json: Text, ...paths: readonly Text[]): Text {
  const read = paths.flatMap((path) => (path === null ? [] : [readPath(path)]));
  return json === null ? null : printTree(read.reduce(remove, parseTree(json)));
}

/** JSON_STRIP_NULLS. */
export function stripJsonNulls(json: Text, path: Text, arrays: Text, empty: Text): Text {
  const steps = path === null ? null : readPath(path);
  if (json === null || steps === null || arrays === null || empty === null) return json;
  const options = { arrays: arrays === 'true', empty: empty === 'true' };
  return printTree(alter(parseTree(json), steps, (found) => strip(found, options)));
}

/** JSON_FLATTEN. */
export function flattenJson(json: string): string {
  return printTree([...flatten(parseTree(json))]);
}
