/** Quotes an identifier for DuckDB. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Quotes a string literal for DuckDB. */
export function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
