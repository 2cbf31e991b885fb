import { QueryFault } from '../../errors/query-fault.js';
import type { Field, Type } from '../../types/types.js';
import type * as bound from './bound.js';
import { someExpression } from './search.js';

/** The maximum {@link typeSize} of one value: a query could double it with each level of nested structs. */
const maxValueParts = 2_000;

/** The limits of a statement. */
const statementLimits = {
  /** The {@link typeSize} of all columns together. */
  columns: { max: 50_000, what: 'columns, with the fields of records' },
  /**
   * The {@link printedSize}: its expressions, and the fields of each record that it uses as a whole. Each unit takes
   * about 10 µs to compile.
   */
  printed: { max: 30_000, what: 'expressions, with the fields of records that they take' },
  /** The expressions that aliases repeat each time an alias is used. */
  repeated: { max: 20_000, what: 'expressions, each counted where its alias is read' },
} as const;

/** The printed size of a declared field; a column has 1. The field's name and a NULL are printed, too. */
const fieldCost = 4;

type Sizes = WeakMap<Type, number>;

/** Cached, so that a shared type is measured once. */
const sizes: Sizes = new WeakMap();
const allSizes: Sizes = new WeakMap();

/**
 * The number of scalars, arrays and structs in a type, without undeclared fields of logs: no query is refused because
 * of what is logged.
 */
export function typeSize(type: Type): number {
  return measure(type, sizes, ({ undeclared }) => !undeclared);
}

function measure(type: Type, known: Sizes, counts: (field: Field) => boolean): number {
  if (type.kind !== 'ARRAY' && type.kind !== 'STRUCT') return 1;
  const cached = known.get(type);
  if (cached !== undefined) return cached;
  const inner = type.kind === 'STRUCT' ? type.fields.filter(counts) : [{ type: type.element }];
  const size = inner.reduce((sum, part) => sum + measure(part.type, known, counts), 1);
  known.set(type, size);
  return size;
}

/**
 * Returns the value.
 * @throws QueryFault `resourcesExceeded` if its type is too large
 */
export function checkValueSize<V extends bound.Expression>(value: V, at: number): V {
  if (typeSize(value.type) <= maxValueParts) return value;
  const message = `A value has too many fields: at most ${maxValueParts}, at any depth, are allowed`;
  throw new QueryFault(message, at, 'resourcesExceeded');
}

/** Adds to a counter with a limit. */
export type CountParts = (parts: number) => void;

/**
 * Creates a counter of parts of one statement. Beyond its limit, it throws a QueryFault `resourcesExceeded` at `at`.
 */
export function createCounter(kind: keyof typeof statementLimits, at: number): CountParts {
  const { max, what } = statementLimits[kind];
  let count = 0;
  return (parts) => {
    count += parts;
    if (count <= max) return;
    const message = `The query has too many ${what}: at most ${max} are allowed`;
    throw new QueryFault(message, at, 'resourcesExceeded');
  };
}

/** The printed size of a value of this type. */
export function printedSize(type: Type): number {
  const declared = typeSize(type);
  const all = measure(type, allSizes, () => true);
  return all === 1 ? 1 : fieldCost * declared + (all - declared);
}

/** Cached, because an alias can be used many times. */
const nodeCounts = new WeakMap<bound.Expression, number>();

/** The number of expressions in an expression, itself included. */
export function countBoundNodes(value: bound.Expression): number {
  const cached = nodeCounts.get(value);
  if (cached !== undefined) return cached;
  let nodes = 0;
  someExpression(value, () => {
    nodes++;
    return false;
  });
  nodeCounts.set(value, nodes);
  return nodes;
}
