import type { VNode } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { FieldSchema } from '../../types/table-schema.js';
import type { EndpointProps } from '../app/app.js';
import { html } from '../app/html.js';
import type { AnswerRow } from '../model/endpoint.js';
import { plainColumns, recordColumns } from '../model/layout.js';
import { findRoles } from '../model/levels.js';
import { type Sort, sortRows } from '../model/sort-rows.js';
import { Drawer } from './drawer.js';
import { Grid } from './grid.js';

interface Props extends EndpointProps {
  readonly rows: readonly AnswerRow[];
  readonly columns: readonly FieldSchema[];
  readonly onOpen: (row: AnswerRow | undefined) => void;
  /** Changes with the query of the rows: then the table scrolls back to the first row. */
  readonly query?: unknown;
}

/** Shows rows as a table, and the opened one beside it. */
export function RowTable({ rows, columns, onOpen, query, ...props }: Props): VNode {
  const { app, state } = props;
  const [sort, setSort] = useState<Sort | undefined>();
  const { zone, opened, page } = state;
  const added = page.columns;
  const roles = useMemo(() => findRoles(columns), [columns]);
  const shown = useMemo(
    () =>
      roles
        ? recordColumns({ roles, columns, rows, added, zone })
        : plainColumns(columns, rows, zone),
    [rows, columns, added, zone],
  );
  const sorted = useMemo(() => sortRows(rows, shown, sort), [rows, shown, sort]);
  const close = () => {
    app.open(undefined);
    document.querySelector<HTMLElement>('[role=grid]')?.focus();
  };
  const table = { rows: sorted, columns: shown, roles, sort, setSort, open: opened, onOpen };
  return html`${rows.length > 0 && html`<${Grid} key=${query} ...${{ ...table, app }} />`}
    ${opened && html`<${Drawer} ...${{ ...props, row: opened, rows: sorted, columns, close }} />`}`;
}
