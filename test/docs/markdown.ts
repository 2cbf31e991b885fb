import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../support/paths.js';

/** A page of the documentation. */
export interface Page {
  /** Below the root: `docs/lql.md`. */
  readonly path: string;
  readonly text: string;
}

/** A fenced block. */
export interface Block {
  /** The first word after the fence: `sql`. */
  readonly language: string;
  /** The words after the language: `endpoint=logs.all` is one entry, `not-run` has an empty value. */
  readonly options: ReadonlyMap<string, string>;
  readonly body: string;
  /** The start and the end of the body in the page. */
  readonly start: number;
  readonly end: number;
  /** The line of the opening fence, from 1. */
  readonly line: number;
}

/** Every page: those of the root and of docs/. */
export const pages: readonly Page[] = [
  ...['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md'],
  ...readdirSync(join(root, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`)
    .sort(),
].map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));

/** The page at a path. @throws Error where there is none */
export function findPage(path: string): Page {
  const page = pages.find((one) => one.path === path);
  if (page === undefined) throw new Error(`no page ${path}`);
  return page;
}

/** The fenced blocks of a page, in order. */
export function findBlocks(text: string): readonly Block[] {
  return [...text.matchAll(/^```([a-z]*)([^\n]*)\n(.*?)^```$/gms)].map((match) => {
    const [whole, language = '', info = '', body = ''] = match;
    const start = match.index + whole.indexOf('\n') + 1;
    const words = info.trim() === '' ? [] : info.trim().split(/\s+/);
    return {
      language,
      options: new Map(words.map((word) => splitOption(word))),
      body,
      start,
      end: start + body.length,
      line: text.slice(0, match.index).split('\n').length,
    };
  });
}

function splitOption(word: string): readonly [string, string] {
  const [, name = word, value = ''] = /^([^=]+)=(.*)$/.exec(word) ?? [];
  return [name, value];
}

/** The text between `<!-- begin NAME -->` and `<!-- end NAME -->`. @throws Error where they are not there */
export function findRegion(page: Page, name: string): string {
  const match = regionOf(name).exec(page.text);
  if (match === null) throw new Error(`${page.path} has no region ${name}`);
  return match[1] ?? '';
}

/** The page's text with another region in place of the one of this name. */
export function replaceRegion(page: Page, name: string, body: string): string {
  const marked = `<!-- begin ${name} -->\n${body}\n<!-- end ${name} -->`;
  return page.text.replace(regionOf(name), () => marked);
}

function regionOf(name: string): RegExp {
  return new RegExp(`<!-- begin ${name} -->\\n(?:(.*?)\\n)?<!-- end ${name} -->`, 's');
}

/** The cells of the table rows in a text, header and rule left out; `\|` does not end a cell. */
export function tableRows(text: string): readonly (readonly string[])[] {
  return text
    .split('\n')
    .filter((line, index, lines) => line.startsWith('|') && !isHead(lines, index))
    .map((line) => line.slice(1, -1).split(/(?<!\\)\|/))
    .map((cells) => cells.map((cell) => cell.trim()));
}

function isHead(lines: readonly string[], index: number): boolean {
  const isRule = (line: string | undefined) => /^\|[ :|-]+\|$/.test(line ?? '');
  return isRule(lines[index]) || isRule(lines[index + 1]);
}

/** A Markdown table. */
export function printTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  rule = head.map(() => '---'),
): string {
  return [head, rule, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
