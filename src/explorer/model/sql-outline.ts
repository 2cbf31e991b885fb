import { lex, type Token } from '../../compiler/syntax/lex.js';
import { reservedWords } from '../../compiler/syntax/words.js';

/** A part of a text, from its first character to before `end`. */
export interface Span {
  readonly at: number;
  readonly end: number;
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

/** One SELECT, as far as it can be read; texts that are being typed have faults. */
export interface OutlinedSelect {
  readonly items: readonly SelectItem[];
  readonly sources: readonly Source[];
  readonly from?: Span;
  readonly where?: Span;
  /** Whether OR is an operator of the WHERE clause itself. */
  readonly hasOr: boolean;
  /** Its clauses, by their first word. */
  readonly clauses: ReadonlySet<string>;
  readonly end: number;
}

/** Returns the tokens of a text, up to the first invalid one. */
export function tokensOf(text: string): readonly Token[] {
  try {
    return lex(text).slice(0, -1);
  } catch (error) {
    const at = (error as { readonly at?: number }).at ?? 0;
    return at > 0 && at < text.length ? tokensOf(text.slice(0, at)) : [];
  }
}

const openers = new Set(['(', '[']);
const closers = new Set([')', ']']);

/** The innermost SELECT around an offset; without an offset, the outermost. */
export function outline(text: string, at?: number): OutlinedSelect | undefined {
  const tokens = tokensOf(text);
  const groups = at === undefined ? [] : groupsAround(tokens, at);
  for (const group of [...groups, tokens]) {
    const level = levelOf(group);
    if (level.some(({ token }) => isKey(token, 'SELECT', 'FROM'))) return readSelect(level);
  }
  return undefined;
}

/** Returns the tokens inside each pair of brackets around an offset, the innermost first. */
function groupsAround(tokens: readonly Token[], at: number): readonly (readonly Token[])[] {
  const open: number[] = [];
  tokens.forEach((token, index) => {
    if (token.end > at) return;
    if (openers.has(token.text)) open.push(index);
    else if (closers.has(token.text)) open.pop();
  });
  return open.reverse().map((index) => insideOf(tokens, index));
}

function insideOf(tokens: readonly Token[], opening: number): readonly Token[] {
  let depth = 0;
  for (let index = opening; index < tokens.length; index++) {
    if (openers.has(tokens[index]?.text ?? '')) depth++;
    if (closers.has(tokens[index]?.text ?? '')) depth--;
    if (depth === 0) return tokens.slice(opening + 1, index);
  }
  return tokens.slice(opening + 1);
}

/** A token outside brackets, or a pair of brackets with its contents. */
interface Part {
  readonly token: Token;
  readonly end: number;
  readonly inside?: readonly Token[];
}

function levelOf(tokens: readonly Token[]): readonly Part[] {
  const parts: Part[] = [];
  for (let index = 0; index < tokens.length; index++) {
    const token = tokens[index];
    if (token === undefined) break;
    if (!openers.has(token.text)) {
      parts.push({ token, end: token.end });
      continue;
    }
    const inside = insideOf(tokens, index);
    index += inside.length + 1;
    parts.push({ token, inside, end: tokens[index]?.end ?? tokens.at(-1)?.end ?? token.end });
  }
  return parts;
}

function isKey(token: Token | undefined, ...keys: readonly string[]): boolean {
  return token?.kind !== 'quoted' && token?.key !== undefined && keys.includes(token.key);
}

const starters = [
  'SELECT',
  'FROM',
  'WHERE',
  'GROUP',
  'HAVING',
  'QUALIFY',
  'WINDOW',
  'ORDER',
  'LIMIT',
  '|>',
];
const setWords = ['UNION', 'INTERSECT', 'EXCEPT'];

interface Clause {
  readonly key: string;
  readonly parts: readonly Part[];
}

/** Splits a level at the words that begin clauses; the text before SELECT, such as WITH, comes first. */
function clausesOf(level: readonly Part[]): readonly Clause[] {
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
  const clauses = clausesOf(level);
  const find = (key: string) => clauses.find((clause) => clause.key === key);
  const [from, where] = [spanOf(find('FROM')), spanOf(find('WHERE'))];
  return {
    items: splitAt(find('SELECT')?.parts ?? []).map(readItem),
    sources: sourcesOf(find('FROM')?.parts ?? []),
    hasOr: find('WHERE')?.parts.some(({ token }) => isKey(token, 'OR')) ?? false,
    clauses: new Set(clauses.map(({ key }) => key)),
    end: level.filter(({ token }) => token.text !== ';').at(-1)?.end ?? 0,
    ...(from && { from }),
    ...(where && { where }),
  };
}

function spanOf(clause: Clause | undefined): Span | undefined {
  const parts = clause?.parts.filter(({ token }) => token.text !== ';') ?? [];
  const [first, last] = [parts[0], parts.at(-1)];
  return first && last && { at: first.token.at, end: last.end };
}

/** Returns the parts between commas. */
function splitAt(parts: readonly Part[]): readonly (readonly Part[])[] {
  const items: Part[][] = [[]];
  for (const part of parts) {
    if (part.token.text === ',') items.push([]);
    else items.at(-1)?.push(part);
  }
  return items.filter((item) => item.length > 0);
}

function readItem(parts: readonly Part[]): SelectItem {
  const words = isKey(parts[0]?.token, 'DISTINCT', 'ALL') ? parts.slice(1) : parts;
  const isStar = words.some(({ token }, index) => {
    return token.text === '*' && (index === 0 || words[index - 1]?.token.text === '.');
  });
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

/** Returns the tables and arrays of a FROM clause. */
function sourcesOf(parts: readonly Part[]): readonly Source[] {
  const factors: Part[][] = [[]];
  for (const part of parts) {
    if (part.token.text === ',' || isKey(part.token, 'JOIN')) factors.push([]);
    else factors.at(-1)?.push(part);
  }
  return factors.flatMap((factor) => readSource(factor) ?? []);
}

function readSource(parts: readonly Part[]): Source | undefined {
  const [first, second] = parts;
  if (isKey(first?.token, 'UNNEST') && second?.inside) {
    const { path } = readName(levelOf(second.inside));
    return { kind: 'unnest', path, alias: aliasOf(parts.slice(2)) ?? '' };
  }
  if (first?.inside) return { kind: 'other', path: [], alias: aliasOf(parts.slice(1)) ?? '' };
  const { path, rest } = readName(parts);
  if (path.length === 0) return undefined;
  return { kind: 'table', path, alias: aliasOf(rest) ?? path.at(-1) ?? '' };
}

function aliasOf(parts: readonly Part[]): string | undefined {
  const [first] = isKey(parts[0]?.token, 'AS') ? parts.slice(1) : parts;
  return first && isIdentifier(first) ? first.token.value : undefined;
}

/** A CTE of a text. */
export interface Cte {
  readonly name: string;
  readonly select: OutlinedSelect;
}

/** Returns the CTEs whose definitions end before an offset, which later queries may read. */
export function ctesBefore(text: string, at: number): readonly Cte[] {
  const tokens = tokensOf(text.slice(0, at));
  return tokens.flatMap((token, index) => {
    if (!isCteName(tokens, index)) return [];
    const body = insideOf(tokens, index + 2);
    const isClosed = index + 3 + body.length < tokens.length;
    return isClosed ? [{ name: token.value, select: readSelect(levelOf(body)) }] : [];
  });
}

/** Whether a token is the name in `with name as (`, or after a comma. */
function isCteName(tokens: readonly Token[], index: number): boolean {
  const [before, token, as, bracket] = [-1, 0, 1, 2].map((step) => tokens[index + step]);
  const isFirst = isKey(before, 'WITH', 'RECURSIVE') || before?.text === ',';
  const isName = token?.kind === 'word' || token?.kind === 'quoted';
  return isFirst && isName && isKey(as, 'AS') && bracket?.text === '(';
}
