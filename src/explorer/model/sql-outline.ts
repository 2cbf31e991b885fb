import { lex, type Token } from '../../compiler/syntax/lex.js';
import { reservedWords } from '../../compiler/syntax/words.js';

/** A part of a query, from its first character to before `to`. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** An item of a FROM clause: a table, an unnested array, or something else that has only an alias. */
export interface Source {
  readonly kind: 'table' | 'unnest' | 'other';
  /** The table's name, or the path of the array. */
  readonly path: readonly string[];
  readonly alias: string;
}

/** An item of a SELECT list. */
export interface SelectItem {
  /** The name of its column; empty if it has none. */
  readonly name: string;
  /** Its expression, if that is a column or a field. */
  readonly path?: readonly string[];
  readonly isStar: boolean;
}

/** One SELECT, as far as it can be read: a query that is being typed has faults. */
export interface OutlinedSelect {
  readonly items: readonly SelectItem[];
  readonly sources: readonly Source[];
  readonly isDistinct: boolean;
  /** Whether OR is an operator of the WHERE clause itself. */
  readonly hasOr: boolean;
  /** The contents of its clauses, by their first word; undefined for a clause without contents. */
  readonly clauses: ReadonlyMap<string, Span | undefined>;
}

/** Returns the tokens of a query, up to the first invalid one. */
export function validTokens(text: string): readonly Token[] {
  try {
    return lex(text).slice(0, -1);
  } catch (error) {
    const at = error instanceof Error && 'at' in error ? Number(error.at) : 0;
    return at > 0 && at < text.length ? validTokens(text.slice(0, at)) : [];
  }
}

const openers = new Set(['(', '[']);
const closers = new Set([')', ']']);

/** The innermost SELECT around an offset; without an offset, the outermost. */
export function outline(text: string, at?: number): OutlinedSelect | undefined {
  const level = nestTokens(validTokens(text));
  const levels = at === undefined ? [level] : levelsAround(level, at);
  const found = levels.find((parts) => parts.some(({ token }) => isKey(token, 'SELECT', 'FROM')));
  return found && readSelect(found);
}

/** Returns the parts inside each pair of brackets around an offset, the innermost first, and then all parts. */
function levelsAround(level: readonly Part[], at: number): readonly (readonly Part[])[] {
  const around = level.find(({ token, end, isOpen }) => token.end <= at && (at < end || isOpen));
  const inside = around?.inside;
  return inside === undefined ? [level] : [...levelsAround(inside, at), level];
}

/** A token outside brackets, or a pair of brackets with its contents. */
interface Part {
  readonly token: Token;
  readonly end: number;
  readonly inside?: readonly Part[];
  /** Whether the closing bracket is missing. */
  readonly isOpen?: boolean;
}

/** Nests tokens by their brackets. */
function nestTokens(tokens: readonly Token[]): readonly Part[] {
  const level: Part[] = [];
  const open: { readonly token: Token; readonly inside: Part[] }[] = [];
  const add = (part: Part) => (open.at(-1)?.inside ?? level).push(part);
  for (const token of tokens) {
    const opener = closers.has(token.text) ? open.pop() : undefined;
    if (opener) add({ ...opener, end: token.end });
    else if (openers.has(token.text)) open.push({ token, inside: [] });
    else add({ token, end: token.end });
  }
  const end = tokens.at(-1)?.end ?? 0;
  for (let last = open.pop(); last; last = open.pop()) add({ ...last, end, isOpen: true });
  return level;
}

function isKey(token: Token | undefined, ...keys: readonly string[]): boolean {
  return token?.kind !== 'quoted' && token?.key !== undefined && keys.includes(token.key);
}

const starters = 'SELECT FROM WHERE GROUP HAVING QUALIFY WINDOW ORDER LIMIT |>'.split(' ');
const setWords = ['UNION', 'INTERSECT', 'EXCEPT'];

/** Splits a level at the words that begin clauses; the text before SELECT, such as WITH, comes first. */
function splitClauses(level: readonly Part[]) {
  const clauses: { key: string; parts: Part[] }[] = [{ key: '', parts: [] }];
  level.forEach((part, index) => {
    const next = level[index + 1]?.token;
    const isSet = isKey(part.token, ...setWords) && isKey(next, 'ALL', 'DISTINCT');
    // `a is distinct from b`
    const isOperator = isKey(part.token, 'FROM') && isKey(level[index - 1]?.token, 'DISTINCT');
    const begins = isSet || (isKey(part.token, ...starters) && !isOperator && !part.inside);
    if (begins) clauses.push({ key: part.token.key ?? '', parts: [] });
    else clauses.at(-1)?.parts.push(part);
  });
  return clauses;
}

