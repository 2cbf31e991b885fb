import type { DuckDBConnection } from '@duckdb/node-api';
import { shorten } from '../../errors/errors.js';
import { quoteText } from '../../process/quote.js';
import { mayBeBad } from '../columns/columns.js';
import { findingsQuery, timesQuery } from '../columns/extract.js';
import { findLineNumbers } from '../files/line-numbers.js';
import type { Mapping } from '../shapes/mapping.js';
import type { OpenFile } from './open-file.js';
import type { LogFileFault } from './report.js';
import type { WrittenTable } from './write-table.js';

const maxFaults = 5;

const noTime = 'timestamp: missing or not readable';

/**
 * Returns the first faults of a file, and the numbers of its bad fields and of its records without a readable
 * timestamp. Reads the file again only if it has some.
 */
export async function findLineFaults(
  connection: DuckDBConnection,
  open: OpenFile,
  table: WrittenTable,
) {
  const count = async (query: string | undefined) =>
    query === undefined
      ? 0
      : Number((await readRows(connection, `select count(*)::double from (${query})`))[0]?.[0]);
  const times = table.incomplete ? timeFaults(open, table) : undefined;
  const fields = fieldFaults(open, table);
  const [unreadableTimes, badFields] = [await count(times), await count(fields)];
  const queries = [
    open.counts.bad > 0 ? lineFaults(open) : undefined,
    unreadableTimes > 0 ? times : undefined,
    badFields > 0 ? fields : undefined,
  ].filter((query) => query !== undefined);
  return { faults: await listFaults(connection, open, queries), badFields, unreadableTimes };
}

function lineFaults({ reader }: OpenFile): string {
  const { mapping } = reader.file;
  const noRecord = mapping?.text ? 'not of the shape of the file' : 'not a JSON object';
  return `select n, case when log_deep(json) then 'nested deeper than 64 levels'
    else ${quoteText(noRecord)} end as message from (${reader.numbered})
    where json is null or log_deep(json) or json_type(json) <> 'OBJECT'`;
}

function objects({ reader, counts }: OpenFile): string {
  const shallow = counts.tooDeep ? 'not log_deep(json) and' : '';
  return `select n, json from (${reader.numbered}) where ${shallow} json_type(json) = 'OBJECT'`;
}

function timeFaults(open: OpenFile, { fields }: WrittenTable): string {
  return `select n, ${quoteText(noTime)} as message
    from (${timesQuery(fields, objects(open))}) where "timestamp" is null`;
}

function fieldFaults(open: OpenFile, { fields: all }: WrittenTable): string | undefined {
  const fields = all.filter(mayBeBad);
  if (fields.length === 0) return undefined;
  return `select n, unnest(findings) as message from (${findingsQuery(fields, objects(open))})`;
}

async function readRows(connection: DuckDBConnection, query: string) {
  return (await connection.runAndReadAll(query)).getRowsJson();
}

async function listFaults(
  connection: DuckDBConnection,
  { reader }: OpenFile,
  queries: readonly string[],
): Promise<readonly LogFileFault[]> {
  if (queries.length === 0) return [];
  const all = queries
    .map(
      (query) => `(select *, row_number() over (order by n) = 1 as is_first from (${query})
      order by n limit ${maxFaults})`,
    )
    .join(' union all ');
  // Include an example of each kind of fault.
  const rows = await readRows(
    connection,
    `select n::integer, message from (
      select * from (${all}) order by is_first desc, n, message limit ${maxFaults}
    ) order by n, message`,
  );
  const records = rows.map(([n]) => Number(n));
  const lines = await findLineNumbers(reader.file, records);
  const { name: file, slice } = reader.file;
  const faults: LogFileFault[] = [];
  for (const [n, message] of rows) {
    const line = (slice?.from.lines ?? 0) + (lines.get(Number(n)) ?? Number(n));
    const hint = message === noTime ? await keysHint(connection, reader, Number(n)) : '';
    faults.push({ file, line, message: `${message}${hint}` });
  }
  return faults;
}

/** The maximum number of keys in a message. */
const maxKeys = 20;

/** Lists the keys of a record, so that users can recognize its shape. */
async function keysHint(
  connection: DuckDBConnection,
  { file, numbered }: OpenFile['reader'],
  n: number,
): Promise<string> {
  const [[keys, inside, project] = []] = await readRows(
    connection,
    `select json_keys(json), json_keys(json, '$.metadata'), json ->> '$.project' from (${numbered}) where n = ${n}`,
  );
  const { mapping } = file;
  const own = textsOf(keys);
  const written =
    mapping === undefined ? own : [...writtenKeys(own, mapping, project), ...textsOf(inside)];
  const more = written.length > maxKeys ? ', …' : '';
  const shown = written.slice(0, maxKeys).map((key) => shorten(key, 40));
  const wanted = mapping === undefined ? '' : `; expected ${mapping.timestamp.join(' or ')}`;
  return `${wanted}; the keys of the record are ${shown.join(', ') || 'none'}${more}`;
}

function textsOf(keys: unknown): readonly string[] {
  return Array.isArray(keys) ? keys.map(String) : [];
}

/** Translates the keys of a mapped record back to those of its line. */
function writtenKeys(
  keys: readonly string[],
  { eventMessage, project }: Mapping,
  given: unknown,
): readonly string[] {
  return keys.flatMap((key) => {
    if (key === 'metadata') return [];
    if (key === 'event_message') return [eventMessage.join(' or ')];
    if (key === 'project') return given === project.otherwise ? [] : [project.from.join(' or ')];
    return [key];
  });
}
