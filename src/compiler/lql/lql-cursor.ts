import { QueryFault } from '../../errors/query-fault.js';
import type { LqlWord } from './lql-tree.js';

/** A place in a text of LQL, and the questions a parser asks there; every pattern is sticky. */
export class LqlCursor {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get at(): number {
    return this.#at;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#text.length;
  }

  /** What the pattern finds here; empty where it finds nothing. */
  peek(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    return pattern.exec(this.#text)?.[0] ?? '';
  }

  /** {@link peek}, and goes behind it. */
  take(pattern: RegExp): string {
    const found = this.peek(pattern);
    this.#at += found.length;
    return found;
  }

  /** Goes behind the text where it stands here. */
  accept(text: string): boolean {
    const isHere = this.#text.startsWith(text, this.#at);
    if (isHere) this.#at += text.length;
    return isHere;
  }

  /** @throws QueryFault where the text does not stand here */
  expect(text: string): void {
    if (!this.accept(text)) throw this.unexpected(`Expected "${text}" but got`);
  }

  /** What the pattern finds, as a word. @throws QueryFault where it finds nothing */
  word(pattern: RegExp, what: string): LqlWord {
    const at = this.#at;
    const text = this.take(pattern);
    if (text === '') throw this.unexpected(`Expected ${what} but got`);
    return { text, at };
  }

  /** `"a \"b\" \\ c"` -> `a "b" \ c`; any other backslash stands for itself. @throws QueryFault */
  quoted(): LqlWord {
    const at = this.#at;
    const end = this.#closingQuote(at);
    this.#at = end + 1;
    const body = this.#text.slice(at + 1, end);
    return { text: body.replaceAll(/\\(["\\])/g, '$1'), at };
  }

  #closingQuote(opening: number): number {
    for (let at = opening + 1; at < this.#text.length; at++) {
      if (this.#text[at] === '"') return at;
      if (this.#text[at] === '\\') at++;
    }
    throw new QueryFault('Syntax error: Unclosed quote', opening);
  }

  /** @throws QueryFault where neither white space nor the end stands here */
  endItem(): void {
    if (this.peek(/\S/y) !== '') throw this.unexpected();
    this.take(/\s+/y);
  }

  /** The fault of what stands here. */
  unexpected(before = 'Unexpected'): QueryFault {
    const found = this.peek(/\S+/y);
    const what = found === '' ? 'the end of the item' : shown(found);
    return new QueryFault(`Syntax error: ${before} ${what}`, this.#at);
  }
}

/** A piece of the caller's text in quotes, cut where it is too long to read in a message. */
export function shown(text: string): string {
  const characters = [...text.slice(0, 200)];
  return `"${characters.length > 60 ? `${characters.slice(0, 57).join('')}...` : text}"`;
}
