import { shortName } from '../../errors/errors.js';
import { QueryFault } from '../../errors/query-fault.js';
import { lex, type Token } from './lex.js';
import type { Expression, Identifier, Query } from './tree.js';
import { reservedWords } from './words.js';

/** The grammar's two entries, which call each other across files. */
export interface Grammar {
  readonly query: (cursor: Cursor) => Query;
  readonly expression: (cursor: Cursor) => Expression;
}

/** How deep brackets, sub-selects, calls and unary operators may nest. */
export const maxNesting = 60;

/** A place in a row of tokens, and the questions a recursive descent asks there. */
export class Cursor {
  readonly #tokens: readonly Token[];
  readonly #grammar: Grammar;
  /** Counted once: brackets in brackets ask for the same ends over and over. */
  #closings?: ReadonlyMap<number, number>;
  #index = 0;
  #depth = 0;
  #halfTaken = false;

  constructor(text: string, grammar: Grammar) {
    this.#tokens = lex(text);
    this.#grammar = grammar;
  }

  query(): Query {
    return this.nested(() => this.#grammar.query(this));
  }

  expression(): Expression {
    return this.#grammar.expression(this);
  }

  /** @throws QueryFault `resourcesExceeded` past {@link maxNesting} */
  nested<T>(parse: () => T): T {
    if (++this.#depth > maxNesting) {
      const message = `The query is nested too deeply: at most ${maxNesting} levels are allowed`;
      throw new QueryFault(message, this.next.at, 'resourcesExceeded');
    }
    const value = parse();
    this.#depth--;
    return value;
  }

  get next(): Token {
    return this.peek(0);
  }

  /** The token `ahead` places on; the last is the end. */
  peek(ahead: number): Token {
    const token = this.#tokens[this.#index + ahead] ?? this.#tokens.at(-1);
    if (token === undefined) throw new Error('no tokens');
    return token;
  }

  take(): Token {
    const token = this.next;
    if (this.#index < this.#tokens.length - 1) this.#index++;
    return token;
  }

  /** How far on the bracket closes that opens `ahead` places on; the end where it never does. */
  closing(ahead: number): number {
    this.#closings ??= closingsOf(this.#tokens);
    return (this.#closings.get(this.#index + ahead) ?? this.#tokens.length - 1) - this.#index;
  }

  /** Whether these words, in upper case, or symbols stand next. */
  at(...texts: readonly string[]): boolean {
    return texts.every((text, ahead) => matches(this.peek(ahead), text));
  }

  /** Whether one of these words or symbols stands next. */
  atOne(...texts: readonly string[]): boolean {
    return texts.some((text) => matches(this.next, text));
  }

  /** Takes the words or symbols where all of them stand next. */
  accept(...texts: readonly string[]): boolean {
    if (!this.at(...texts)) return false;
    for (const _ of texts) this.take();
    return true;
  }

  /** Takes and gives the one of these words or symbols that stands next. */
  acceptOne<T extends string>(...texts: readonly T[]): T | undefined {
    const found = texts.find((text) => this.at(text));
    if (found !== undefined) this.take();
    return found;
  }

  expect(...texts: readonly string[]): void {
    for (const text of texts) {
      if (!this.accept(text)) {
        const wanted = /^[A-Z]/.test(text) ? `keyword ${text}` : `"${text}"`;
        throw this.unexpected(`Expected ${wanted} but got`);
      }
    }
  }

  /** The `>` that closes a type; of a `>>` it takes the first half. */
  expectAngle(): void {
    if (this.#halfTaken) {
      this.#halfTaken = false;
      this.take();
    } else if (this.at('>>')) this.#halfTaken = true;
    else this.expect('>');
  }

  /** An identifier; a reserved word only where `reserved` says so, as after a dot. */
  identifier(reserved = false): Identifier {
    const token = this.next;
    const isName = token.kind === 'word' && (reserved || !isReserved(token));
    if (!isName && token.kind !== 'quoted') throw this.unexpected();
    this.take();
    return { name: token.value, quoted: token.kind === 'quoted', at: token.at };
  }

  /** Whether an identifier that is no reserved word stands next. */
  atIdentifier(): boolean {
    const { kind } = this.next;
    return kind === 'quoted' || (kind === 'word' && !isReserved(this.next));
  }

  /** One or more of `parse`, with commas between. */
  list<T>(parse: () => T): readonly T[] {
    const items = [parse()];
    while (this.accept(',')) items.push(parse());
    return items;
  }

  /** The fault of the token that stands next. */
  unexpected(lead = 'Unexpected'): QueryFault {
    return new QueryFault(`Syntax error: ${lead} ${describe(this.next)}`, this.next.at);
  }
}

/** Where each bracket closes, by where it opens. */
function closingsOf(tokens: readonly Token[]): ReadonlyMap<number, number> {
  const closings = new Map<number, number>();
  const open: number[] = [];
  for (const [place, { kind, text }] of tokens.entries()) {
    if (kind === 'symbol' && text === '(') open.push(place);
    const opening = kind === 'symbol' && text === ')' ? open.pop() : undefined;
    if (opening !== undefined) closings.set(opening, place);
  }
  return closings;
}

function matches(token: Token, text: string): boolean {
  return token.key === text;
}

function isReserved(token: Token): boolean {
  return token.key !== undefined && reservedWords.has(token.key);
}

const descriptions: Readonly<Record<Token['kind'], (token: Token) => string>> = {
  word: (token) =>
    isReserved(token) ? `keyword ${token.key}` : `identifier "${shortName(token.text)}"`,
  quoted: (token) => `identifier ${shortName(token.text)}`,
  string: (token) => `string literal ${shorten(token.text)}`,
  bytes: (token) => `bytes literal ${shorten(token.text)}`,
  integer: (token) => `integer literal "${shorten(token.text)}"`,
  float: (token) => `floating point literal "${shorten(token.text)}"`,
  parameter: (token) => `"${shortName(token.text)}"`,
  symbol: (token) => `"${token.text}"`,
  end: () => 'end of statement',
};

function describe(token: Token): string {
  return descriptions[token.kind](token);
}

function shorten(text: string): string {
  return text.length > 40 ? `${text.slice(0, 40)}...` : text;
}
