import type { Catalog } from '../endpoint/catalog.js';
import type { Endpoint } from '../endpoint/endpoint.js';
import { printTimestamp } from '../endpoint/timestamp.js';
import { type Fault, ServiceError, shortName } from '../errors/errors.js';
import { printMicroseconds } from '../formats/with-times.js';
import { digestText } from '../process/digest.js';
import type { FieldSchema } from '../types/table-schema.js';
import { sliceJson } from '../values/slice-json.js';
import type { DescribeEndpoints, TableDescription } from './describe-endpoints.js';
import type { RunEndpoint } from './run-endpoint.js';
import type { Clock, RunRequest } from './run-request.js';
import type { Serving } from './serving.js';
import { startPosition, type TailPosition, type TailRow, takeNew } from './tail-position.js';

/** New rows, oldest first, as JSON objects; `hasGap` if older ones were left out. */
export interface TailEvent {
  readonly rows: readonly string[];
  readonly hasGap: boolean;
  /** The position from which another tail resumes. */
  readonly position: TailPosition;
}

/** The table to follow, and its filter. */
export interface TailRequest extends Omit<RunRequest, 'sandbox' | 'format'> {
  /** The name of a table of the endpoint. */
  readonly source: string;
  /** Filters in LQL; may be empty. */
  readonly filter: string;
  /** The position from which to resume; by default after the existing rows. */
  readonly from: TailPosition | undefined;
}

/**
 * Follows a table of an endpoint: runs a caller's query again whenever the served data changes. The first event holds
 * the start position. Ends when the request's signal fires.
 * @throws ServiceError as a run does
 */
export type FollowTable = (request: TailRequest) => AsyncGenerator<TailEvent, void, void>;

/** The maximum number of rows in an event. */
const maxTailRows = 200;

/** The services that a tail depends on. */
export interface TailServices {
  readonly catalog: Pick<Catalog, 'find'>;
  readonly serving: Pick<Serving, 'untilReplaced' | 'use' | 'version'>;
  readonly describeEndpoints: DescribeEndpoints;
  readonly runEndpoint: RunEndpoint;
}

/** Creates the tails of a catalog's endpoints. */
export function createFollowTable(services: TailServices): FollowTable {
  const { catalog, serving, describeEndpoints, runEndpoint } = services;
  async function read(
    request: TailRequest,
    from: TailPosition | undefined,
  ): Promise<readonly TailRow[]> {
    const { source, filter } = request;
    const clock = request.clock.fixed
      ? request.clock
      : { now: printTimestamp(Date.now()), fixed: false };
    const since = from === undefined ? '' : ` t:>=${printMicroseconds(from.floor)}`;
    // The filter starts on its own line, so that the positions of its errors are known.
    const text = `f:${source} s:*${since} t:<=${printMicroseconds(latestTime(clock))}\n${filter}`;
    const sandbox = { language: 'lql', text } as const;
    const run = { ...request, clock, sandbox, maxRows: maxTailRows };
    const { result } = await runEndpoint(run).catch((error: unknown) => {
      throw locateInFilter(error);
    });
    return readRows(result.body);
  }

  return async function* follow(request) {
    const { signal } = request;
    const endpoint = catalog.find(request.endpoint, request.scope);
    const described = await describeEndpoints(request.scope);
    const own = described.find(({ name }) => name === endpoint.name);
    // An endpoint that does not compile has no description: this throws the reason.
    if (own === undefined) await serving.use(async ({ compiler }) => compiler.describe(endpoint));
    checkSource(endpoint, request.source, own?.tables ?? []);
    let { version } = serving;
    const first = await read(request, request.from);
    let news =
      request.from === undefined
        ? { rows: [], hasGap: false, position: startPosition(first, maxTailRows) }
        : takeNew(request.from, first, maxTailRows);
    yield news;
    while (!signal.aborted) {
      version = await untilOther(serving, version, signal);
      if (signal.aborted) return;
      news = takeNew(news.position, await read(request, news.position), maxTailRows);
      if (news.rows.length > 0) yield news;
    }
  };
}

/** Waits until another version is served. */
async function untilOther(
  serving: TailServices['serving'],
  version: string,
  signal: AbortSignal,
): Promise<string> {
  while (serving.version === version && !signal.aborted) await serving.untilReplaced(signal);
  return serving.version;
}

/** @throws ServiceError unless it is a table of the endpoint with a time */
function checkSource(
  { name, sandbox }: Endpoint,
  source: string,
  tables: readonly TableDescription[],
): void {
  if (!sandbox) {
    throw new ServiceError('accessDenied', `The endpoint ${shortName(name)} takes no queries`);
  }
  const followed = followedTables(tables);
  if (followed.includes(source)) return;
  const names = followed.join(', ');
  const message = `Invalid value for parameter source: must be a table of the endpoint with a TIMESTAMP column timestamp${names === '' ? '; it has none' : `, one of ${names}`}`;
  throw new ServiceError('invalid', message, { location: 'source' });
}

/** Returns the names of the tables that can be followed: those whose rows have a time. */
export function followedTables(tables: readonly TableDescription[]): readonly string[] {
  const hasTime = ({ schema }: TableDescription) => schema.fields.some(isTime);
  return tables.filter((one) => /^[\w.-]+$/.test(one.name) && hasTime(one)).map(({ name }) => name);
}

function isTime({ name, type, mode }: FieldSchema): boolean {
  return name.toLowerCase() === 'timestamp' && type === 'TIMESTAMP' && mode !== 'REPEATED';
}

/** The maximum time that writers' clocks may be ahead, in milliseconds. */
const maxAheadMs = 60_000;

/** Returns the latest time to follow: after a record with a wrong future time, all others would be too late. */
function latestTime({ now }: Clock): bigint {
  return BigInt(Math.max(Date.parse(now), Date.now()) + maxAheadMs) * 1_000n;
}

function readRows(body: Uint8Array): readonly TailRow[] {
  return sliceJson(Buffer.from(body).toString()).map(({ raw }) => {
    const members = sliceJson(raw);
    const time = members.find(({ name }) => name.toLowerCase() === 'timestamp')?.raw ?? '';
    const digest = digestText(raw).slice(0, 12);
    return { raw, digest, micros: /^-?\d+$/.test(time) ? BigInt(time) : 0n };
  });
}

/** Moves the position of an error: the filter begins on the second line of the text. */
function locateInFilter(error: unknown): unknown {
  if (!(error instanceof ServiceError)) return error;
  const [first, ...others] = error.faults;
  return ServiceError.of([moveFault(first), ...others.map(moveFault)]);
}

function moveFault(fault: Fault): Fault {
  const { line, column, location, ...rest } = fault;
  if (location !== 'lql') return fault;
  const at = ` at [${line}:${column}]`;
  const hasPosition = rest.message.endsWith(at);
  const message = hasPosition ? rest.message.slice(0, -at.length) : rest.message;
  const moved = { ...rest, location: 'filter', message };
  // The first line is not the caller's.
  if (line === undefined || column === undefined || line === 1) return moved;
  const end = hasPosition ? ` at [${line - 1}:${column}]` : '';
  return { ...moved, line: line - 1, column, message: `${message}${end}` };
}
