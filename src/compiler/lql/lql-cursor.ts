import { QueryFault } from '../../errors/query-fault.js';
import type { LqlWord } from './lql-tree.js';

/** A position in an LQL query, with the operations of a parser. Patterns must be sticky. */
export class LqlCursor {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** The offset in the query. */
  get at(): number {
    return this.#at;
  }

  /** Whether the whole query has been consumed. */
  get isAtEnd(): boolean {
    return this.#at >= this.#text.length;
  }

  /** The match of a pattern at this position; empty if there is none. */
  peek(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    return pattern.exec(this.#text)?.[0] ?? '';
  }

  /** Consumes the match of a pattern; see {@link peek}. */
  take(pattern: RegExp): string {
    const found = this.peek(pattern);
    this.#at += found.length;
    return found;
  }

  /** Consumes a string if it comes next. */
  accept(text: string): boolean {
    const isHere = this.#text.startsWith(text, this.#at);
    if (isHere) this.#at += text.length;
    return isHere;
  }

  /** Consumes a string. @throws QueryFault if it does not come next */
  expect(text: string): void {
    if (!this.accept(text)) throw this.unexpected(`Expected "${text}" but got`);
  }

  /** Consumes the match of a pattern as a word. @throws QueryFault if there is no match */
  word(pattern: RegExp, what: string): LqlWord {
    const at = this.#at;
    const text = this.take(pattern);
    if (text === '') throw this.unexpected(`Expected ${what} but got`);
    return { text, at };
  }

  /**
   * Consumes a quoted string: `"a \"b\" \\ c"` -> `a "b" \ c`; other backslashes are literal.
   * @throws QueryFault if the closing quote is missing
   */
  quoted(): LqlWord {
    const at = this.#at;
    const whole = this.take(/"[^"\\]*(?:\\[\s\S][^"\\]*)*"/y);
    if (whole === '') throw new QueryFault('Syntax error: Unclosed quote', at);
    return { text: whole.slice(1, -1).replaceAll(/\\(["\\])/g, '$1'), at };
  }

  /** Consumes white space or the end. @throws QueryFault for anything else */
  endItem(): void {
    if (this.peek(/\S/y) !== '') throw this.unexpected();
    this.take(/\s+/y);
  }

  /** Returns the error for the next word. */
  unexpected(lead = 'Unexpected'): QueryFault {
    const found = this.peek(/\S+/y);
    const next = found === '' ? 'the end of the item' : quoteForMessage(found);
    return new QueryFault(`Syntax error: ${lead} ${next}`, this.#at);
  }
}

/** Quotes and truncates a part of the caller's query for a message. */
export function quoteForMessage(text: string): string {
  const characters = [...text.slice(0, 200)];
  return `"${characters.length > 60 ? `${characters.slice(0, 57).join('')}...` : text}"`;
}
