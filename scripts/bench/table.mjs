/** Prints a Markdown table; the first row is its head, columns of numbers are right-aligned. @param {readonly (readonly string[])[]} rows */
export function printTable(rows) {
  const [head = [], ...body] = rows;
  const widths = head.map((_, column) =>
    Math.max(3, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const isNumber = head.map((_, column) => body.every((row) => isNumeric(row[column] ?? '')));
  const line = (/** @type {readonly string[]} */ cells) => `| ${cells.join(' | ')} |`;
  const pad = (/** @type {readonly string[]} */ row) =>
    line(
      widths.map((width, column) =>
        isNumber[column] ? (row[column] ?? '').padStart(width) : (row[column] ?? '').padEnd(width),
      ),
    );
  const rule = widths.map((width, column) =>
    isNumber[column] ? `${'-'.repeat(width - 1)}:` : '-'.repeat(width),
  );
  return [pad(head), line(rule), ...body.map(pad)].join('\n');
}

/** @param {string} cell */
function isNumeric(cell) {
  return /^[\d.,]*( MB| GB)?$/.test(cell);
}

/** Milliseconds with three significant digits. @param {number | undefined} value */
export function ms(value) {
  if (value === undefined) return '';
  return value < 10 ? value.toFixed(2) : value < 100 ? value.toFixed(1) : value.toFixed(0);
}

/** Milliseconds as seconds. @param {number} value milliseconds */
export function seconds(value) {
  return (value / 1000).toFixed(value < 10_000 ? 2 : 1);
}

/** A ratio with two decimals. @param {number} value */
export function ratio(value) {
  return value.toFixed(2);
}

/** Bytes as MB or GB. @param {number} bytes */
export function megabytes(bytes) {
  return bytes < 10e9 ? `${Math.round(bytes / 1e6)} MB` : `${(bytes / 1e9).toFixed(1)} GB`;
}
