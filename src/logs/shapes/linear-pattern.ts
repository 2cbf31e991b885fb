import { setFlagsFromString } from 'node:v8';

// V8 restarts in linear time if a pattern backtracks too often, and rejects the flag `l` for a pattern that it cannot
// match in linear time.
setFlagsFromString('--enable-experimental-regexp-engine');
setFlagsFromString('--enable-experimental-regexp-engine-on-excessive-backtracks');

/** A compiled pattern, and the names of its groups, by their numbers less one; undefined for one without a name. */
export interface LinearPattern {
  readonly regExp: RegExp;
  readonly names: readonly (string | undefined)[];
}

/** An escaped character, a class, the beginning of a named group, or that of a group without a name. */
const tokens = /\\.|\[(?:[^\\\]]|\\.)*\]|\(\?<([^<>=!][^<>]*)>|\((?!\?)/gs;

/**
 * Compiles a pattern that takes linear time on any text; it must match from the beginning of a line. Several
 * alternatives may have a group of the same name.
 * @throws SyntaxError for a pattern that is not valid, or that has lookaround, back references or large counts
 */
export function compilePattern(pattern: string): LinearPattern {
  const names: (string | undefined)[] = [];
  // Without names: V8 makes a slow object for the named groups of a match, and refuses a name that occurs twice.
  const source = pattern.replaceAll(tokens, (written, name?: string) => {
    if (written === '\\k')
      throw new SyntaxError('a back reference cannot be matched in linear time');
    if (!written.startsWith('(')) return written;
    names.push(name);
    if (name !== undefined) new RegExp(`(?<${name}>)`);
    return '(';
  });
  new RegExp(`^(?:${source})`, 'ls');
  return { regExp: new RegExp(`^(?:${source})`, 's'), names };
}

/** Inserts the pieces that a pattern names, such as `%{clock}`. @throws SyntaxError for an unknown piece */
export function insertPieces(pattern: string, pieces: Readonly<Record<string, string>>): string {
  return pattern.replaceAll(/%\{(\w+)\}/g, (_, name: string) => {
    const piece = Object.hasOwn(pieces, name) ? pieces[name] : undefined;
    if (piece === undefined) throw new SyntaxError(`there is no piece %{${name}}`);
    return insertPieces(piece, pieces);
  });
}
