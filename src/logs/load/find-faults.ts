import type { DuckDBConnection } from '@duckdb/node-api';
import { shorten } from '../../errors/errors.js';
import { quoteText } from '../../process/quote.js';
import { mayBeBad } from '../columns/columns.js';
import { findingsQuery, timesQuery } from '../columns/extract.js';
import { readWholeLines } from '../files/chunks.js';
import { type LogFile, maxFileFaults } from '../files/files.js';
import { maxDepth, readLines } from '../files/line-reader.js';
import { sameLine } from '../shapes/map-line.js';
import type { Mapping } from '../shapes/mapping.js';
import type { OpenFile } from './open-file.js';
import type { LogFileFault } from './report.js';
import type { WrittenTable } from './write-table.js';

const noTime = 'timestamp: missing or not readable';

/**
 * Returns the first faults of a file, and the numbers of its bad fields and of its records without a readable
 * timestamp. Reads the file again only if it has some.
 */
export async function findLineFaults(
  connection: DuckDBConnection,
  { file, options, badLines }: OpenFile,
  { fields, incomplete }: WrittenTable,
) {
  // Slower than without numbers, because the lines must stay in order.
  const numbered = `select row_number() over () as n, json from (${readLines([file], options)})`;
  const objects = `select n, json from (${numbered}) where json_type(json) = 'OBJECT'`;
  const times = `select n, ${quoteText(noTime)} as message
    from (${timesQuery(fields, objects)}) where "timestamp" is null`;
  const values = `select n, unnest(findings) as message from (${findingsQuery(fields, objects)})`;
  const find = async (isNeeded: boolean, query: string): Promise<Found> =>
    isNeeded ? findKind(connection, query) : { count: 0, first: [] };
  const noTimes = await find(incomplete, times);
  const badValues = await find(fields.some(mayBeBad), values);
  const noRecord = file.mapping?.text ? 'not of the shape of the file' : 'not a JSON object';
  const noRecords = badLines.map(({ n, isTooDeep }) => {
    return { n, message: isTooDeep ? `nested deeper than ${maxDepth} levels` : noRecord };
  });
  const kinds = [noRecords, noTimes.first, badValues.first];
  const faults = await listFaults(connection, file, numbered, kinds);
  return { faults, badFields: badValues.count, unreadableTimes: noTimes.count };
}

/** A message about the n-th record, counted from 1. */
interface Finding {
  readonly n: number;
  readonly message: string;
}

/** The number of faults of one kind, and the first ones. */
interface Found {
  readonly count: number;
  readonly first: readonly Finding[];
}

/** @param query of `n` and `message` */
async function findKind(connection: DuckDBConnection, query: string): Promise<Found> {
  const [[count, first] = []] = await readRows(
    connection,
    `select count(*)::double, to_json(min({n: n, message: message}, ${maxFileFaults})) from (${query})`,
  );
  return { count: Number(count), first: JSON.parse(String(first)) ?? [] };
}

async function readRows(connection: DuckDBConnection, query: string) {
  return (await connection.runAndReadAll(query)).getRowsJson();
}

/** @param numbered a query of the file's `json` with a row number `n` from 1 */
async function listFaults(
  connection: DuckDBConnection,
  file: LogFile,
  numbered: string,
  kinds: readonly (readonly Finding[])[],
): Promise<readonly LogFileFault[]> {
  // Show an example of each kind, then the first of the others.
  const examples = kinds.flatMap((findings) => findings.slice(0, 1));
  const others = kinds.flatMap((findings) => findings.slice(1)).toSorted(compareFindings);
  const shown = [...examples, ...others].slice(0, maxFileFaults).toSorted(compareFindings);
  if (shown.length === 0) return [];
  const lines = await findLineNumbers(
    file,
    shown.map(({ n }) => n),
  );
  const { name, slice, mapping } = file;
  const faults: LogFileFault[] = [];
  for (const { n, message } of shown) {
    const line = (slice?.from.lines ?? 0) + (lines.get(n) ?? n);
    const hint = message === noTime ? await keysHint(connection, mapping, numbered, n) : '';
    faults.push({ file: name, line, message: `${message}${hint}` });
  }
  return faults;
}

function compareFindings(one: Finding, other: Finding): number {
  return one.n - other.n || (one.message < other.message ? -1 : 1);
}

/** Finds the line number of each record, both counted from 1: DuckDB does not count blank lines. */
async function findLineNumbers(
  file: LogFile,
  records: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  const wanted = new Set(records);
  const found = new Map<number, number>();
  let [line, record] = [0, 0];
  for await (const lines of readWholeLines(file)) {
    for (const text of lines.toString('latin1').split('\n')) {
      if (file.mapping === undefined || !text.startsWith(sameLine)) line += 1;
      if (/^[\t\r ]*$/.test(text)) continue;
      record += 1;
      if (wanted.has(record)) found.set(record, line);
    }
    if (found.size === wanted.size) break;
    // Nothing follows the last line break.
    line -= 1;
  }
  return found;
}

/** The maximum number of keys in a message. */
const maxKeys = 20;

/** Lists the keys of a record, so that users can recognize its shape. */
async function keysHint(
  connection: DuckDBConnection,
  mapping: Mapping | undefined,
  numbered: string,
  n: number,
): Promise<string> {
  const [[keys, inside, project] = []] = await readRows(
    connection,
    `select json_keys(json), json_keys(json, '$.metadata'), json ->> '$.project' from (${numbered}) where n = ${n}`,
  );
  const own = textList(keys);
  const written =
    mapping === undefined ? own : [...writtenKeys(own, mapping, project), ...textList(inside)];
  const more = written.length > maxKeys ? ', …' : '';
  const shown = written.slice(0, maxKeys).map((key) => shorten(key, 40));
  const wanted = mapping === undefined ? '' : `; expected ${mapping.timestamp.join(' or ')}`;
  return `${wanted}; the keys of the record are ${shown.join(', ') || 'none'}${more}`;
}

function textList(keys: unknown): readonly string[] {
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
