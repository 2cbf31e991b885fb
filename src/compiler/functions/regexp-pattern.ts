import { QueryFault } from '../../errors/query-fault.js';

/** Where the capturing groups of a pattern in RE2's syntax open, in order. */
export function captureGroups(pattern: string): readonly number[] {
  const parts =
    /\\Q[\s\S]*?(?:\\E|$)|\\[\s\S]|\[\^?\]?(?:\[:\^?\w+:\]|\\[\s\S]|[^\]\\])*\]|\((?!\?(?!P?<))/g;
  return [...pattern.matchAll(parts)].flatMap((part) => (part[0] === '(' ? [part.index] : []));
}

/** Whether a pattern in RE2's syntax matches itself and nothing else. */
export function isPlainText(pattern: string): boolean {
  return !/[\\.+*?()[\]{}^$|\0]/.test(pattern);
}

/** Whether a pattern without anchors may match the empty text; true where that is not clear. */
export function mayMatchNothing(pattern: string): boolean {
  if (/[\^$]|\\[bBAz]/.test(pattern)) return false;
  try {
    return new RegExp(`^(?:${pattern})$`, 'u').test('');
  } catch {
    return true;
  }
}

/**
 * What REGEXP_REPLACE puts in: a backslash stands before a digit or a backslash.
 * @throws QueryFault in RE2's words
 */
export function checkRewrite(rewrite: string, groups: number, at: number): void {
  const escapes = [...rewrite.matchAll(/\\([\s\S]?)/g)].map(([, next = '']) => next);
  const [bad] = escapes.filter((next) => !/^[\d\\]$/.test(next));
  if (bad !== undefined) {
    const why =
      bad === '' ? "'\\' not allowed at end." : "'\\' must be followed by a digit or '\\'.";
    throw new QueryFault(`Invalid REGEXP_REPLACE pattern: Rewrite schema error: ${why}`, at);
  }
  const most = Math.max(0, ...escapes.filter((next) => next !== '\\').map(Number));
  if (most > groups) {
    const message = `Invalid REGEXP_REPLACE pattern: Rewrite schema requests ${most} matches, but the regexp only has ${groups} parenthesized subexpressions.`;
    throw new QueryFault(message, at);
  }
}
