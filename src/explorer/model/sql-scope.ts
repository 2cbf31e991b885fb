import type { FieldSchema } from '../../types/table-schema.js';
import type { Table } from './endpoint.js';
import { findPath, keyOf, quoteName, type ReadingScope, type RecordPath } from './record-paths.js';
import type { Select } from './sql-outline.js';

/** A name in scope: the row of a table (with an empty path), or the element of one of its arrays. */
export interface Range {
  readonly alias: string;
  readonly table: Table;
  readonly path: RecordPath;
}

/** Returns the ranges of a SELECT over known tables; omits ranges over anything else. */
export function rangesOf({ sources }: Select, tables: readonly Table[]): readonly Range[] {
  const ranges: Range[] = [];
  for (const { kind, path, alias } of sources) {
    if (kind === 'table') {
      const table = tables.find(({ name }) => isSame(name, path.at(-1) ?? ''));
      if (table) ranges.push({ alias, table, path: [] });
    } else if (kind === 'unnest') {
      const found = resolve(path, ranges);
      if (found) ranges.push({ ...found, alias });
    }
  }
  return ranges;
}

/** Resolves a name in a query: `r.path` -> the table, and `metadata.request.path`. */
export function resolve(
  names: readonly string[],
  ranges: readonly Range[],
): Pick<Range, 'table' | 'path'> | undefined {
  const [first = '', ...rest] = names;
  const own = ranges.find(({ alias }) => isSame(alias, first));
  if (own) {
    const below = rest.length === 0 ? [] : findPath(fieldsOf(own), rest);
    return below && { table: own.table, path: [...own.path, ...below] };
  }
  for (const range of ranges) {
    const below = findPath(fieldsOf(range), names);
    if (below) return { table: range.table, path: [...range.path, ...below] };
  }
  return undefined;
}

/** Returns the columns of a table, or the fields of an array's elements. */
export function fieldsOf({ table, path }: Pick<Range, 'table' | 'path'>): readonly FieldSchema[] {
  const last = path.at(-1);
  return last === undefined ? table.schema.fields : (last.fields ?? []);
}

/** Returns the existing names for reading a path of a table. */
export function readingScope(ranges: readonly Range[], table: Table): ReadingScope {
  const own = ranges.filter((range) => range.table === table);
  const known = new Map(
    own
      .filter(({ path, alias }) => path.length > 0 && alias !== '')
      .map(({ path, alias }) => [keyOf(path), quoteName(alias)]),
  );
  const isAlone = ranges.filter(({ path }) => path.length === 0).length === 1;
  const row = own.find(({ path }) => path.length === 0);
  return {
    known,
    taken: new Set(ranges.map(({ alias }) => alias)),
    root: isAlone || row === undefined ? '' : quoteName(row.alias),
  };
}

/** Whether two names are equal in GoogleSQL. */
export function isSame(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}
