import { QueryFault } from '../../errors/query-fault.js';
import type { Type } from '../../types/type.js';
import type { BoundExpression } from './bound.js';
import { someExpression } from './bound-map.js';

/** Most parts of one value's type: records of records would double with each step. */
const maxValueParts = 2_000;

/** Most parts of the types of all columns that a query names or makes. */
const maxColumnParts = 50_000;

/** Most of what is written out; the compiler has the server's one thread, and takes 10 us for each. */
const maxWritten = 30_000;

/** What a field of a record costs, where a column costs one: NULLs and names are written with it. */
const fieldCost = 4;

/** Most expressions that names of select items stand for. */
const maxRepeated = 20_000;

const sizes = new WeakMap<Type, number>();

/** How many scalars, arrays and structs a type is made of; shared parts are walked once. */
export function sizeOf(type: Type): number {
  if (type.kind !== 'ARRAY' && type.kind !== 'STRUCT') return 1;
  const known = sizes.get(type);
  if (known !== undefined) return known;
  const size = 1 + partsOf(type).reduce((sum, part) => sum + sizeOf(part), 0);
  sizes.set(type, size);
  return size;
}

function partsOf(type: Type): readonly Type[] {
  if (type.kind === 'ARRAY') return [type.element];
  return type.kind === 'STRUCT' ? type.fields.map((field) => field.type) : [];
}

/**
 * The value as it came.
 * @throws QueryFault `resourcesExceeded` where its type has too many parts
 */
export function checkValueSize<V extends BoundExpression>(value: V, at: number): V {
  if (sizeOf(value.type) <= maxValueParts) return value;
  const message = `A value has too many fields: at most ${maxValueParts}, at any depth, are allowed`;
  throw new QueryFault(message, at, 'resourcesExceeded');
}

/** Takes a number more. */
export type CountParts = (parts: number) => void;

/**
 * Counts the columns of one statement, with the fields of records.
 * @throws QueryFault `resourcesExceeded`, at `at`, once they are too many
 */
export function columnCounter(at: number): CountParts {
  return counter(at, maxColumnParts, 'columns, with the fields of records');
}

/**
 * Counts what of a statement is written out: expressions, and the fields of each record that one of
 * them, or the result, takes whole ({@link writtenSize}).
 * @throws QueryFault `resourcesExceeded`, at `at`, once it is too much
 */
export function writtenCounter(at: number): CountParts {
  return counter(at, maxWritten, 'expressions, with the fields of records that they take');
}

/** What a value of a type counts where it is written out. */
export function writtenSize(type: Type): number {
  const size = sizeOf(type);
  return size === 1 ? 1 : fieldCost * size;
}

/**
 * Counts the expressions that the names of select items stand for, each time that one is read.
 * @throws QueryFault `resourcesExceeded`, at `at`, once they are too many
 */
export function repeatCounter(at: number): (value: BoundExpression) => void {
  const count = counter(at, maxRepeated, 'expressions, each counted where its alias is read');
  return (value) => count(nodesOf(value));
}

const nodeCounts = new WeakMap<BoundExpression, number>();

/** How many expressions an expression is made of, itself among them. */
export function nodesOf(value: BoundExpression): number {
  const known = nodeCounts.get(value);
  if (known !== undefined) return known;
  let nodes = 0;
  someExpression(value, () => {
    nodes++;
    return false;
  });
  nodeCounts.set(value, nodes);
  return nodes;
}

function counter(at: number, most: number, what: string): CountParts {
  let count = 0;
  return (parts) => {
    count += parts;
    if (count <= most) return;
    const message = `The query has too many ${what}: at most ${most} are allowed`;
    throw new QueryFault(message, at, 'resourcesExceeded');
  };
}
