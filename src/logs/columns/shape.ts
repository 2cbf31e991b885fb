import type { DuckDBConnection } from '@duckdb/node-api';
import { quoteName, quoteText } from '../../common/quote.js';

/** The kinds of scalar that DuckDB's `json_structure` distinguishes. */
export type ScalarKind = 'BIGINT' | 'BOOLEAN' | 'DOUBLE' | 'UBIGINT' | 'VARCHAR';

/** The kinds of value that occur at one path of the records, over all lines. */
export interface Shape {
  readonly scalars: Set<ScalarKind>;
  /** How many records have a value here. */
  count: number;
  /** The fields of its objects, spelled as in the files; undefined if there is no object. */
  fields: Map<string, Shape> | undefined;
  /** The elements of its arrays; undefined if there is no array. */
  elements: Shape | undefined;
  /** Whether its objects have fields that are not in `fields`, of unknown names. */
  isPartial: boolean;
  /**
   * Whether `json_structure` reported only `JSON` here, as it does for mixed values within a line and
   * for `{}`; false once the values have been read.
   */
  hidden: boolean;
}

/** The shape of no lines. */
export function emptyShape(): Shape {
  return {
    scalars: new Set(),
    count: 0,
    fields: undefined,
    elements: undefined,
    isPartial: false,
    hidden: false,
  };
}

/** Whether a key can be a name in DuckDB; if not, its values are left out. */
export function isUsable(key: string): boolean {
  return key !== '' && !key.includes('\0');
}

/** Adds one shape to another. Where one is partial, only its fields are left: others may have been in it, too. */
export function addShape(shape: Shape, other: Shape): void {
  for (const kind of other.scalars) shape.scalars.add(kind);
  shape.count += other.count;
  if (other.fields) addFields(shape, other);
  if (other.elements) addShape(elementsOf(shape), other.elements);
}

function addFields(shape: Shape, { fields: added = new Map<string, Shape>(), isPartial }: Shape) {
  const fields = fieldsOf(shape);
  for (const [key, child] of added) {
    if (!shape.isPartial || fields.has(key)) addShape(childOf(fields, key), child);
  }
  if (!isPartial) return;
  for (const key of fields.keys()) if (!added.has(key)) fields.delete(key);
  shape.isPartial = true;
}

/** The shape of the values of several shapes. */
export function joinShapes(shapes: readonly Shape[]): Shape {
  const [only, ...others] = shapes;
  if (only !== undefined && others.length === 0) return only;
  const joined = emptyShape();
  for (const shape of shapes) addShape(joined, shape);
  return joined;
}

/** The shape of the objects at a path, those in arrays included, without the arrays. */
export function recordOf({ fields, elements, isPartial }: Shape): Shape {
  const objects = { ...emptyShape(), fields, isPartial };
  if (elements?.fields === undefined) return objects;
  const inArrays = { ...elements, elements: undefined };
  return fields === undefined ? inArrays : joinShapes([objects, inArrays]);
}

/** Counts of a file's lines, before they are converted. */
export interface LineCounts {
  readonly objects: number;
  /** Lines that are not JSON objects, including those that are nested too deeply. */
  readonly bad: number;
  readonly tooDeep: boolean;
  /** Whether some object has no usable `id`. */
  readonly lacksId: boolean;
}

/**
 * Adds the structures of lines of `n` and `json` to a shape, in order of `n`, and counts the lines.
 * DuckDB groups them by structure, so that JavaScript sees each of the few distinct structures once.
 */
export async function readShape(
  connection: DuckDBConnection,
  lines: string,
  shape: Shape,
): Promise<LineCounts> {
  const groups = await readLines(connection, lines);
  const counts = groups.map(({ structure, count }) => addLine(shape, structure, count));
  const shallow = `select n, case when not log_deep(json) then json end as v from (${lines})`;
  await unhide(connection, { values: shallow, shape });
  const sum = (key: 'objects' | 'bad') => counts.reduce((total, each) => total + each[key], 0);
  return {
    objects: sum('objects'),
    bad: sum('bad'),
    tooDeep: groups.some(({ structure }) => structure === 'deep'),
    lacksId: counts.some((each) => each.lacksId),
  };
}

/** A result of `json_structure`: a kind of scalar, an array, or an object. */
type Structure = string | readonly [Structure] | { readonly [key: string]: Structure };

/** Below this many bytes no line is nested deeply enough to crash `json_structure`. */
const safeBytes = 16_384;
const maxDepth = 64;

/**
 * The structures of the lines, `deep` for those nested too deeply; all lines are checked only if
 * necessary.
 */
async function readLines(connection: DuckDBConnection, lines: string): Promise<readonly Group[]> {
  const structuresWhere = (isDeep: string) => `select n, case when ${isDeep} then 'deep'
    else json_structure(json)::varchar end from (${lines})`;
  const suspect = `strlen(json) > ${safeBytes} and log_deep(json)`;
  const groups = await readGroups(connection, structuresWhere(suspect));
  const isHidden = groups.some(({ structure }) => structure?.includes('"JSON"'));
  const isDeep = groups.some(({ structure }) => depthOf(structure ?? '') > maxDepth);
  if (!isDeep && !(isHidden && (await hasDeepLine(connection, lines)))) return groups;
  return readGroups(connection, structuresWhere('log_deep(json)'));
}

async function hasDeepLine(connection: DuckDBConnection, lines: string): Promise<boolean> {
  const query = `select 1 from (${lines}) where log_deep(json) limit 1`;
  return (await connection.runAndReadAll(query)).currentRowCount > 0;
}

