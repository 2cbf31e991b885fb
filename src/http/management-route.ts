import type { MiddlewareHandler } from 'hono';
import { ServiceError } from '../errors/errors.js';
import type { Env } from './app-env.js';
import { jsonType } from './error-response.js';

/** The path of an endpoint in the management API of a hosted service, whose project is in the path. */
export const managementPath = '/v1/projects/:project/analytics/endpoints/:endpoint';

/** Gives answers the form of that API: `error` beside the rows, and the message of an error at the top. */
export const inManagementForm: MiddlewareHandler<Env> = async (c, next) => {
  c.set('project', c.req.param('project'));
  // The form is another one, and not compressed.
  for (const name of ['accept-encoding', 'if-none-match']) c.req.raw.headers.delete(name);
  await next();
  const { status, headers } = c.res;
  if (headers.get('content-type') !== jsonType) return;
  const text = await c.res.text();
  const kept = [...headers].filter(([name]) => name !== 'content-length' && name !== 'etag');
  // Hono would add the headers of the response that is there.
  c.res = undefined;
  c.res = new Response(reshape(text, status), { status, headers: kept });
};

/** The rows stay as they are written. */
function reshape(text: string, status: number): string {
  if (status === 200) return text.replace(/\}$/, ',"error":null}');
  const { error } = JSON.parse(text);
  return JSON.stringify({ message: error.message, error });
}

/** Newer clients of the service send SQL of another dialect to `logs`. */
export const refuseOtherDialect: MiddlewareHandler<Env> = (c, next) => {
  if (c.req.param('endpoint') === 'logs') throw new ServiceError('notFound', otherDialect);
  return next();
};

const otherDialect =
  'The endpoint logs takes ClickHouse SQL over one table, which is not served here. Ask logs.all with BigQuery SQL, or use a client from before that change, such as @supabase/mcp-server-supabase@0.7.0';
