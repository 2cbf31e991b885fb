import { setImmediate } from 'node:timers/promises';
import { sliceJson } from '../common/slice-json.js';
import { createCompiler } from '../compiler/compile.js';
import { readPath } from '../compiler/read-path.js';
import { nameText } from '../compiler/syntax/print-literal.js';
import { bindStatement } from '../endpoint/bind-statement.js';
import type { Engine } from '../engine/engine.js';
import { rowIdColumns, type SourceSchema } from '../types/schema.js';
import { type Field, scalar } from '../types/types.js';
import type { EncodedRow } from './block.js';

/** The rows of one part of a source, which are stored in order of time. */
export interface PartRows {
  count(engine: Engine, signal: AbortSignal): Promise<number>;
  /** The JSON of some of the rows, by their indexes in the part; `end` is not included. */
  read(engine: Engine, range: Range, signal: AbortSignal): Promise<Uint8Array>;
}

/** Indexes of rows, from 0; `end` is not included. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** Prepares to read a part of a source, by the name of its view. */
export function createPartRows(source: SourceSchema, view: string): PartRows {
  const { parts: _, ...schema } = source;
  const columns = [...schema.columns, rowId];
  const compiler = createCompiler([{ ...schema, columns, name: view }]);
  const from = `from ${quote(`logs.${view}`)} as t`;
  const where = `where t.${quote(rowId.name)} >= @start and t.${quote(rowId.name)} < @end`;
  const compile = (sql: string) => compiler.compile({ name: 'newest', sql, maxRows, parameters });
  const counted = compile(`select count(*) as n ${from}`);
  const selected = compile(`select ${valuesOf(source)} ${from} ${where}`);
  return {
    async count(engine, signal) {
      const statement = bindStatement(counted, {}, { maxRows, now: '' });
      const { body } = await engine.run(statement, { signal });
      return JSON.parse(Buffer.from(body).toString())[0].n;
    },
    async read(engine, { start, end }, signal) {
      const values = { start: String(start), end: String(end) };
      const statement = bindStatement(selected, values, { maxRows, now: '', format: 'ndjson' });
      const { body } = await engine.run(statement, { signal });
      return body;
    },
  };
}

/** How many rows are read at once at most. */
export const maxRows = 8_192;

const rowId: Field = { name: rowIdColumns[0], type: scalar('INT64'), stored: true };

const parameters = [
  { name: 'start', type: 'integer' },
  { name: 'end', type: 'integer' },
] as const;

/** The time and the project of each row, then its columns. */
function valuesOf(source: SourceSchema): string {
  const columns = source.columns.map(({ name }) => `t.${quote(name)}`);
  const values = ['t.timestamp', projectOf(source), ...columns];
  return values.map((value, index) => `${value} as c${index}`).join(', ');
}

function quote(name: string): string {
  return nameText({ name, quoted: true });
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

/** The rows in the JSON that {@link PartRows.read} returns, the last one first. */
export async function parseRows(json: Uint8Array): Promise<readonly EncodedRow[]> {
  const rows: EncodedRow[] = [];
  const lines = Buffer.from(json.buffer, json.byteOffset, json.byteLength);
  for (let start = 0, end = 0; start < lines.length; start = end + 1) {
    if (rows.length % parsedAtOnce === parsedAtOnce - 1) await setImmediate();
    end = lines.indexOf('\n', start);
    if (end === -1) end = lines.length;
    // A line alone, since a part of a text keeps all of it in memory.
    const line = lines.toString('utf8', start, end);
    const [time = '', project = '', ...values] = sliceJson(line).map(({ raw }) => raw);
    rows.push({ time: BigInt(time), project: JSON.parse(project), values });
  }
  return rows.reverse();
}
