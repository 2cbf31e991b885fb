import type { FieldSchema } from '../../types/table-schema.js';
import type { Table } from './endpoint.js';
import type { Cte } from './sql-outline.js';
import { isSame, type Range, rangesOf, resolve } from './sql-scope.js';

/** A column of a CTE, with its field if it comes from a table, so that its type is known. */
export interface CteColumn {
  readonly name: string;
  readonly field?: FieldSchema;
}

/** Returns the columns of a CTE by name, as far as its SELECT list names them. */
export function cteColumns(
  name: string,
  ctes: readonly Cte[],
  tables: readonly Table[],
): readonly CteColumn[] {
  const index = ctes.findLastIndex((cte) => isSame(cte.name, name));
  const cte = ctes[index];
  if (cte === undefined) return [];
  const earlier = ctes.slice(0, index);
  const known = tables.filter((table) => !earlier.some((one) => isSame(one.name, table.name)));
  const ranges = rangesOf(cte.select, known);
  const all = () => [
    ...rowColumns(ranges),
    ...cte.select.sources.flatMap(({ path }) => cteColumns(path.at(-1) ?? '', earlier, tables)),
  ];
  return cte.select.items.flatMap((item): readonly CteColumn[] => {
    if (item.isStar) return all();
    const field = item.path && resolve(item.path, ranges)?.path.at(-1);
    return item.name === '' ? [] : [{ name: item.name, ...(field && { field }) }];
  });
}

/** Returns the columns of the tables that are read. */
function rowColumns(ranges: readonly Range[]): readonly CteColumn[] {
  const rows = ranges.filter(({ path }) => path.length === 0);
  return rows.flatMap(({ table }) =>
    table.schema.fields.map((field) => ({ name: field.name, field })),
  );
}
