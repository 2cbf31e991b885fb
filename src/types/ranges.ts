/** The types of a range's bounds. */
type RangeElement = 'DATE' | 'DATETIME' | 'TIMESTAMP';

/** The types of ranges. Each is a scalar type of its own, so that tables by type need no second level. */
export type RangeName = `RANGE<${RangeElement}>`;

/** The names of the types of ranges. */
export const rangeNames = ['RANGE<DATE>', 'RANGE<DATETIME>', 'RANGE<TIMESTAMP>'] as const;

/** Whether a type is a range. */
export function isRange({ kind }: { readonly kind: string }): boolean {
  return kind.startsWith('RANGE<');
}

/** The entries of a table by type for the types of ranges. */
export function forRanges<T>(entry: (element: RangeElement) => T): Readonly<Record<RangeName, T>> {
  return {
    'RANGE<DATE>': entry('DATE'),
    'RANGE<DATETIME>': entry('DATETIME'),
    'RANGE<TIMESTAMP>': entry('TIMESTAMP'),
  };
}

/** A type in the name of a macro: `RANGE<DATE>` is `range_date`. */
export function macroWord(kind: string): string {
  return kind.toLowerCase().replace(/<(\w+)>/, '_$1');
}
