import { shortName } from '../../errors/errors.js';
import { QueryFault } from '../../errors/query-fault.js';
import { syntaxHint } from './habits.js';
import { withoutHints } from './hints.js';
import { lex, type Token } from './lex.js';
import type { Identifier } from './names.js';
import type { Expression, Query } from './tree.js';
import { reservedWords } from './words.js';

/** The two entry points of the grammar, passed in because the parser's files call each other. */
export interface Grammar {
  readonly query: (cursor: Cursor) => Query;
  readonly expression: (cursor: Cursor) => Expression;
}

/** The maximum nesting of brackets, subqueries, calls and unary operators. */
const maxNesting = 60;

/** A position in a list of tokens, with the operations of a recursive-descent parser. */
export class Cursor {
  readonly #tokens: readonly Token[];
  readonly #grammar: Grammar;
  /** Computed once, because nested brackets need the same closing brackets repeatedly. */
  #closings?: ReadonlyMap<number, number>;
  #index = 0;
  #depth = 0;
  /** Whether the next token is a `>>` whose first `>` has been consumed. */
  #isHalfTaken = false;

  constructor(text: string, grammar: Grammar) {
    this.#tokens = withoutHints(lex(text));
    this.#grammar = grammar;
  }

  /** Parses a query. */
  query(): Query {
    return this.nested(() => this.#grammar.query(this));
  }

  /** Parses an expression. */
  expression(): Expression {
    return this.#grammar.expression(this);
  }

  /** Parses one level deeper. @throws QueryFault `resourcesExceeded` if the nesting is too deep */
  nested<T>(parse: () => T): T {
    if (++this.#depth > maxNesting) {
      const message = `The query is nested too deeply: at most ${maxNesting} levels are allowed`;
      throw new QueryFault(message, this.next.at, 'resourcesExceeded');
    }
    const value = parse();
    this.#depth--;
    return value;
  }

  /** Whether the query that is being parsed is the whole statement. */
  get isOutermost(): boolean {
    return this.#depth === 1;
  }

  /** The next token. */
  get next(): Token {
    return this.peek(0);
  }

  /** The token `ahead` places after the next one, or before it if negative; the `end` token beyond the text. */
  peek(ahead: number): Token {
    const token = this.#tokens[this.#index + ahead] ?? this.#tokens.at(-1);
    if (token === undefined) throw new Error('no tokens');
    return token;
  }

  /** Consumes the next token. */
  take(): Token {
    const token = this.next;
    if (this.#index < this.#tokens.length - 1) this.#index++;
    return token;
  }

  /**
   * Returns the distance to the bracket that closes the one at `ahead`, or to the end of the text if it is not closed.
   */
  closing(ahead: number): number {
    this.#closings ??= matchBrackets(this.#tokens);
    return (this.#closings.get(this.#index + ahead) ?? this.#tokens.length - 1) - this.#index;
  }

  /** Whether these words (in upper case) or symbols come next, in this order. */
  at(...texts: readonly string[]): boolean {
    let ahead = 0;
    for (const text of texts) if (this.peek(ahead++).key !== text) return false;
    return true;
  }

  /** Whether one of these words or symbols comes next. */
  atOne(...texts: readonly string[]): boolean {
    const { key } = this.next;
    return key !== undefined && texts.includes(key);
  }

  /** Consumes these words or symbols if all of them come next. */
  accept(...texts: readonly string[]): boolean {
    if (!this.at(...texts)) return false;
    for (const _ of texts) this.take();
    return true;
  }

  /** Consumes and returns whichever of these words or symbols comes next. */
  acceptOne<T extends string>(...texts: readonly T[]): T | undefined {
    const { key } = this.next;
    const found = key === undefined ? undefined : texts.find((text) => text === key);
    if (found !== undefined) this.take();
    return found;
  }

  /** Consumes these words or symbols. @throws QueryFault if they do not come next */
  expect(...texts: readonly string[]): void {
    for (const text of texts) {
      if (!this.accept(text)) {
        const wanted = /^[A-Z]/.test(text) ? `keyword ${text}` : `"${text}"`;
        throw this.unexpected(`Expected ${wanted} but got`);
      }
    }
  }

  /** Consumes the `>` that closes a type; `>>` closes two, and each call consumes one half of it. */
  expectAngle(): void {
    if (this.#isHalfTaken) {
      this.#isHalfTaken = false;
      this.take();
    } else if (this.at('>>')) this.#isHalfTaken = true;
    else this.expect('>');
  }

  /** Consumes an identifier; `allowReserved` allows reserved words, for example after a dot. */
  identifier(allowReserved = false): Identifier {
    const token = this.next;
    const isName = token.kind === 'word' && (allowReserved || !isReserved(token));
    if (!isName && token.kind !== 'quoted') throw this.unexpected();
    this.take();
    return { name: token.value, quoted: token.kind === 'quoted', at: token.at };
  }

  /** Whether the next token is an identifier and not a reserved word. */
  atIdentifier(): boolean {
    const { kind } = this.next;
    return kind === 'quoted' || (kind === 'word' && !isReserved(this.next));
  }

  /**
   * Whether a query begins here, rather than a group of joins: `((select 1) union …` but not
   * `((select 1) a join …`.
   */
  atQuery(ahead = 0): boolean {
    const { kind, key = '', text } = this.peek(ahead);
    // `WITH (` begins an expression.
    if (key === 'WITH') return this.peek(ahead + 1).key !== '(';
    if (kind === 'word') return key === 'SELECT' || key === 'FROM';
    if (kind !== 'symbol' || text !== '(' || ahead > maxNesting) return false;
    return afterOperand.has(this.#keyAfterBracket(ahead)) && this.atQuery(ahead + 1);
  }

  /** Like {@link atQuery}, in a bracket of an expression, where `((select 1))` is a value in brackets. */
  atSubquery(): boolean {
    return this.atQuery() && !(this.at('(') && this.#keyAfterBracket(0) === ')');
  }

  /** The key of the token after the bracket that closes the one at `ahead`. */
  #keyAfterBracket(ahead: number): string {
    return this.peek(this.closing(ahead) + 1).key ?? '';
  }

  /** Parses one or more items separated by commas; if `isEnd` holds after a comma, that comma ends the list. */
  list<T>(parse: () => T, isEnd = (): boolean => false): readonly T[] {
    const items = [parse()];
    while (this.accept(',') && !isEnd()) items.push(parse());
    return items;
  }

  /** Parses one or more identifiers separated by commas. */
  names(): readonly Identifier[] {
    return this.list(() => this.identifier());
  }

  /** Parses something, and consumes the bracket that closes it. */
  closed<T>(parse: () => T, bracket = ')'): T {
    const value = parse();
    this.expect(bracket);
    return value;
  }

  /** Parses something in brackets. */
  bracketed<T>(parse: () => T): T {
    this.expect('(');
    return this.closed(parse);
  }

  /** Parses a query in brackets. */
  subquery(): Query {
    return this.bracketed(() => this.query());
  }

  /** Returns the error for the next token; the default hint corrects a habit from another database. */
  unexpected(lead = 'Unexpected', hint = syntaxHint((ahead) => this.peek(ahead))): QueryFault {
    const found = descriptions[this.next.kind](this.next);
    return new QueryFault(`Syntax error: ${lead} ${found}${hint}`, this.next.at);
  }
}

/** The tokens that may follow a bracketed query within a larger query. */
const afterOperand = new Set([')', 'UNION', 'INTERSECT', 'EXCEPT', 'ORDER', 'LIMIT', '|>']);

/** The index of each closing bracket, by the index of its opening bracket. */
function matchBrackets(tokens: readonly Token[]): ReadonlyMap<number, number> {
  const closings = new Map<number, number>();
  const open: number[] = [];
  for (const [index, { kind, text }] of tokens.entries()) {
    if (kind === 'symbol' && text === '(') open.push(index);
    const opening = kind === 'symbol' && text === ')' ? open.pop() : undefined;
    if (opening !== undefined) closings.set(opening, index);
  }
  return closings;
}

function isReserved(token: Token): boolean {
  return token.key !== undefined && reservedWords.has(token.key);
}

const descriptions: Readonly<Record<Token['kind'], (token: Token) => string>> = {
  word: (token) =>
    isReserved(token) ? `keyword ${token.key}` : `identifier "${shortName(token.text)}"`,
  quoted: (token) => `identifier ${shortName(token.text)}`,
  string: (token) => `string literal ${shortLiteral(token.text)}`,
  bytes: (token) => `bytes literal ${shortLiteral(token.text)}`,
  integer: (token) => `integer literal "${shortLiteral(token.text)}"`,
  float: (token) => `floating point literal "${shortLiteral(token.text)}"`,
  parameter: (token) => `"${shortName(token.text)}"`,
  symbol: (token) => `"${token.text}"`,
  end: () => 'end of statement',
};

function shortLiteral(text: string): string {
  return text.length > 40 ? `${text.slice(0, 40)}...` : text;
}
