/** Quotes an identifier for DuckDB. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Quotes a string literal for DuckDB. */
export function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** `a` -> `"a":`, the bytes that DuckDB prints before the value of a member: its hexadecimal digits are capitals. */
export function quoteKey(name: string): string {
  const quoted = JSON.stringify(name);
  return `${quoted.replace(/\\(?:u00(..)|.)/g, (written, digits: string | undefined) =>
    digits === undefined ? written : `\\u00${digits.toUpperCase()}`,
  )}:`;
}
