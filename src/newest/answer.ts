import type { NewestRequest, Result, Statement } from '../engine/engine.js';
import type { Part, SourceSchema } from '../types/schema.js';
import { spanOf } from './instants.js';
import { compareInstants, type FoundRow, type Span } from './kept-rows.js';
import { printRows } from './print-rows.js';
import { hasProjects } from './read-rows.js';

/** Which rows of a part to find. */
export interface Sought {
  readonly span: Span;
  readonly project: string | undefined;
}

/** Finds rows of a part, newest first; undefined if some of them might be missing, or if they are large. */
export type FindRows = (
  source: SourceSchema,
  part: Part,
  sought: Sought,
) => readonly FoundRow[] | undefined;

/** Where rows are kept, and what may be answered from them. */
export interface AnswerOptions {
  readonly sources: readonly SourceSchema[];
  readonly find: FindRows;
  readonly maxResultBytes: number;
}

/** A larger answer is left to the engine: it would keep the server's thread busy. */
const maxFound = 2_000;
/** The same goes for more values than these, or more bytes: a statement can select a column many times. */
const maxValues = 100_000;
const maxPrintedBytes = 8_000_000;

/** The result of a statement; undefined if it asks for other rows than those that are kept. */
export function answerFromRows(
  { newest, format = 'json', redact, maxRows }: Statement,
  options: AnswerOptions,
): Result | undefined {
  if (newest === undefined || format !== 'json' || redact) return undefined;
  const start = performance.now();
  const source = options.sources.find(({ name }) => name === newest.source);
  const found = source && findAll(newest, maxRows, { ...options, source });
  if (source === undefined || found === undefined) return undefined;
  const columns = newest.columns.map(({ name, column }) => ({
    name,
    index: source.columns.findIndex((each) => each.name === column),
  }));
  const rows = found.slice(0, maxRows);
  if (rows.length * columns.length > maxValues) return undefined;
  const body = printRows(rows, columns, Math.min(options.maxResultBytes, maxPrintedBytes));
  if (body === undefined) return undefined;
  const timings = { queueMs: 0, engineMs: performance.now() - start, encodeMs: 0 };
  return { body, format, rowCount: rows.length, truncated: found.length > maxRows, timings };
}

interface Wanted extends AnswerOptions {
  readonly source: SourceSchema;
}

/** The rows, newest first, and up to one more than `maxRows`. */
function findAll(
  { project, bounds, limit = Number.POSITIVE_INFINITY }: NewestRequest,
  maxRows: number,
  { source, find }: Wanted,
): readonly FoundRow[] | undefined {
  const span = { ...spanOf(bounds), limit: Math.min(limit, maxRows + 1) };
  if (source.parts === undefined || span.limit > maxFound) return undefined;
  if (project !== undefined && !hasProjects(source)) return undefined;
  let rows: readonly FoundRow[] = [];
  // The last parts usually have the newest rows.
  for (const part of source.parts.toReversed()) {
    const found = find(source, part, { span: newerThan(rows, span), project });
    if (found === undefined) return undefined;
    rows = firstOf([...rows, ...found], span);
  }
  return rows;
}

function firstOf(rows: readonly FoundRow[], { limit }: Span): readonly FoundRow[] {
  return rows.toSorted((one, other) => compareInstants(other.time, one.time)).slice(0, limit);
}

/** Once there are enough rows, only newer ones are needed. */
function newerThan(rows: readonly FoundRow[], span: Span): Span {
  const last = rows[span.limit - 1];
  return last === undefined || last.time < span.after ? span : { ...span, after: last.time };
}
