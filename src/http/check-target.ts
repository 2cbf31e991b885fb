/** The segments `.` and `..` in all spellings; URL parsers remove them. */
const dotSegment = /(?:^|[/\\])(?:\.|%2e){1,2}(?:[/\\]|$)/i;

/**
 * What is wrong with a request target, or undefined. URL parsers silently drop fragments, white space and dot
 * segments, so a proxy that checks the target would see a different request from the one that is answered.
 */
export function targetFault(target: string): string | undefined {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it matches what a target must not contain
  if (/[\u0000-\u0020]/.test(target)) return 'The URL must not have white space';
  if (target.includes('#')) return 'The URL must not have a #: write it as %23';
  const [path = ''] = target.split('?', 1);
  return dotSegment.test(path) ? 'The path must not have the segments . and ..' : undefined;
}
