/**
 * Columns of every view of stored records, by which single records are read again: the place of the
 * record in its part, and the place of the part among the source's, both from 0.
 */
export const rowIdColumns = ['row id', 'part id'] as const;

/** Whether the records of a source can be read by {@link rowIdColumns}: no field of theirs has such a name. */
export function hasRowIds({
  columns,
}: {
  readonly columns: readonly { readonly name: string }[];
}): boolean {
  const taken: ReadonlySet<string> = new Set(['rowid', ...rowIdColumns]);
  return !columns.some(({ name }) => taken.has(name.toLowerCase()));
}