function readSelect(level: readonly Part[]): OutlinedSelect {
  const clauses = splitClauses(level);
  const find = (key: string) => clauses.find((clause) => clause.key === key)?.parts ?? [];
  const list = find('SELECT');
  const isComma = ({ text }: Token) => text === ',';
  const factors = splitAt(find('FROM'), (token) => isComma(token) || isKey(token, 'JOIN'));
  return {
    items: splitAt(list, isComma).flatMap((parts) => (parts.length > 0 ? [readItem(parts)] : [])),
    sources: factors.flatMap((factor) => readSource(factor) ?? []),
    isDistinct: isKey(list[0]?.token, 'DISTINCT'),
    hasOr: find('WHERE').some(({ token }) => isKey(token, 'OR')),
    // Of several clauses with the same word, the first counts.
    clauses: new Map(clauses.toReversed().map(({ key, parts }) => [key, partsSpan(parts)])),
  };
}

function partsSpan(all: readonly Part[]): Span | undefined {
  const parts = all.filter(({ token }) => token.text !== ';');
  const [first, last] = [parts[0], parts.at(-1)];
  return first && last && { from: first.token.at, to: last.end };
}

/** Returns the parts between separators. */
function splitAt(
  parts: readonly Part[],
  isSeparator: (token: Token) => boolean,
): readonly (readonly Part[])[] {
  const items: Part[][] = [[]];
  for (const part of parts) {
    if (isSeparator(part.token)) items.push([]);
    else items.at(-1)?.push(part);
  }
  return items;
}

function readItem(parts: readonly Part[]): SelectItem {
  const words = isKey(parts[0]?.token, 'DISTINCT', 'ALL') ? parts.slice(1) : parts;
  const isFirst = (index: number) => index === 0 || words[index - 1]?.token.text === '.';
  const isStar = words.some(({ token }, index) => token.text === '*' && isFirst(index));
  const { path, rest } = readName(words);
  const [first, second] = rest.filter(({ token }) => !isKey(token, 'AS'));
  const alias = first && isIdentifier(first) ? first.token.value : undefined;
  if (path.length > 0 && rest.length === 0) return { name: path.at(-1) ?? '', path, isStar };
  if (path.length > 0 && alias !== undefined && !second) return { name: alias, path, isStar };
  const isNamed = isKey(words.at(-2)?.token, 'AS');
  return { name: isNamed ? (words.at(-1)?.token.value ?? '') : '', isStar };
}

function isIdentifier({ token, inside }: Part): boolean {
  if (inside) return false;
  return token.kind === 'quoted' || (token.kind === 'word' && !reservedWords.has(token.key ?? ''));
}

/** Reads `a.b.c` at the beginning. */
function readName(parts: readonly Part[]): { path: readonly string[]; rest: readonly Part[] } {
  const path: string[] = [];
  let index = 0;
  for (; index < parts.length; index += 2) {
    const part = parts[index];
    // After a dot, reserved words are names, too.
    const isName = part && (isIdentifier(part) || (index > 0 && part.token.kind === 'word'));
    if (!isName) break;
    path.push(part.token.value);
    if (parts[index + 1]?.token.text !== '.') return { path, rest: parts.slice(index + 1) };
  }
  return { path: [], rest: parts };
}

function readSource(parts: readonly Part[]): Source | undefined {
  const [first, second] = parts;
  if (isKey(first?.token, 'UNNEST') && second?.inside) {
    const { path } = readName(second.inside);
    return { kind: 'unnest', path, alias: sourceAlias(parts.slice(2)) ?? '' };
  }
  if (first?.inside) return { kind: 'other', path: [], alias: sourceAlias(parts.slice(1)) ?? '' };
  const { path, rest } = readName(parts);
  if (path.length === 0) return undefined;
  // `from edge_logs pivot (…)` has other columns than the table.
  const isPivot = rest.some(({ token }) => isKey(token, 'PIVOT', 'UNPIVOT'));
  if (isPivot && rest.some(({ inside }) => inside)) return { kind: 'other', path, alias: '' };
  return { kind: 'table', path, alias: sourceAlias(rest) ?? path.at(-1) ?? '' };
}

function sourceAlias(parts: readonly Part[]): string | undefined {
  const [first] = isKey(parts[0]?.token, 'AS') ? parts.slice(1) : parts;
  return first && isIdentifier(first) ? first.token.value : undefined;
}

/** A CTE of a query. */
export interface Cte {
  readonly name: string;
  readonly select: OutlinedSelect;
}

/** Returns the CTEs whose definitions end before an offset, which later queries may read. */
export function ctesBefore(text: string, at: number): readonly Cte[] {
  return definedCtes(nestTokens(validTokens(text.slice(0, at))));
}

function definedCtes(level: readonly Part[]): readonly Cte[] {
  return level.flatMap(({ token, inside = [], isOpen }, index) => {
    const [before, name, as] = level.slice(Math.max(0, index - 3), index);
    // `with name as (`, or after a comma.
    const isCte = isKey(before?.token, 'WITH', 'RECURSIVE') || before?.token.text === ',';
    const isNamed = name?.token.kind === 'word' || name?.token.kind === 'quoted';
    const isQuery = token.text === '(' && isKey(as?.token, 'AS') && !isOpen;
    const isDefined = isCte && isNamed && isQuery;
    const own = isDefined ? [{ name: name.token.value, select: readSelect(inside) }] : [];
    return [...own, ...definedCtes(inside)];
  });
}
