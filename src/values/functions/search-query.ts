import { ValueFault } from '../value-fault.js';
import type { Analyzer } from './analyze-text.js';

/** The target of a SEARCH. */
export type SearchQuery =
  | { readonly kind: 'and' | 'or'; readonly parts: readonly SearchQuery[] }
  /** All tokens of a term, anywhere in the text. */
  | { readonly kind: 'tokens'; readonly tokens: readonly string[] }
  /** The tokens of a phrase, adjacent to each other. */
  | { readonly kind: 'phrase'; readonly tokens: readonly string[] }
  /** A string between delimiters, case-sensitive. */
  | { readonly kind: 'exact'; readonly text: string };

type Token =
  | { readonly kind: '(' | ')' | 'AND' | 'OR' | 'end' }
  | { readonly kind: 'term'; readonly query: SearchQuery };

/**
 * Reads a search query: terms, phrases in double quotes and exact strings in backticks, with AND, OR and brackets; a
 * blank is an AND.
 * @throws ValueFault
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/search_functions#search_query_rules
 */
export function parseSearchQuery(text: string, analyzer: Analyzer): SearchQuery {
  const tokens = [...scan(text, analyzer), { kind: 'end' } as const];
  let at = 0;
  const peek = () => tokens[at]?.kind ?? 'end';
  const or = (): SearchQuery => {
    const parts = [and()];
    while (peek() === 'OR') {
      at++;
      parts.push(and());
    }
    return combine('or', parts);
  };
  const and = (): SearchQuery => {
    const parts = [operand()];
    for (let kind = peek(); kind === 'AND' || kind === '(' || kind === 'term'; kind = peek()) {
      if (kind === 'AND') at++;
      parts.push(operand());
    }
    return combine('and', parts);
  };
  const operand = (): SearchQuery => {
    const token = tokens[at++];
    if (token?.kind === 'term') return token.query;
    if (token?.kind !== '(') throw misplaced(token?.kind);
    const inner = or();
    if (tokens[at++]?.kind !== ')') throw misplaced('end');
    return inner;
  };
  const query = or();
  if (peek() !== 'end') throw misplaced(peek());
  if (isEmpty(query)) throw noTokens();
  return query;
}

function noTokens(): ValueFault {
  return new ValueFault('The search_query of SEARCH contains no tokens');
}

function misplaced(kind: string | undefined): ValueFault {
  if (kind === undefined) return noTokens();
  const what = kind === 'end' ? 'a term is missing at the end' : `${kind} is misplaced`;
  return new ValueFault(`The search_query of SEARCH has a syntax error: ${what}`);
}

/** Combines queries; terms without tokens, such as a lone delimiter in quotes, add no condition. */
function combine(kind: 'and' | 'or', parts: readonly SearchQuery[]): SearchQuery {
  const asking = parts.filter((part) => !isEmpty(part));
  const [first, ...others] = asking;
  if (first === undefined) return { kind, parts: [] };
  return others.length === 0 ? first : { kind, parts: asking };
}

function isEmpty(query: SearchQuery): boolean {
  if (query.kind === 'exact') return query.text === '';
  return 'parts' in query ? query.parts.length === 0 : query.tokens.length === 0;
}

const backtick = /`((?:\\`|[^`])+)`/y;
const phrase = /"((?:\\"|[^"])+)"/y;
const single = /(?:\\.|[^\s[\]<>(){}|!'"*&?+/:=\-\\~^`])+/sy;
const reservedWords: ReadonlySet<string> = new Set(['NOT', 'IN', 'NEAR']);

function scan(text: string, analyzer: Analyzer): readonly Token[] {
  const found: Token[] = [];
  for (let at = skipBlanks(text, 0); at < text.length; at = skipBlanks(text, at)) {
    const [token, length] = scanOne(text, at, analyzer);
    found.push(token);
    at += length;
  }
  if (found.length === 0) throw noTokens();
  return found;
}

function skipBlanks(text: string, from: number): number {
  const blanks = /\s*/y;
  blanks.lastIndex = from;
  return from + (blanks.exec(text)?.[0].length ?? 0);
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

function scanOne(text: string, at: number, analyzer: Analyzer): readonly [Token, number] {
  const first = text.charAt(at);
  if (first === '(' || first === ')') return [{ kind: first }, 1];
  const exact = matchAt(backtick, text, at);
  if (exact !== null) {
    return [{ kind: 'term', query: exactTerm(exact[1] ?? '', analyzer) }, exact[0].length];
  }
  const quoted = matchAt(phrase, text, at);
  if (quoted !== null) {
    const tokens = analyzer.splitText((quoted[1] ?? '').replaceAll('\\"', '"'));
    return [{ kind: 'term', query: { kind: 'phrase', tokens } }, quoted[0].length];
  }
  const word = matchAt(single, text, at)?.[0];
  if (word === undefined) throw reserved(first);
  return [wordToken(word, analyzer), word.length];
}

function reserved(character: string): ValueFault {
  return new ValueFault(
    `A reserved character in the search_query of SEARCH needs a backslash before it, or its term backticks around it: ${character}`,
  );
}

function wordToken(word: string, analyzer: Analyzer): Token {
  if (word === 'AND' || word === 'OR') return { kind: word };
  if (reservedWords.has(word)) {
    throw new ValueFault(
      `A reserved word in the search_query of SEARCH needs backticks around it: ${word}`,
    );
  }
  const tokens = analyzer.splitText(word.replace(/\\(.)/gs, '$1'));
  return { kind: 'term', query: { kind: 'tokens', tokens } };
}

function exactTerm(written: string, analyzer: Analyzer): SearchQuery {
  const text = written.replaceAll('\\`', '`');
  return analyzer.kind === 'LOG_ANALYZER'
    ? { kind: 'exact', text }
    : { kind: 'tokens', tokens: analyzer.splitText(text) };
}
