import { lineAndColumn } from '../../errors/query-fault.js';
import type { AnswerFault } from './endpoint.js';
import { outline, type Span } from './sql-outline.js';

/** A replacement of a part of a query. */
export interface Edit extends Span {
  readonly insert: string;
}

/** The edits that mend a fault, the last one of the query first. */
export interface Mending {
  readonly edits: readonly Edit[];
  /** The text to use, for a button. */
  readonly title: string;
}

/** Returns the offset of a line and column, both from 1; columns count characters. */
function textOffset(text: string, line: number, column: number): number {
  const starts = [0, ...[...text.matchAll(/\r\n|\r|\n/g)].map((end) => end.index + end[0].length)];
  const start = starts[line - 1] ?? text.length;
  const before = [...text.slice(start)].slice(0, column - 1).join('');
  return Math.min(text.length, start + before.length);
}

/** The part of the query to underline: the word, string or symbol at a fault's position, otherwise the whole query. */
export function rangeAt(text: string, { line, column }: AnswerFault): Span {
  if (line === undefined || column === undefined) return { from: 0, to: text.length };
  const from = textOffset(text, line, column);
  const word = /^(?:`[^`\n]*`?|"[^"\n]*"?|'[^'\n]*'?|[\p{L}_][\p{L}\p{N}_]*|\S)/u;
  const [{ length } = ''] = word.exec(text.slice(from)) ?? [];
  // At the end, underline the character before.
  return length === 0 ? { from: Math.max(0, from - 1), to: from } : { from, to: from + length };
}

/** Returns the edits that the hint of a fault suggests, `did you mean x?` or `write x after …`; undefined without one. */
export function suggestedMending(text: string, fault: AnswerFault): Mending | undefined {
  const { message, line, location } = fault;
  if (line === undefined) return undefined;
  const [, near] = /; did you mean (\S+)\?/.exec(message) ?? [];
  const [, written, joins = ''] =
    /; write (\S+) after (cross join [^;]+?)(?: at \[|$)/.exec(message) ?? [];
  const title = near ?? written;
  const { from, to } = rangeAt(text, fault);
  const [, named = ''] = /(?:: |^Field name )([^\s;]+)(?:;| does not exist)/.exec(message) ?? [];
  const here = text.slice(from, from + named.length);
  const isNamed = named !== '' && here.toLowerCase() === named.toLowerCase();
  // The name may be in backticks. Any other text was typed after the check.
  if (title === undefined || !(isNamed || text.slice(from, to) === `\`${named}\``))
    return undefined;
  const edit = { from, to: isNamed ? from + named.length : to, insert: title };
  if (near !== undefined) return { title, edits: [edit] };
  // LQL has no joins; `m.status` is the same there.
  if (location === 'lql') return written?.startsWith('m.') ? { title, edits: [edit] } : undefined;
  const at = outline(text, from)?.clauses.get('FROM')?.to;
  if (at === undefined) return undefined;
  const join = { from: at, to: at, insert: `\n${joins.replaceAll(' cross join', '\ncross join')}` };
  return { title, edits: [edit, join].toSorted((a, b) => b.from - a.from) };
}

/** Applies edits to a query, of which the last ones come first. */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  return edits.reduce(
    (now, { from, to, insert }) => now.slice(0, from) + insert + now.slice(to),
    text,
  );
}

const maxFaults = 5;

/**
 * Finds the faults of a query. A check finds only the first fault; its hint is applied to a copy, which is checked
 * again. Positions refer to the original query.
 */
export async function findQueryFaults(
  text: string,
  check: (text: string) => Promise<readonly AnswerFault[]>,
): Promise<readonly AnswerFault[]> {
  const found: AnswerFault[] = [];
  const done: Edit[] = [];
  let mended = text;
  while (found.length < maxFaults) {
    const [fault] = await check(mended);
    if (fault === undefined) return found;
    const mending = suggestedMending(mended, fault);
    found.push(inOriginal(fault, text, mended, done));
    if (mending === undefined) return found;
    mended = applyEdits(mended, mending.edits);
    done.push(...mending.edits);
  }
  return found;
}

/** A fault of the changed copy, with its position in the original query. */
function inOriginal(
  fault: AnswerFault,
  text: string,
  mended: string,
  done: readonly Edit[],
): AnswerFault {
  const { line, column } = fault;
  if (line === undefined || column === undefined) return fault;
  const at = textOffset(mended, line, column);
  const shifted = done.toReversed().reduce((offset, { from, to, insert }) => {
    return offset > from ? offset + (to - from) - insert.length : offset;
  }, at);
  return { ...fault, ...lineAndColumn(text, shifted) };
}
