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

/** New rows, oldest first, as JSON objects; `hasGap` if older new ones were left out. */
export interface TailEvent {
  readonly rows: readonly string[];
  readonly hasGap: boolean;
  /** Where a later tail goes on. */
  readonly position: TailPosition;
}

/** What to follow. */
export interface TailRequest extends Omit<RunRequest, 'sandbox' | 'format'> {
  /** The name of a table of the endpoint. */
  readonly source: string;
  /** Filters in LQL; may be empty. */
  readonly filter: string;
  /** Where to go on; by default after the rows that exist now. */
  readonly from: TailPosition | undefined;
}

/**
 * Follows a table of an endpoint: runs a caller's query again whenever other data are served. The first event tells where
 * the tail begins. Ends when the request's signal fires.
 * @throws ServiceError as a run does
 */
export type FollowTable = (request: TailRequest) => AsyncGenerator<TailEvent, void, void>;

/** The limit of rows in an event. */
export const maxTailRows = 200;

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
    // On a line of its own, so that the positions of faults in the filter are known.
    const text = `f:${source} s:*${since} t:<=${printMicroseconds(latestOf(clock))}\n${filter}`;
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
    // It is not described if it does not compile: this says why.
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

/** Waits until another version than this one is served. */
async function untilOther(
  serving: TailServices['serving'],
  version: string,
  signal: AbortSignal,
): Promise<string> {
  while (serving.version === version && !signal.aborted) await serving.untilReplaced(signal);
  return serving.version;
}

/** @throws ServiceError unless it is a table of the endpoint, with a time */
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

/** The names of the tables that can be followed: those whose rows have a time. */
export function followedTables(tables: readonly TableDescription[]): readonly string[] {
  const hasTime = ({ schema }: TableDescription) => schema.fields.some(isTime);
  return tables.filter((one) => /^[\w.-]+$/.test(one.name) && hasTime(one)).map(({ name }) => name);
}

function isTime({ name, type, mode }: FieldSchema): boolean {
  return name.toLowerCase() === 'timestamp' && type === 'TIMESTAMP' && mode !== 'REPEATED';
}

/** How far the clocks of writers may be ahead, in milliseconds. */
const maxAheadMs = 60_000;

/** The latest instant that is followed: later than a record with a wrong time, the others would all be too late. */
function latestOf({ now }: Clock): bigint {
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

/** The filter is the text from its second line. */
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
