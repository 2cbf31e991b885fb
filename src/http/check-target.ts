/** A segment that the URL parser drops together with the one before it, in each of its spellings. */
const dotSegment = /(?:^|[/\\])(?:\.|%2e){1,2}(?:[/\\]|$)/i;

/**
 * What keeps a request target from being read, or undefined. URL parsers drop a fragment, white space and dot
 * segments without a word: a proxy that checks the target would see another request than the one answered.
 */
export function targetFault(target: string): string | undefined {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a target must have none
  if (/[\u0000-\u0020]/.test(target)) return 'The URL must not have white space';
  if (target.includes('#')) return 'The URL must not have a #: write it as %23';
  const [path = ''] = target.split('?', 1);
  return dotSegment.test(path) ? 'The path must not have the segments . and ..' : undefined;
}
