import type { BoundCte, BoundItem, BoundQuery } from './bound.js';
import { holdsText } from './redact.js';
import { columnValue, type Statement } from './scope.js';

/**
 * CTEs that hand out redacted what the given ones hold, under the same names; those without text are
 * the same. An order by a column that is redacted does not come through: it would tell of the original.
 */
export function redactCtes(
  ctes: readonly BoundCte[],
  newColumn: Statement['newColumn'],
): readonly BoundCte[] {
  return ctes.map((cte) => {
    const { columns } = cte.query;
    if (!columns.some(({ type }) => holdsText(type))) return cte;
    const given = columns.map(({ name, type, isLogField }) => newColumn(name, type, isLogField));
    const items = given.map((column): BoundItem => {
      const { name, type, isLogField } = column;
      const of = columnValue(column);
      const value = holdsText(type) ? ({ kind: 'redact', of, type } as const) : of;
      return { column: newColumn(name, type, isLogField), value };
    });
    const { at, isValue } = cte.query;
    const out = items.map(({ column }) => column);
    const query: BoundQuery = {
      kind: 'query',
      ctes: [],
      body: {
        kind: 'select',
        distinct: false,
        items,
        from: { kind: 'cte', cte, columns: given },
        columns: out,
        isValue,
      },
      orderBy: [],
      columns: out,
      isValue,
      at,
    };
    return { name: cte.name, query };
  });
}