function depthOf(structure: string): number {
  const brackets = structure.replace(/"(?:[^"\\]|\\.)*"|[^[\]{}]/g, '');
  let depth = 0;
  let deepest = 0;
  for (const bracket of brackets) {
    depth += bracket === '[' || bracket === '{' ? 1 : -1;
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}

interface Group {
  readonly structure: string | null;
  readonly count: number;
}

async function readGroups(connection: DuckDBConnection, query: string): Promise<readonly Group[]> {
  const reader = await connection.runAndReadAll(
    `select s, count(*)::double from (${query}) as t(n, s) group by s order by min(n), 2 desc, 1`,
  );
  return reader.getRowsJson().map(([structure, count]) => ({
    structure: structure === null ? null : String(structure),
    count: Number(count),
  }));
}

function addLine(shape: Shape, text: string | null, count: number) {
  const structure = parseStructure(text);
  const isObject = structure === 'JSON' || isFields(structure);
  if (!isObject) return { objects: 0, bad: count, lacksId: false };
  if (isFields(structure)) addStructure(shape, structure, count);
  const ids = isFields(structure) ? Object.entries(structure) : [];
  const hasId = ids.some(([key, id]) => key.toLowerCase() === 'id' && isScalar(id));
  return { objects: count, bad: 0, lacksId: !hasId };
}

function parseStructure(text: string | null): Structure | undefined {
  return text === null || text === 'deep' ? undefined : (JSON.parse(text) as Structure);
}

function isFields(
  structure: Structure | undefined,
): structure is { readonly [key: string]: Structure } {
  return typeof structure === 'object' && !Array.isArray(structure);
}

function isScalar(structure: Structure): boolean {
  return typeof structure === 'string' && structure !== 'NULL' && structure !== 'JSON';
}

function addStructure(shape: Shape, structure: Structure, count = 0): void {
  shape.count += count;
  if (isFields(structure)) {
    const fields = fieldsOf(shape);
    for (const [key, value] of Object.entries(structure)) {
      addStructure(childOf(fields, key), value, count);
    }
  } else if (typeof structure === 'object') {
    addStructure(elementsOf(shape), structure[0], count);
  } else if (structure === 'JSON') {
    shape.hidden = true;
  } else if (structure !== 'NULL') {
    shape.scalars.add(structure === 'HUGEINT' ? 'BIGINT' : (structure as ScalarKind));
    if (structure === 'HUGEINT') shape.scalars.add('UBIGINT');
  }
}

function fieldsOf(shape: Shape): Map<string, Shape> {
  shape.fields ??= new Map();
  return shape.fields;
}

function elementsOf(shape: Shape): Shape {
  shape.elements ??= emptyShape();
  return shape.elements;
}

function childOf(fields: Map<string, Shape>, key: string): Shape {
  const child = fields.get(key) ?? emptyShape();
  fields.set(key, child);
  return child;
}

interface Hidden {
  /** A query that returns `n` and `v`: the values at the shape's path. */
  readonly values: string;
  readonly shape: Shape;
}

/** Reads the values, one level at a time, wherever `json_structure` reported only `JSON`. */
async function unhide(connection: DuckDBConnection, { values, shape }: Hidden): Promise<void> {
  if (shape.hidden || shape.elements?.hidden) {
    shape.hidden = false;
    await addValues(connection, { values, shape });
  }
  const elements = `select n, unnest(case json_type(v) when 'OBJECT' then [v]
    when 'ARRAY' then json_extract(v, '$[*]') end) as e from (${values})`;
  const children = [...(shape.fields ?? []), ...(shape.elements?.fields ?? [])];
  for (const [key, child] of children) {
    if (!isUsable(key) || !hasHidden(child)) continue;
    const spec = quoteText(JSON.stringify({ [key]: 'JSON' }));
    const inner = `select n, from_json(e, ${spec}).${quoteName(key)} as v
      from (${elements}) where json_type(e) = 'OBJECT'`;
    await unhide(connection, { values: inner, shape: child });
  }
}

function hasHidden(shape: Shape): boolean {
  const children = [...(shape.fields?.values() ?? []), ...(shape.elements?.fields?.values() ?? [])];
  return shape.hidden || shape.elements?.hidden === true || children.some(hasHidden);
}

async function addValues(connection: DuckDBConnection, { values, shape }: Hidden): Promise<void> {
  const plain = await readGroups(connection, structures(values));
  const elements = `select n, unnest(json_extract(v, '$[*]')) as v
    from (${values}) where json_type(v) = 'ARRAY'`;
  const inArrays = plain.some(({ structure }) => structure?.startsWith('ARRAY'))
    ? await readGroups(connection, structures(elements))
    : [];
  for (const { structure } of plain) addTyped(shape, structure);
  if (shape.elements) shape.elements.hidden = false;
  for (const { structure } of inArrays) addTyped(elementsOf(shape), structure);
}

function structures(values: string): string {
  return `select n, json_type(v) || ' ' || case json_type(v) when 'ARRAY' then '' else
    json_structure(v)::varchar end from (${values}) where v is not null`;
}

/**
 * Adds the structure of a value, preceded by its type, which identifies an object without fields.
 */
function addTyped(shape: Shape, text: string | null): void {
  if (text?.startsWith('ARRAY')) elementsOf(shape);
  if (text?.startsWith('OBJECT')) fieldsOf(shape);
  const structure = parseStructure(
    text === null ? null : text.slice(text.indexOf(' ') + 1) || null,
  );
  if (structure !== undefined && structure !== 'JSON') addStructure(shape, structure);
}
