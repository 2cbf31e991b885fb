import type * as bound from '../bound/bound.js';

/** The column by which the table of a source is partitioned; undefined if it has none. */
export function timeColumn({
  columns,
}: Extract<bound.From, { readonly kind: 'source' }>): bound.Column | undefined {
  return columns.find(
    ({ name, type }) => name.toLowerCase() === 'timestamp' && type.kind === 'TIMESTAMP',
  );
}
