import { shortName } from '../../errors/errors.js';
import { QueryFault } from '../../errors/query-fault.js';
import { didYouMean } from '../../errors/suggest.js';
import * as bound from '../bound/bound.js';
import type { Identifier } from '../syntax/names.js';
import { changeNames, columnNames, type NamedValue, ownNames, type Range } from './scope.js';

/** A column of a range that a pipe operator changes. */
export interface ChangedColumn extends NamedValue {
  /** The index of the range. */
  readonly range: number;
  /** The column's own name in the range, in lower case; after RENAME, it differs from `name`. */
  readonly key: string;
  /** The new meaning of the name; undefined if it has none. */
  readonly to?: NamedValue;
}

/** Changes a column of a range; a name with an alias, such as `t.a`, keeps its meaning. */
export function changeColumn(
  ranges: readonly Range[],
  { range, key, to }: ChangedColumn,
): readonly Range[] {
  return ranges.map((other, index) =>
    index === range ? changeNames(other, new Map([[key, to]])) : other,
  );
}

/** Finds the columns of a name. @throws QueryFault if there is none */
export function columnsFor(name: Identifier, ranges: readonly Range[]): readonly ChangedColumn[] {
  const wanted = name.name.toLowerCase();
  const found = ranges.flatMap((range, index) =>
    named(range, wanted).map((column): ChangedColumn => ({ ...column, range: index })),
  );
  if (found.length > 0) return found;
  const near = didYouMean(name.name, ranges.flatMap(columnNames));
  throw new QueryFault(`Column ${shortName(name.name)} does not exist${near}`, name.at);
}

/** Finds the only column of a name. @throws QueryFault if there is none, or more than one */
export function columnFor(name: Identifier, ranges: readonly Range[]): ChangedColumn {
  const [column, other] = columnsFor(name, ranges);
  if (column !== undefined && other === undefined) return column;
  throw new QueryFault(`Column name ${shortName(name.name)} is ambiguous`, name.at);
}

function named(range: Range, wanted: string): readonly Omit<ChangedColumn, 'range'>[] {
  const { element, changed } = range;
  const others = [...(changed ?? [])].flatMap(([key, item]) =>
    item?.name.toLowerCase() === wanted ? [{ ...item, key }] : [],
  );
  if (changed?.has(wanted)) return others;
  const isValue = element !== undefined && element.type.kind !== 'STRUCT';
  const own = isValue && element.name.toLowerCase() === wanted ? [bound.columnValue(element)] : [];
  const kept = [...own, ...ownNames(range, wanted)];
  return [...kept.map((value) => ({ key: wanted, name: valueName(value), value })), ...others];
}

/** The name of a column, or of a field of a record. */
function valueName(value: bound.Expression): string {
  if (value.kind === 'column') return value.column.name;
  return value.kind === 'field' ? value.name : '';
}
