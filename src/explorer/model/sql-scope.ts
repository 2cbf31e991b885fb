import type { FieldSchema } from '../../types/table-schema.js';
import type { ListedTable } from './endpoint.js';
import {
  findPath,
  pathKey,
  quoteField,
  type ReadingScope,
  type SourceField,
} from './record-paths.js';
import type { OutlinedSelect } from './sql-outline.js';

/** A name in scope: the row of a table (with an empty path), or the element of one of its arrays. */
export interface NamedRange extends SourceField {
  readonly alias: string;
}

/** The ranges of a SELECT over known tables; leaves out ranges over anything else. */
export function knownRanges(
  { sources }: OutlinedSelect,
  tables: readonly ListedTable[],
): readonly NamedRange[] {
  const ranges: NamedRange[] = [];
  for (const { kind, path, alias } of sources) {
    if (kind === 'table') {
      const table = tables.find(({ name }) => isSameName(name, path.at(-1) ?? ''));
      if (table) ranges.push({ alias, table, path: [] });
    } else if (kind === 'unnest') {
      const found = resolveName(path, ranges);
      if (found) ranges.push({ ...found, alias });
    }
  }
  return ranges;
}

/** Returns the table and the path to which a name refers: `r.path` -> the table of `r` and `metadata.request.path`. */
export function resolveName(
  names: readonly string[],
  ranges: readonly NamedRange[],
): SourceField | undefined {
  const [first = '', ...rest] = names;
  const own = ranges.find(({ alias }) => isSameName(alias, first));
  if (own) {
    const below = rest.length === 0 ? [] : findPath(rangeFields(own), rest);
    return below && { table: own.table, path: [...own.path, ...below] };
  }
  for (const range of ranges) {
    const below = findPath(rangeFields(range), names);
    if (below) return { table: range.table, path: [...range.path, ...below] };
  }
  return undefined;
}

/** The columns of a table, or the fields of an array's elements. */
export function rangeFields({ table, path }: SourceField): readonly FieldSchema[] {
  const last = path.at(-1);
  return last === undefined ? table.schema.fields : (last.fields ?? []);
}

/** Returns the names that the reading of a path of a table may use. */
export function readingScope(ranges: readonly NamedRange[], table: ListedTable): ReadingScope {
  const isAlone = ranges.filter(({ path }) => path.length === 0).length === 1;
  const own = ranges.filter((range) => range.table === table && range.alias !== '');
  const named = own.filter(({ path }) => path.length > 0 || !isAlone).toReversed();
  return {
    known: new Map(named.map(({ path, alias }) => [pathKey(path), quoteField(alias)])),
    taken: new Set(ranges.map(({ alias }) => alias)),
  };
}

/** Whether two names are the same to GoogleSQL. */
export function isSameName(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}
