/** The names of a row's columns: a row is split by their length and order. */
export function columnName(index: number): string {
  return `c${index}`;
}

/** The JSON text of each value of a row, `{"c0":…,"c1":…}`. */
export function splitRow(row: string, columns: number): readonly string[] {
  let at = 1;
  return Array.from({ length: columns }, (_, index) => {
    const start = at + columnName(index).length + 3;
    const end = index === columns - 1 ? row.length - 1 : endOfValue(row, start);
    at = end + 1;
    return row.slice(start, end);
  });
}

function endOfValue(row: string, start: number): number {
  const opening = row[start];
  if (opening === '"') return endOfString(row, start);
  return opening === '[' || opening === '{' ? endOfNested(row, start) : row.indexOf(',', start);
}

function endOfString(row: string, start: number): number {
  for (let at = row.indexOf('"', start + 1); ; at = row.indexOf('"', at + 1)) {
    let backslashes = 0;
    while (row[at - 1 - backslashes] === '\\') backslashes += 1;
    if (backslashes % 2 === 0) return at + 1;
  }
}

function endOfNested(row: string, start: number): number {
  let depth = 0;
  for (let at = start; ; ) {
    const character = row[at];
    if (character === '"') {
      at = endOfString(row, at);
      continue;
    }
    if (character === '[' || character === '{') depth += 1;
    if (character === ']' || character === '}') depth -= 1;
    at += 1;
    if (depth === 0) return at;
  }
}
