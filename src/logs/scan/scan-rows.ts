import type { DuckDBConnection } from '@duckdb/node-api';
import { addShape, type FieldNames, type LineCounts, type Shape } from '../columns/shape.js';
import { createNode, type ScanNode, severalPaths, shapeOfNode } from './node.js';
import { skipBlanks, type Walk } from './walk-scalar.js';
import { createWalk, walkValue } from './walk-value.js';

/** A shape to which records are added. */
export interface ShapeToRead {
  readonly shape: Shape;
  /** The fields that have types; by default none has. */
  readonly typed?: FieldNames | undefined;
}

/** Adds the structures of lines of one column `json` to a shape, in their order, and counts the lines. */
export async function readShape(
  connection: DuckDBConnection,
  lines: string,
  { shape, typed }: ShapeToRead,
): Promise<LineCounts> {
  const walk = createWalk();
  const root = createNode({ typed });
  const counts = { objects: 0, bad: 0, tooDeep: false };
  const result = await connection.stream(`select json::varchar from (${lines})`);
  for (let chunk = await result.fetchChunk(); chunk?.rowCount; chunk = await result.fetchChunk()) {
    for (const json of chunk.getColumnValues(0)) addRow({ walk, root, counts }, json);
  }
  addShape(shape, shapeOfNode(root));
  return { ...counts, several: severalPaths(root) };
}

interface Reading {
  readonly walk: Walk;
  readonly root: ScanNode;
  readonly counts: { objects: number; bad: number; tooDeep: boolean };
}

function addRow({ walk, root, counts }: Reading, json: unknown): void {
  if (typeof json === 'string' && walkRow(walk, root, json)) {
    counts.objects += 1;
    return;
  }
  counts.bad += 1;
  counts.tooDeep ||= walk.isTooDeep;
}

const brace = 123;

/** Whether it is an object; one that is nested too deeply leaves no trace. */
function walkRow(walk: Walk, root: ScanNode, json: string): boolean {
  walk.bytes = Buffer.from(`${json}\n\0\0\0`);
  walk.view = new DataView(walk.bytes.buffer, walk.bytes.byteOffset, walk.bytes.length);
  walk.at = 0;
  walk.lines += 1;
  walk.undo.length = 0;
  walk.countedFields = 0;
  walk.isTooDeep = false;
  const isObject = skipBlanks(walk) === brace;
  if (walkValue(walk, isObject ? root : createNode(), 0)) return isObject;
  revert(walk);
  return false;
}

/** Reverts the changes of the current line. */
export function revert({ undo, counted, countedFields }: Walk): void {
  for (const field of counted.slice(0, countedFields)) field.count -= 1;
  for (const revertOne of undo.reverse()) revertOne();
  undo.length = 0;
}
