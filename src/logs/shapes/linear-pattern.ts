import { setFlagsFromString } from 'node:v8';

// V8 matches a pattern that backtracks too often again in linear time, and refuses the flag `l` for one that it cannot.
setFlagsFromString('--enable-experimental-regexp-engine');
setFlagsFromString('--enable-experimental-regexp-engine-on-excessive-backtracks');

/**
 * Compiles a pattern that is matched in linear time, whatever the text; it must fit a line from its beginning.
 * @throws SyntaxError for one that is not valid, and for one with lookaround, back references or large counts
 */
export function compilePattern(pattern: string): RegExp {
  const source = `^(?:${pattern})`;
  new RegExp(source, 'ls');
  return new RegExp(source, 's');
}

/** A pattern with the pieces that it names, as `%{clock}`. @throws SyntaxError for a piece that there is not */
export function insertPieces(pattern: string, pieces: Readonly<Record<string, string>>): string {
  return pattern.replaceAll(/%\{(\w+)\}/g, (_, name: string) => {
    const piece = Object.hasOwn(pieces, name) ? pieces[name] : undefined;
    if (piece === undefined) throw new SyntaxError(`there is no piece %{${name}}`);
    return insertPieces(piece, pieces);
  });
}
