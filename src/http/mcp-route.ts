import type { Context, Hono } from 'hono';
import { ServiceError } from '../errors/errors.js';
import { type CallReport, callStatus, type Session } from '../mcp/session.js';
import { ignoreErrors } from '../process/ignore-errors.js';
import { parseShallow } from '../values/slice-json.js';
import { clientAddress, type Env, refuseMethod } from './app-env.js';
import { decodeHeaders } from './decode-request.js';
import type { AppServices } from './service-app.js';
import type { TakeTurn } from './turns.js';
import { limitBody } from './with-body.js';

/** The options of the Model Context Protocol, and the callers' turns. */
type McpOptions = NonNullable<AppServices['mcp']> & { readonly takeTurn: TakeTurn };

const path = '/mcp';

/** Adds `/mcp`, which answers language models. The first request loads the modules. */
export function addMcpRoute(app: Hono<Env>, services: AppServices, options: McpOptions): void {
  const { authenticate, inFlight, maxBodyBytes, corsOrigins } = services;
  app.post(path, async (c, next) => {
    checkOrigin(c.req.header('origin'), corsOrigins);
    const caller = authenticate(c.req.raw.headers, clientAddress(c));
    c.set('caller', caller);
    await options.takeTurn(caller.id, c.req.raw.signal);
    await next();
  });
  app.post(path, limitBody(maxBodyBytes), (c) => inFlight.run(() => answer(c, services, options)));
  // A GET would open a stream for messages other than answers; there are none.
  app.all(path, refuseMethod('POST'));
}

/**
 * Checks the origin that a page in a browser sends; a foreign page may have made its host name resolve to this server
 * (DNS rebinding).
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#security-warning
 */
function checkOrigin(origin: string | undefined, allowed: readonly string[]): void {
  if (origin === undefined || allowed.includes(origin)) return;
  const message = 'The page that sends this request has an origin that --cors-origin does not name';
  throw new ServiceError('outOfScope', message, { location: 'Origin' });
}

async function answer(
  c: Context<Env>,
  services: AppServices,
  { takeTurn, ...options }: McpOptions,
): Promise<Response> {
  const { caller } = c.var;
  if (caller === undefined) throw new Error('a call without authentication');
  const { id, scope } = caller;
  const request = c.req.raw;
  const session: Session = {
    ...services,
    ...options,
    terms: () => ({ caller: id, scope, ...decodeHeaders(request.headers, services) }),
    onCall: (report) => record(c, report),
  };
  // Fails here if a header is malformed.
  session.terms();
  const { answerMcp, notJson } = await import('../mcp/http.js');
  const text = await request.text();
  // Take another turn, because the body may have arrived over many rounds of the event loop.
  await takeTurn(id, request.signal);
  const body = ignoreErrors(() => parseShallow(text));
  const response = body === undefined ? notJson() : await answerMcp(request, body, session);
  // The client has disconnected; nginx logs 499 for that.
  if (request.signal.aborted) return new Response(null, { status: 499 });
  response.headers.set('cache-control', 'no-store');
  return response;
}

/**
 * Records a call. A failed call is answered with 200; the log and the metrics get the status that the error has
 * elsewhere.
 */
function record(c: Context<Env>, report: CallReport): void {
  for (const name of ['endpoint', 'run', 'answer', 'failedRun', 'failure'] as const) {
    c.set(name, report[name]);
  }
  if (report.failure !== undefined) c.set('status', callStatus(report));
}
