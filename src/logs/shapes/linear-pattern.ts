import { setFlagsFromString } from 'node:v8';

// V8 restarts in linear time if a pattern backtracks too often, and rejects the flag `l` for a pattern that it cannot
// match in linear time.
setFlagsFromString('--enable-experimental-regexp-engine');
setFlagsFromString('--enable-experimental-regexp-engine-on-excessive-backtracks');

/**
 * Compiles a pattern that takes linear time on any text; it must match from the beginning of a line.
 * @throws SyntaxError for a pattern that is not valid, or that has lookaround, back references or large counts
 */
export function compilePattern(pattern: string): RegExp {
  const source = `^(?:${pattern})`;
  new RegExp(source, 'ls');
  return new RegExp(source, 's');
}

/** Returns the names of a pattern's groups, in order. */
export function groupNames({ source }: RegExp): readonly string[] {
  return Object.keys(new RegExp(`${source}|`).exec('')?.groups ?? {});
}

/** Inserts the pieces that a pattern names, such as `%{clock}`. @throws SyntaxError for an unknown piece */
export function insertPieces(pattern: string, pieces: Readonly<Record<string, string>>): string {
  return pattern.replaceAll(/%\{(\w+)\}/g, (_, name: string) => {
    const piece = Object.hasOwn(pieces, name) ? pieces[name] : undefined;
    if (piece === undefined) throw new SyntaxError(`there is no piece %{${name}}`);
    return insertPieces(piece, pieces);
  });
}
