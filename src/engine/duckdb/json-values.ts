const open = Buffer.from('[');
const comma = Buffer.from(',');
const close = Buffer.from(']');

/** Rows, the UTF-8 of one JSON value each, as one JSON array; at most `maxRows` of them. */
export function joinRows(
  rows: readonly Uint8Array[],
  maxRows: number,
): { readonly json: Uint8Array; readonly rowCount: number; readonly truncated: boolean } {
  const kept = rows.slice(0, maxRows);
  const listed = kept.flatMap((row, place) => (place === 0 ? [row] : [comma, row]));
  return {
    json: Buffer.concat([open, ...listed, close]),
    rowCount: kept.length,
    truncated: rows.length > maxRows,
  };
}
