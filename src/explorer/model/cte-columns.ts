import type { FieldSchema } from '../../types/table-schema.js';
import type { ListedTable } from './endpoint.js';
import type { Cte } from './sql-outline.js';
import { isSameName, type NamedRange, rangesOf, resolveName } from './sql-scope.js';

/** A column of a CTE, with its field if it comes from a table, so that its type is known. */
export interface CteColumn {
  readonly name: string;
  readonly field?: FieldSchema;
}

/** Returns the columns of a CTE by name, as far as its SELECT list names them. */
export function cteColumns(
  name: string,
  ctes: readonly Cte[],
  tables: readonly ListedTable[],
): readonly CteColumn[] {
  const index = ctes.findLastIndex((cte) => isSameName(cte.name, name));
  const cte = ctes[index];
  if (cte === undefined) return [];
  const earlier = ctes.slice(0, index);
  const known = tables.filter((table) => !earlier.some((one) => isSameName(one.name, table.name)));
  const ranges = rangesOf(cte.select, known);
  const all = () => [
    ...rowColumns(ranges),
    ...cte.select.sources.flatMap(({ path }) => cteColumns(path.at(-1) ?? '', earlier, tables)),
  ];
  return cte.select.items.flatMap((item): readonly CteColumn[] => {
    if (item.isStar) return all();
    const field = item.path && resolveName(item.path, ranges)?.path.at(-1);
    return item.name === '' ? [] : [{ name: item.name, ...(field && { field }) }];
  });
}

/** The columns of the tables that are read. */
function rowColumns(ranges: readonly NamedRange[]): readonly CteColumn[] {
  const rows = ranges.filter(({ path }) => path.length === 0);
  return rows.flatMap(({ table }) =>
    table.schema.fields.map((field) => ({ name: field.name, field })),
  );
}
