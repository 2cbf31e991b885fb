import { setImmediate } from 'node:timers/promises';
import { sliceJson } from '../common/slice-json.js';
import { createCompiler } from '../compiler/compile.js';
import { readPath } from '../compiler/read-path.js';
import { nameText } from '../compiler/syntax/print-literal.js';
import { bindStatement } from '../endpoint/bind-statement.js';
import type { Engine, Statement } from '../engine/engine.js';
import type { SourceSchema } from '../types/schema.js';
import { printInstant } from './instants.js';
import { earliest, latest } from './kept-rows.js';
import type { EncodedRow } from './project-rows.js';

/** Some of a part's newest rows. */
export interface Chunk {
  readonly rows: readonly EncodedRow[];
  /** Every row after this instant, and not after the one that was asked for, is in the chunk. */
  readonly completeAfter: bigint;
}

/** Reads rows of a part, at an instant and before it. */
export type ReadChunk = (engine: Engine, until: bigint, signal: AbortSignal) => Promise<Chunk>;

/**
 * How many rows a chunk has: DuckDB decodes 2,048 at a time. If they are all of one instant, the next number is tried.
 */
const sizes = [2_048, 8_192];

/** Prepares to read a view of a part of a source. */
export function createReadChunk(source: SourceSchema, view: string): ReadChunk {
  const { parts: _, ...schema } = source;
  const compiler = createCompiler([{ ...schema, name: view }]);

  async function read(engine: Engine, statement: Statement, signal: AbortSignal): Promise<Chunk> {
    const { body, truncated } = await engine.run(statement, { signal });
    const rows = await parseRows(Buffer.from(body).toString());
    if (!truncated) return { rows, completeAfter: earliest };
    // More rows of the last instant may follow.
    const last = rows.at(-1)?.time ?? earliest;
    return { rows: rows.filter(({ time }) => time > last), completeAfter: last };
  }

  return async (engine, until, signal) => {
    let chunk: Chunk = { rows: [], completeAfter: until };
    for (const maxRows of sizes) {
      const isFirst = until === latest;
      const sql = chunkQuery({ source, view, isFirst, maxRows });
      const query = compiler.compile({ name: 'newest', sql, maxRows, parameters });
      const values = isFirst ? {} : { until: printInstant(until) };
      const statement = bindStatement(query, values, { maxRows, now: '', format: 'ndjson' });
      chunk = await read(engine, statement, signal);
      if (chunk.rows.length > 0) break;
    }
    return chunk;
  };
}

const parameters = [{ name: 'until', type: 'timestamp' }] as const;

interface ChunkQuery {
  readonly source: SourceSchema;
  readonly view: string;
  /** Whether the newest rows are wanted. */
  readonly isFirst: boolean;
  readonly maxRows: number;
}

/** The time and the project of each row, then its columns. */
function chunkQuery({ source, view, isFirst, maxRows }: ChunkQuery): string {
  const values = [
    't.timestamp',
    projectOf(source),
    ...source.columns.map(({ name }) => `t.${nameText({ name, quoted: true })}`),
  ];
  const items = values.map((value, index) => `${value} as c${index}`);
  const where = isFirst ? '' : 'where t.timestamp <= @until';
  const rows = `from ${nameText({ name: `logs.${view}`, quoted: true })} as t ${where}`;
  return `select ${items.join(', ')} ${rows} order by t.timestamp desc limit ${maxRows + 1}`;
}

/** Whether the rows of a source are kept by project: each of its records has at most one. */
export function hasProjects({ columns, projectPath = [] }: SourceSchema): boolean {
  const [first, ...rest] = projectPath;
  const type = columns.find(({ name }) => name === first)?.type;
  if (rest.length === 0) return type !== undefined;
  return rest.length === 1 && type?.kind === 'ARRAY' && type.layout === 'struct';
}

function projectOf(source: SourceSchema): string {
  if (!hasProjects(source)) return 'null';
  const { from, field } = readPath(source.projectPath ?? []);
  return from.length === 0 ? field : `(select ${field} from ${from.join(' cross join ')})`;
}

/** How many rows are parsed before other work has a turn. */
const parsedAtOnce = 256;

async function parseRows(lines: string): Promise<readonly EncodedRow[]> {
  const rows: EncodedRow[] = [];
  for (const line of lines.split('\n').slice(0, -1)) {
    if (rows.length % parsedAtOnce === parsedAtOnce - 1) await setImmediate();
    const [time = '', project = '', ...values] = sliceJson(line).map(({ raw }) => raw);
    // Joined, since each value alone would keep the text of the whole chunk in memory.
    rows.push({ time: BigInt(time), project: JSON.parse(project), lines: values.join('\n') });
  }
  return rows;
}
