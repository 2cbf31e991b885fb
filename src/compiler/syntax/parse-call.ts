import type { Cursor } from './cursor.js';
import { callHint, withinGroupHint } from './habits.js';
import type { Identifier } from './names.js';
import { parseType } from './parse-type.js';
import { parseOrderBy, parseWindow } from './parse-window.js';
import type { Call, Expression, NamedArgument } from './tree.js';

/** Parses the arguments and clauses after a function's name; CAST and EXTRACT have their own grammar. */
export function parseCall(cursor: Cursor, path: readonly Identifier[]): Expression {
  const at = path[0]?.at ?? 0;
  cursor.expect('(');
  const [name] = path;
  const special = path.length === 1 && name ? specialCalls[name.name.toUpperCase()] : undefined;
  return cursor.nested(() =>
    special === undefined ? parseOrdinary(cursor, path) : cursor.closed(() => special(cursor, at)),
  );
}

const specialCalls: Readonly<Record<string, (cursor: Cursor, at: number) => Expression>> = {
  CAST: (cursor, at) => parseCast(cursor, { safe: false, at }),
  SAFE_CAST: (cursor, at) => parseCast(cursor, { safe: true, at }),
  EXTRACT: parseExtract,
};

function parseCast(
  cursor: Cursor,
  node: { readonly safe: boolean; readonly at: number },
): Expression {
  const operand = cursor.expression();
  cursor.expect('AS');
  const type = parseType(cursor);
  const format = cursor.accept('FORMAT') && { format: cursor.expression(), ...parseZone(cursor) };
  return { kind: 'cast', operand, type, ...format, ...node };
}

/** Parses `AT TIME ZONE zone`, if it comes next. */
function parseZone(cursor: Cursor): { readonly zone?: Expression } {
  return cursor.accept('AT', 'TIME', 'ZONE') ? { zone: cursor.expression() } : {};
}

/** `extract(part from value [at time zone zone])`. */
function parseExtract(cursor: Cursor, at: number): Expression {
  const part = cursor.expression();
  cursor.expect('FROM');
  return { kind: 'extract', part, from: cursor.expression(), ...parseZone(cursor), at };
}

function parseOrdinary(cursor: Cursor, path: readonly Identifier[]): Call {
  const at = path[0]?.at ?? 0;
  const distinct = cursor.accept('DISTINCT');
  const isEmpty = cursor.at(')') || clauseWords.has(cursor.next.key);
  const args = isEmpty ? [] : cursor.list(() => parseArgument(cursor));
  const clauses = parseArgumentClauses(cursor);
  const hint = cursor.at(')') ? '' : callHint(path.at(-1)?.name ?? '');
  if (hint !== '') throw cursor.unexpected('Expected ")" but got', hint);
  cursor.expect(')');
  if (cursor.at('WITHIN', 'GROUP')) {
    throw cursor.unexpected('Unexpected', withinGroupHint(path.at(-1)?.name ?? ''));
  }
  const over = cursor.accept('OVER') ? { over: parseWindow(cursor) } : {};
  return { kind: 'call', path, arguments: args, distinct, ...clauses, ...over, at };
}

const clauseWords: ReadonlySet<string | undefined> = new Set([
  ...['ORDER', 'LIMIT', 'IGNORE', 'RESPECT', 'HAVING'],
]);

/** One argument of a call: `value`, `name => value`, `*` or a lambda. */
export function parseArgument(cursor: Cursor): NamedArgument {
  const { at } = cursor.next;
  if (cursor.accept('*')) return { value: { kind: 'star', at } };
  if (cursor.atIdentifier() && cursor.peek(1).text === '=>') {
    const name = cursor.identifier();
    cursor.expect('=>');
    return { name, value: cursor.expression() };
  }
  return { value: parseLambda(cursor) ?? cursor.expression() };
}

/** `x -> …` or `(x, y) -> …`; undefined if no lambda comes next. */
function parseLambda(cursor: Cursor): Expression | undefined {
  const { at } = cursor.next;
  const single = cursor.atIdentifier() && cursor.peek(1).text === '->';
  const several = cursor.at('(') && cursor.peek(cursor.closing(0) + 1).text === '->';
  if (!single && !several) return undefined;
  const bracketed = cursor.accept('(');
  const parameters = cursor.names();
  if (bracketed) cursor.expect(')');
  cursor.expect('->');
  return { kind: 'lambda', parameters, body: cursor.nested(() => cursor.expression()), at };
}

/** Parses the clauses after an aggregate's arguments, in the order of the manual. */
function parseArgumentClauses(
  cursor: Cursor,
): Pick<Call, 'nulls' | 'having' | 'orderBy' | 'limit'> {
  const nulls = cursor.acceptOne('IGNORE', 'RESPECT');
  if (nulls !== undefined) cursor.expect('NULLS');
  return {
    ...(nulls && { nulls }),
    ...(cursor.accept('HAVING') && { having: parseHaving(cursor) }),
    orderBy: parseOrderBy(cursor),
    ...(cursor.accept('LIMIT') && { limit: cursor.expression() }),
  };
}

function parseHaving(cursor: Cursor): NonNullable<Call['having']> {
  const kind = cursor.acceptOne('MAX', 'MIN');
  if (kind === undefined) throw cursor.unexpected('Expected MAX or MIN but got');
  return { kind, value: cursor.expression() };
}
