import { type Format, formatNames, formats } from '../formats/formats.js';

/** An item of a header such as `Accept`, in lower case, and its weight from 0 to 1. */
export interface Weighted {
  readonly value: string;
  readonly weight: number;
}

/**
 * Splits a header such as `Accept`; parameters but the weight are dropped.
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-12.4.2
 */
export function parseWeighted(header: string): readonly Weighted[] {
  const items = header.toLowerCase().split(',');
  return items.map(parseItem).filter(({ value }) => value !== '');
}

function parseItem(text: string): Weighted {
  const [value = '', ...parameters] = text.split(';').map((part) => part.trim());
  const weight = parameters.find((parameter) => /^q\s*=/.test(parameter));
  return { value, weight: weight === undefined ? 1 : Number(weight.split('=')[1]) || 0 };
}

/** The format that an `Accept` header likes best, JSON if it likes all alike; undefined if it takes none. */
export function acceptedFormat(accept: string | null): Format | undefined {
  const ranges = parseWeighted(accept ?? '');
  if (ranges.length === 0) return 'json';
  const weights = formatNames.map((format) => weightOf(format, ranges));
  const best = Math.max(...weights);
  return best > 0 ? formatNames[weights.indexOf(best)] : undefined;
}

/** The weight of the range that names the format most closely. */
function weightOf(format: Format, ranges: readonly Weighted[]): number {
  for (const patterns of patternsOf(format)) {
    const matching = ranges.filter(({ value }) => patterns.includes(value));
    if (matching.length > 0) return Math.max(...matching.map(({ weight }) => weight));
  }
  return 0;
}

/** The media ranges that match the format, the closest first. */
function patternsOf(format: Format): readonly (readonly string[])[] {
  const { contentType, aliases } = formats[format];
  const own = contentType.split(';')[0] ?? '';
  return [[own, ...aliases], [`${own.split('/')[0]}/*`], ['*/*']];
}
