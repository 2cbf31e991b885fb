import { type Accept, parseAccept } from 'hono/utils/accept';
import { type Format, formatNames, formats } from '../formats/formats.js';

/** Returns the format preferred by an `Accept` header, JSON if all are equal; undefined if it accepts none. */
export function acceptedFormat(accept: string | null): Format | undefined {
  const ranges = parseAccept((accept ?? '').toLowerCase());
  if (ranges.length === 0) return 'json';
  const weights = formatNames.map((format) => formatWeight(format, ranges));
  const best = Math.max(...weights);
  return best > 0 ? formatNames[weights.indexOf(best)] : undefined;
}

/** Returns the weight of the most specific range that matches the format. */
function formatWeight(format: Format, ranges: readonly Accept[]): number {
  for (const patterns of mediaRanges(format)) {
    const matching = ranges.filter(({ type }) => patterns.includes(type));
    if (matching.length > 0) return Math.max(...matching.map(({ q }) => q));
  }
  return 0;
}

/** Returns the media ranges that match the format, the most specific first. */
function mediaRanges(format: Format): readonly (readonly string[])[] {
  const { contentType, aliases } = formats[format];
  const own = contentType.split(';')[0] ?? '';
  return [[own, ...aliases], [`${own.split('/')[0]}/*`], ['*/*']];
}
