import type { DuckDBConnection } from '@duckdb/node-api';
import { canReadDirectly, columnsQuery, findingsQuery, type Lines } from './load-extract.js';
import { listPathsOf, readAsLists } from './load-fit.js';
import { findListPaths } from './load-list-paths.js';
import type { OpenFile } from './load-open.js';
import { type FieldPlan, isDoubtful, mayBeBad, planFields } from './load-plan.js';
import type { LineCounts, Shape } from './load-shape.js';
import { quoteName, quoteText } from './load-sql.js';
import type { SourceSchema } from './schema.js';

/** What a table is made from. */
export interface Writing {
  readonly source: SourceSchema;
  /** How other records of it are stored already. */
  readonly base?: SourceSchema | undefined;
  readonly shape: Shape;
  readonly open: readonly OpenFile[];
}

/** A table as it was written. */
export interface WrittenTable {
  readonly fields: readonly FieldPlan[];
  readonly lists: ReadonlySet<string>;
  /** Findings of `findingsQuery` and how often, by file. */
  readonly findings: ReadonlyMap<OpenFile, ReadonlyMap<string, number>>;
  /** Whether records are missing for their timestamps. */
  readonly incomplete: boolean;
}

/**
 * Writes a table: looks first at the values in doubt, which decide where a list is needed. With
 * `exact` no integer is taken on trust.
 */
export async function writeTable(
  connection: DuckDBConnection,
  writing: Writing,
  exact = false,
): Promise<WrittenTable> {
  const { source, base, shape, open } = writing;
  const known = new Set(listPathsOf(base));
  const planned = planFields(source.columns, shape.fields ?? new Map(), exact);
  const fields = readAsLists(planned, known);
  const findings = await readFindings(connection, fields, open);
  const found = [...findings.values()].flatMap((counts) => [...counts.keys()]);
  const lists = new Set([
    ...known,
    ...found.filter((text) => text.startsWith('L')).map((text) => text.slice(1)),
    ...findListPaths(fields, new Set(open.flatMap(({ several }) => several ?? []))),
  ]);
  const query = columnsQuery(fields, linesOf(fields, open), lists);
  try {
    const written = await writeRows(connection, writing, query);
    const expected = open.reduce((sum, { counts }) => sum + counts.objects, 0);
    return { fields, lists, findings, incomplete: written < expected };
  } catch (error) {
    if (exact || !isOverflow(error)) throw error;
    return writeTable(connection, writing, true);
  }
}

/** Writes the rows of a query in their order, and gives their number. */
async function writeRows(
  connection: DuckDBConnection,
  { source, open }: Writing,
  query: string,
): Promise<number> {
  // To keep the order of the lines until they are sorted takes memory, and only numbers need it.
  const isNumbered = open.some(({ counts }) => counts.lacksId);
  await connection.run(`set preserve_insertion_order = ${isNumbered}`);
  try {
    const result = await connection.run(`create table out.main.${quoteName(source.name)} as
      select * from (${query}) where "timestamp" is not null order by "timestamp", id`);
    return Number((await result.getRowsJson())[0]?.[0] ?? 0);
  } finally {
    await connection.run('set preserve_insertion_order = true');
  }
}

/** DuckDB reads integers as unsigned; one past INT64 shows only when it is stored. */
function isOverflow(error: unknown): boolean {
  return error instanceof Error && /out of range|Conversion Error/.test(error.message);
}

function linesOf(fields: readonly FieldPlan[], open: readonly OpenFile[]): Lines {
  const sound = canReadDirectly(fields) ? open.filter(isSound) : [];
  return {
    sound: sound.map(({ linked }) => linked),
    others: open.filter((each) => !sound.includes(each)).map(textLines),
  };
}

function isSound({ reader, counts }: OpenFile): boolean {
  return reader.isPlain && counts.bad === 0 && !counts.lacksId;
}

function textLines({ reader, counts }: OpenFile): string {
  const before = reader.file.slice?.from.records ?? 0;
  const n = counts.lacksId ? `n + ${before}` : 'null::bigint';
  const inner = counts.lacksId ? reader.numbered : reader.plain;
  return `select ${quoteText(reader.file.name)} as file, ${n} as n, ${guard(counts)} as json
    from (${inner})`;
}

function guard({ tooDeep }: LineCounts): string {
  return tooDeep ? 'case when not log_deep(json) then json end' : 'json';
}

async function readFindings(
  connection: DuckDBConnection,
  fields: readonly FieldPlan[],
  open: readonly OpenFile[],
): Promise<WrittenTable['findings']> {
  const all = new Map<OpenFile, ReadonlyMap<string, number>>();
  if (!fields.some(isDoubtful)) return all;
  const isAll = fields.some(mayBeBad);
  for (const each of open) {
    const inDoubt = isAll ? each.reader.plain : each.unscanned;
    if (inDoubt === undefined) continue;
    const lines = `select 0 as n, ${guard(each.counts)} as json from (${inDoubt})`;
    const reader = await connection.runAndReadAll(`select finding, count(*)::double
      from (select unnest(findings) as finding from (${findingsQuery(fields, lines)}))
      group by finding`);
    const rows = reader.getRowsJson();
    all.set(each, new Map(rows.map(([text, count]) => [String(text), Number(count)])));
  }
  return all;
}
