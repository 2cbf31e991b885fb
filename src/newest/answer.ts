import type { NewestRequest, Result, Statement } from '../engine/engine.js';
import type { Part, SourceSchema } from '../types/schema.js';
import { spanOf } from './instants.js';
import { compareInstants, type KeptRows } from './kept-rows.js';
import { printRows } from './print-rows.js';
import type { FoundRow } from './project-rows.js';
import { hasProjects } from './read-chunk.js';

/** Where rows are kept, and what may be answered from them. */
export interface AnswerOptions {
  readonly sources: readonly SourceSchema[];
  /** The rows of a part; undefined if none were read yet. */
  readonly rowsOf: (source: SourceSchema, part: Part) => KeptRows | undefined;
  readonly maxResultBytes: number;
}

/** A larger answer is left to the engine: it would keep the server's thread busy. */
const maxFound = 2_000;

/** The result of a statement; undefined if it asks for other rows than those that are kept. */
export function answerFromRows(
  { newest, format = 'json', redact, maxRows }: Statement,
  options: AnswerOptions,
): Result | undefined {
  if (newest === undefined || format !== 'json' || redact) return undefined;
  const start = performance.now();
  const source = options.sources.find(({ name }) => name === newest.source);
  const found = source && find(newest, maxRows, { ...options, source });
  if (source === undefined || found === undefined) return undefined;
  const columns = newest.columns.map(({ name, column }) => ({
    name,
    index: source.columns.findIndex((each) => each.name === column),
  }));
  const body = printRows(found.slice(0, maxRows), columns);
  // The engine says so.
  if (body.byteLength > options.maxResultBytes) return undefined;
  const timings = { queueMs: 0, engineMs: performance.now() - start, encodeMs: 0 };
  const rowCount = Math.min(found.length, maxRows);
  return { body, format, rowCount, truncated: found.length > maxRows, timings };
}

interface Sought extends AnswerOptions {
  readonly source: SourceSchema;
}

/** The rows, newest first, and up to one more than `maxRows`. */
function find(
  { project, bounds, limit = maxFound }: NewestRequest,
  maxRows: number,
  { source, rowsOf }: Sought,
): readonly FoundRow[] | undefined {
  const span = { ...spanOf(bounds), limit: Math.min(limit, maxRows + 1) };
  if (source.parts === undefined || span.limit > maxFound) return undefined;
  if (project !== undefined && !hasProjects(source)) return undefined;
  const found = source.parts.map((part) => rowsOf(source, part)?.find(span, project));
  if (found.includes(undefined)) return undefined;
  const rows = found.flatMap((each) => each ?? []);
  return rows.toSorted((one, other) => compareInstants(other.time, one.time)).slice(0, span.limit);
}
