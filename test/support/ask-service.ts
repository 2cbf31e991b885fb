import { type Service, token } from './start-service.js';

/** Six tables joined without a condition that ends it. */
export const endlessSql = `select count(*) as n from edge_logs a cross join edge_logs b cross join edge_logs c
  cross join edge_logs d where a.id || b.id || c.id < d.event_message || a.event_message`;

/** A statement that no other number has: equal ones would share a run. */
export function endlessSqls(number: number): string {
  return `${endlessSql} limit ${number + 1}`;
}

/** The parts of a request to an endpoint that a caller may set. */
export interface Asking {
  readonly endpoint?: string;
  readonly token?: string;
  readonly signal?: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends parameters to an endpoint in a form. */
export function ask(
  service: Pick<Service, 'url'>,
  parameters: Readonly<Record<string, string>>,
  { endpoint = 'logs.all', token: key = token, signal, headers = {} }: Asking = {},
): Promise<Response> {
  return fetch(`${service.url}/api/endpoints/query/${endpoint}`, {
    method: 'POST',
    headers: { 'x-api-key': key, ...headers },
    body: new URLSearchParams({ project: 'bluefin', ...parameters }),
    ...(signal && { signal }),
  });
}

/** One number of the service's metrics, as it was within the last second. */
export async function metricOf(service: Pick<Service, 'url'>, name: string): Promise<number> {
  const text = await (await fetch(`${service.url}/metrics`)).text();
  return Number(new RegExp(`^log_endpoints_${name} (\\S+)$`, 'm').exec(text)?.[1]);
}
