/** Quotes an identifier for DuckDB. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Quotes a string literal for DuckDB. */
export function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** `a` -> `"a":`, as DuckDB prints the key of a member: with hexadecimal digits in capitals. */
export function quoteKey(name: string): string {
  const quoted = JSON.stringify(name);
  return `${quoted.replace(/\\(?:u00(..)|.)/g, (written, digits: string | undefined) =>
    digits === undefined ? written : `\\u00${digits.toUpperCase()}`,
  )}:`;
}
