import { scalar } from '../../types/types.js';
import type * as bound from '../bound/bound.js';
import { mapChanged, type Range, type ResolvedFrom, type Scope } from './scope.js';

/** A side of an outer join that may have no match. */
export interface EmptySide {
  readonly ranges: readonly Range[];
  /** Set if no other column tells whether the side has a match. */
  readonly present?: bound.Column;
}

/**
 * Returns the ranges of a side of an outer join that may have no match. Each column refers to the column
 * that is NULL without a match.
 */
export function emptySide({ ranges }: ResolvedFrom, { statement }: Scope): EmptySide {
  const present = ranges.some(needsPresent) ? statement.newColumn('', scalar('BOOL')) : undefined;
  const nullable = ranges.map((range) => mayBeEmpty(range, matchWitness(range) ?? present));
  return { ranges: nullable, ...(present && { present }) };
}

/** A column that is NULL only in rows without a match. Every record of a log has a time. */
function matchWitness({ columns, element }: Range): bound.Column | undefined {
  const isTime = ({ name, isLogField: isField, type }: bound.Column) =>
    isField && type.kind === 'TIMESTAMP' && name.toLowerCase() === 'timestamp';
  return element ?? columns.find(isTime);
}

/**
 * Whether a range needs a column that tells a match from an empty side: it has arrays of a log, in which NULL is the
 * empty array, and no other column can tell.
 */
function needsPresent(range: Range): boolean {
  const isArray = ({ isLogField: isField, type }: bound.Column) => isField && type.kind === 'ARRAY';
  return matchWitness(range) === undefined && range.columns.some(isArray);
}

function mayBeEmpty(range: Range, nullWith: bound.Column | undefined): Range {
  if (nullWith === undefined) return range;
  const { element } = range;
  const columns = range.columns.map((column) => ({ ...column, nullWith }));
  const changed = range.changed && mapChanged(range.changed, (value) => withNull(value, nullWith));
  return {
    ...range,
    columns,
    ...(element && { element: { ...element, nullWith: element } }),
    ...(changed && { changed }),
  };
}

function withNull(value: bound.Expression, nullWith: bound.Column): bound.Expression {
  return value.kind === 'column' ? { ...value, column: { ...value.column, nullWith } } : value;
}
