import type { Endpoint } from '../endpoint/endpoint.js';
import { exampleParameters } from '../endpoint/example-parameters.js';
import { readRows } from '../run/read-rows.js';
import type { OpenedServices } from '../start/start-up.js';

/** A request to try. */
export interface ExampleRequest {
  readonly endpoint: string;
  readonly values: ReadonlyMap<string, string>;
  /** A query of a source with records, if the endpoint's own query reads none. */
  readonly sql?: string;
}

/** Returns a request for the endpoint of a source; undefined if it has none. */
export function sourceRequest(
  { catalog }: Pick<OpenedServices, 'catalog'>,
  source: string,
): ExampleRequest | undefined {
  const found = catalog.endpoints.find(({ name }) => name === `logs.${source}`);
  return found && { endpoint: found.name, values: exampleParameters(found) };
}

/**
 * Returns a request for the first endpoint. A parameter named like a column of the logs gets a value from that
 * column, so that the result has rows.
 */
export async function exampleRequest(opened: OpenedServices): Promise<ExampleRequest | undefined> {
  const [endpoint] = opened.catalog.endpoints;
  if (endpoint === undefined) return undefined;
  const values = new Map(exampleParameters(endpoint));
  let source: string | undefined;
  for (const { name, type, isList, oneOf } of endpoint.parameters) {
    const isFree = type === 'string' && !isList && oneOf === undefined;
    const found = isFree && values.has(name) ? await newestValue(opened, name) : undefined;
    if (found !== undefined) values.set(name, found.value);
    source ??= found?.source;
  }
  const request = { endpoint: endpoint.name, values };
  if (source === undefined || !endpoint.sandbox || readsRecords(opened, endpoint)) return request;
  const sql = `select timestamp, event_message from ${source} order by timestamp desc limit 10`;
  return { ...request, sql };
}

/** Prints a `curl` line that sends a request; `token` is inserted as it is. */
export function curlLine(
  { endpoint, values, sql }: ExampleRequest,
  url: string,
  token: string,
): string {
  const query = values.size === 0 ? '' : `?${new URLSearchParams([...values])}`;
  const line = `curl -s -H "X-API-KEY: ${token}" '${url}/api/endpoints/query/${endpoint}${query}'`;
  return sql === undefined ? line : `${line} -G --data-urlencode 'sql=${sql}'`;
}

/**
 * Returns the address of the explorer with the endpoint and values of a request; without values, the page opens the
 * fullest source. A one-time code is exchanged for the token; everything is in the fragment, which is never sent.
 */
export function explorerLink(
  url: string,
  request: ExampleRequest | undefined,
  code: string | undefined,
): string {
  const { endpoint, values = [] } = request ?? {};
  const pairs = [
    ['code', code],
    ['endpoint', endpoint],
    ...[...values].map(([name, value]) => [`p.${name}`, value]),
  ];
  const known = pairs.filter((pair): pair is [string, string] => pair[1] !== undefined);
  return `${url}/${known.length === 0 ? '' : '#'}${new URLSearchParams(known)}`;
}

/** Whether an endpoint's own query reads a source with records. */
function readsRecords({ compiler, logs }: OpenedServices, endpoint: Endpoint): boolean {
  const { tables } = compiler.compile(endpoint);
  return logs.files.some(({ source, records }) => records > 0 && tables.includes(`logs.${source}`));
}

/** Returns the column's value in the newest record of the first source that has one. */
async function newestValue(
  { compiler, engine, logs }: OpenedServices,
  column: string,
): Promise<{ readonly value: string; readonly source: string } | undefined> {
  // A remote engine bills every query.
  if (engine.dialect.isRemote) return undefined;
  for (const source of logs.sources) {
    if (!source.columns.some(({ name, type }) => name === column && type.kind === 'STRING'))
      continue;
    const sql = `select ${column} as v from \`logs.${source.name}\` where ${column} is not null order by timestamp desc limit 1`;
    const query = { name: 'example', sql, maxRows: 1 };
    // A service with a short time limit still starts, with a plain example.
    const read = readRows<{ readonly v: string }>({ compiler, engine }, query);
    const row = await read.then(({ rows }) => rows[0]).catch(() => undefined);
    if (row !== undefined) return { value: row.v, source: source.name };
  }
  return undefined;
}
