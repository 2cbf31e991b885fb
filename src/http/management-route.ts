import type { Hono, MiddlewareHandler } from 'hono';
import { ServiceError } from '../errors/errors.js';
import type { Env } from './app-env.js';
import { errorResponse, jsonType } from './error-response.js';
import type { AppServices } from './service-app.js';

/** The path of an endpoint in the management API of a hosted service, whose project is in the path. */
const path = '/v1/projects/:project/analytics/endpoints/:endpoint';

/** Prepares the path of an endpoint in a hosted service's management API, and returns it. */
export function addManagementPath(app: Hono<Env>, services: AppServices): string {
  app.use(nameUnknownHeaders(services));
  app.use(path, inManagementForm);
  return path;
}

/** Converts answers to that API's format: `error` beside the rows, and the message of an error at the top level. */
const inManagementForm: MiddlewareHandler<Env> = async (c, next) => {
  c.set('project', c.req.param('project'));
  // The converted body is different and uncompressed.
  for (const name of ['accept-encoding', 'if-none-match']) c.req.raw.headers.delete(name);
  await next();
  if (c.req.param('endpoint') === 'logs' && c.res.status === 404) {
    c.res = undefined;
    c.res = errorResponse(otherDialect, c.get('requestId'));
  }
  const { status, headers } = c.res;
  if (headers.get('content-type') !== jsonType) return;
  const text = await c.res.text();
  const kept = [...headers].filter(([name]) => name !== 'content-length' && name !== 'etag');
  // Hono would add the headers of the existing response.
  c.res = undefined;
  c.res = new Response(reshape(text, status), { status, headers: kept });
};

/** Keeps rows and errors as written. */
function reshape(text: string, status: number): string {
  if (status === 200) return text.replace(/\}$/, ',"error":null}');
  return `{"message":${JSON.stringify(JSON.parse(text).error.message)},${text.slice(1)}`;
}

/** Newer clients of the service send SQL in another dialect to the endpoint `logs`. */
const otherDialect = new ServiceError(
  'notFound',
  'The endpoint logs takes ClickHouse SQL over one table, which is not served here. Ask logs.all with BigQuery SQL, or use a client from before that change, such as @supabase/mcp-server-supabase@0.7.0',
);

/** Logs, once each, that service's headers that have no effect here; at most 20, because anyone may send them. */
function nameUnknownHeaders({ log, headerPrefix }: AppServices): MiddlewareHandler<Env> {
  const form = new RegExp(`^${headerPrefix}-(?!ENDPOINT-(NOW|REDACT-PII)$)[a-z-]{1,40}$`, 'i');
  const named = new Set<string>();
  return (c, next) => {
    for (const header of c.req.raw.headers.keys()) {
      if (!form.test(header) || named.has(header) || named.size === 20) continue;
      named.add(header);
      log.warn({ header }, 'a header has no effect here');
    }
    return next();
  };
}
