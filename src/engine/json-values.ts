/** Rows as one JSON array, at most `maxRows` of them. */
export function joinRows(
  rows: readonly string[],
  maxRows: number,
): { readonly json: Uint8Array; readonly rowCount: number; readonly truncated: boolean } {
  const kept = rows.length > maxRows ? rows.slice(0, maxRows) : rows;
  return {
    json: Buffer.from(`[${kept.join(',')}]`, 'utf8'),
    rowCount: kept.length,
    truncated: rows.length > maxRows,
  };
}
