const open = Buffer.from('[');
const comma = Buffer.from(',');
const close = Buffer.from(']');

/** Joins rows, each the UTF-8 of a JSON value, into one JSON array of at most `maxRows`. */
export function joinRows(
  rows: readonly Uint8Array[],
  maxRows: number,
): { readonly json: Uint8Array; readonly rowCount: number; readonly truncated: boolean } {
  const kept = rows.slice(0, maxRows);
  const listed = kept.flatMap((row, index) => (index === 0 ? [row] : [comma, row]));
  return {
    json: Buffer.concat([open, ...listed, close]),
    rowCount: kept.length,
    truncated: rows.length > maxRows,
  };
}
