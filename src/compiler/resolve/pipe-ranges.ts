import type * as bound from '../bound/bound.js';
import { type PipePlace, type PipeTable, wrap } from './pipe-table.js';
import { outputItem, rangeItems } from './resolve-star.js';
import type { Range } from './scope.js';

/**
 * Replaces the columns of each range for which `has` is true by what `*` selects from it: the fields of records, and
 * columns with the names and values that SET, RENAME and USING gave them. Aliases keep the columns that are left.
 */
export function withShown(
  before: PipeTable,
  has: (range: Range) => boolean,
  place: PipePlace,
): PipeTable {
  const isOld = (range: Range) => (range.changed !== undefined || isRecord(range)) && has(range);
  if (!before.ranges.some(isOld)) return before;
  const readsComputed = before.computed.length > 0 && before.ranges.some(isRecord);
  const table = readsComputed ? wrap(before, place).table : before;
  const computed = [...table.computed];
  const shown = table.ranges.map((range) =>
    isOld(range)
      ? [...starColumns(range, computed, place), ...absentColumns(range)]
      : range.columns,
  );
  const ids = new Set(shown.flat().map(({ id }) => id));
  const ranges = table.ranges.flatMap((range, index): readonly Range[] => {
    const columns = shown[index] ?? [];
    return isOld(range) ? [{ columns }, ...aliasRanges(range, columns, ids)] : [range];
  });
  return { ...table, computed, ranges };
}

function isRecord({ element }: Range): boolean {
  return element?.type.kind === 'STRUCT';
}

/** The columns that `*` selects from a range; adds values that are not columns to `computed`. */
function starColumns(
  range: Range,
  computed: bound.Item[],
  { scope, at }: PipePlace,
): readonly bound.Column[] {
  return rangeItems(range, at).map((named) => {
    if (named.value.kind === 'column') return { ...named.value.column, name: named.name };
    const item = outputItem(named, scope);
    computed.push(item);
    return item.column;
  });
}

/** The columns that no file has and no operator replaces. */
function absentColumns({ columns, changed }: Range): readonly bound.Column[] {
  return columns.filter(({ name, isAbsent }) => isAbsent && !changed?.has(name.toLowerCase()));
}

/** The alias of a range, with its shown columns under their own names; `*` does not select them again. */
function aliasRanges(
  { name, columns, element, changed }: Range,
  shown: readonly bound.Column[],
  ids: ReadonlySet<number>,
): readonly Range[] {
  if (name === undefined) return [];
  const fields = shown.filter((column) => changed?.has(column.name.toLowerCase()) !== true);
  const own = element === undefined ? columns.filter(({ id }) => ids.has(id)) : fields;
  const hidden = new Map(own.map((column) => [column.name.toLowerCase(), undefined]));
  return [{ name, columns: own, changed: hidden }];
}

/** The columns of a range that unqualified names can refer to, including records and columns that no file has. */
export function shownColumns({ element, columns, changed }: Range): readonly bound.Column[] {
  const own = element === undefined ? columns : [element, ...columns];
  return own.filter(({ name }) => changed?.has(name.toLowerCase()) !== true);
}
