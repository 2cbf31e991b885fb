import { randomUUID } from 'node:crypto';
import { type Context, type Handler, Hono, type MiddlewareHandler } from 'hono';
import { cors } from 'hono/cors';
import { RegExpRouter } from 'hono/router/reg-exp-router';
import { unbound } from '../endpoint/scope.js';
import { ServiceError } from '../errors/errors.js';
import { printSize } from '../process/print-size.js';
import { shutdownError } from '../process/stop-errors.js';
import { clientAddress, commonHeaders, type Env, refuseMethod } from './app-env.js';
import { decodeRequest, requestClock } from './decode-request.js';
import { addDescriptionRoutes } from './description-routes.js';
import { encodeInspection } from './encode-inspection.js';
import { encodeResponse } from './encode-response.js';
import { errorResponse, isQueryFailure, jsonType, messageResponse } from './error-response.js';
import { addExplorerRoutes } from './explorer-routes.js';
import { reportRequest } from './log-request.js';
import { addManagementPath } from './management-route.js';
import { addMcpRoute } from './mcp-route.js';
import { sendReady } from './ready-body.js';
import type { AppServices } from './service-app.js';
import { addSessionRoute } from './session-route.js';
import { addTailRoute } from './tail-route.js';
import { createTurns, type TakeTurn } from './turns.js';
import { limitBody, withBody } from './with-body.js';

/** The limits of the request line, and of all headers together, in bytes. */
export const maxHeadBytes = 64 * 1024;

/** The paths of an endpoint that clients know; the first is ours. */
const runPaths = [
  // One path instead of two: the router takes no parameter beside a literal.
  '/api/endpoints/:run{query|query/name}/:endpoint',
  '/endpoints/query/:endpoint',
] as const;
const reloadPath = '/-/reload';

/** Creates the HTTP app: its middleware, then its routes. */
export function createApp(services: AppServices): Hono<Env> {
  // Uses one regular expression for all paths, and refuses paths for which Hono would fall back to a router that splits
  // each path.
  const app = new Hono<Env>({ router: new RegExpRouter() });
  app.use(observe(services), limitHead);
  if (services.corsOrigins.length > 0) app.use(allowOrigins(services));
  const takeTurn = createTurns(() => performance.now());
  addRunRoutes(app, services, takeTurn);
  addDescriptionRoutes(app, services, takeTurn);
  addStateRoutes(app, services);
  addReloadRoute(app, services, takeTurn);
  if (services.mcp !== undefined) {
    addMcpRoute(app, services, { ...services.mcp, takeTurn });
  }
  if (services.explorer !== undefined) addExplorerRoutes(app, services.explorer);
  addSessionRoute(app, services.session);
  addTailRoute(app, services, takeTurn);
  app.notFound((c) => errorResponse(noSuchPath(), c.get('requestId')));
  app.onError((error, c) => refuse(error, c, services));
  return app;
}

/** Adds the routes of runs, whose handlers wait for the caller's turn. */
function addRunRoutes(app: Hono<Env>, services: AppServices, takeTurn: TakeTurn): void {
  const { authenticate, maxBodyBytes } = services;
  const answer = createAnswer(services, takeTurn);
  const others = services.hasManagementApi ? [addManagementPath(app, services)] : [];
  for (const path of [...runPaths, ...others]) {
    app.use(path, (c, next) => {
      c.set('endpoint', c.req.param('endpoint'));
      const caller = authenticate(c.req.raw.headers, clientAddress(c));
      c.set('caller', caller);
      return takeTurn(caller.id, c.req.raw.signal).then(next);
    });
    app.on(['GET', 'POST'], path, limitBody(maxBodyBytes));
    app.on(['GET', 'POST'], path, answer);
    app.all(path, refuseMethod('GET, HEAD, POST'));
  }
}

/** Adds `/ready`, which is 503 while draining or without a startable engine process. */
function addStateRoutes(app: Hono<Env>, { inFlight, canRun, metrics }: AppServices): void {
  app.get('/health', (c) => c.body('{"status":"ok"}', 200, { 'content-type': jsonType }));
  app.get('/ready', (c) => {
    if (inFlight.draining.aborted) throw shutdownError();
    if (!canRun()) {
      throw new ServiceError('backendBusy', 'No engine process can be started now');
    }
    return c.body('{"status":"ready"}', 200, { 'content-type': jsonType });
  });
  app.get('/metrics', async (c) => sendReady(c, await metrics.print()));
  for (const path of ['/health', '/ready', '/metrics']) app.all(path, refuseMethod('GET, HEAD'));
}

const noSuchPath = () => new ServiceError('notFound', 'No such path');

/**
 * Adds the reload route, which responds once the current files are served. Only unrestricted tokens may use it: its
 * duration reveals how much was written.
 */
function addReloadRoute(app: Hono<Env>, { authenticate, reload }: AppServices, takeTurn: TakeTurn) {
  app.post(reloadPath, async (c) => {
    const caller = authenticate(c.req.raw.headers, clientAddress(c));
    await takeTurn(caller.id, c.req.raw.signal);
    if (caller.scope.key !== unbound.key) throw noSuchPath();
    await reload().catch((cause: unknown) => {
      const message =
        'Some files cannot be loaded, and stay as they were; the log of the server says why';
      throw new ServiceError('backendBusy', message, { cause });
    });
    return c.body('{"status":"reloaded"}', 200, { 'content-type': jsonType });
  });
  app.all(reloadPath, refuseMethod('POST'));
}

/** Creates the handler of runs; a draining server waits for them. */
function createAnswer(services: AppServices, takeTurn: TakeTurn): Handler<Env> {
  const { inFlight, inspectEndpoint, runEndpoint, isWatched } = services;
  return (c) => inFlight.run(() => answerRun(c)).catch(throwError);

  async function answerRun(c: Context<Env>): Promise<Response> {
    const caller = c.get('caller');
    if (caller === undefined) throw new Error('a run without authentication');
    const { id, label = id, scope } = caller;
    const request = c.req.raw;
    const asked = await decodeRequest(
      await withBody(c, services.maxBodyBytes),
      c.get('endpoint') ?? '',
      // Take another turn, because the body may have arrived over many rounds of the event loop.
      { ...services, whenRead: () => takeTurn(id, request.signal), project: c.get('project') },
    );
    const requestId = c.get('requestId');
    const run = {
      ...asked,
      clock: requestClock(asked, services),
      signal: request.signal,
      caller: id,
      labels: { token: label, request: requestId },
      scope,
    };
    c.set('run', run);
    const inspection = await inspectEndpoint(run);
    if (inspection !== undefined) return encodeInspection(inspection, c);
    const answer = await runEndpoint(run, (failed) => c.set('failedRun', failed));
    c.set('answer', answer);
    c.set('hasCommonHeaders', true);
    return encodeResponse(answer, { request, requestId, isWatched });
  }
}

// The server's abort signal has a string as its reason, and Hono's onError handles only errors.
function throwError(error: unknown): never {
  throw error instanceof Error ? error : new Error(String(error));
}

function refuse(error: unknown, c: Context<Env>, services: AppServices): Response {
  // The client has disconnected; nginx logs 499 for that.
  if (c.req.raw.signal.aborted) return new Response(null, { status: 499 });
  c.set('failure', error);
  c.set('hasCommonHeaders', false);
  const isRun = c.get('caller') !== undefined && c.get('project') === undefined;
  if (isRun && services.failsWith200 && isQueryFailure(error)) return messageResponse(error);
  return errorResponse(error, c.get('requestId'));
}

const limitHead: MiddlewareHandler<Env> = (c, next) => {
  const { url } = c.req.raw;
  if (url.length - url.indexOf('/', 'https://'.length) > maxHeadBytes) {
    const message = `The URL is longer than its limit of ${printSize(maxHeadBytes)}`;
    throw new ServiceError('urlTooLarge', message);
  }
  if (headerBytes(c) > maxHeadBytes) {
    const message = `The headers are larger than their limit of ${printSize(maxHeadBytes)}`;
    throw new ServiceError('headersTooLarge', message);
  }
  return next();
};

/** Counts the bytes of the headers. Prefers Node's raw list, because iterating over Headers sorts them first. */
function headerBytes({ env, req }: Context<Env>): number {
  const texts = env?.incoming?.rawHeaders ?? [...req.raw.headers].flat();
  return texts.reduce((sum, text) => sum + text.length + 2, 0);
}

function allowOrigins({ corsOrigins, headerPrefix }: AppServices): MiddlewareHandler<Env> {
  return cors({
    origin: [...corsOrigins],
    allowMethods: ['GET', 'HEAD', 'POST'],
    allowHeaders: [
      ...['Authorization', 'Content-Type', 'If-None-Match', 'X-API-KEY', 'X-Request-Id'],
      ...['Mcp-Method', 'Mcp-Name', 'Mcp-Protocol-Version', 'Mcp-Session-Id'],
      `${headerPrefix}-ENDPOINT-NOW`,
      `${headerPrefix}-ENDPOINT-REDACT-PII`,
    ],
    exposeHeaders: [
      ...['Age', 'Content-Disposition', 'ETag', 'Retry-After', 'Server-Timing', 'X-Cache'],
      ...['Mcp-Session-Id', 'X-Request-Id', 'X-Result-Note', 'X-Result-Rows', 'X-Result-Truncated'],
    ],
    maxAge: 600,
  });
}

/** Adds the common headers to every response, and reports the request. */
function observe(services: AppServices): MiddlewareHandler<Env> {
  return async (c, next) => {
    const startMs = performance.now();
    const requestId = chooseRequestId(c.req.header('x-request-id'));
    c.set('requestId', requestId);
    await next();
    // Setting a header on the response costs more than all other headers of a cached answer.
    if (c.get('hasCommonHeaders') !== true) addCommonHeaders(c.res, requestId);
    reportRequest(services, {
      ...c.var,
      startMs,
      method: c.req.method,
      status: c.get('status') ?? c.res.status,
      label: c.get('caller')?.label ?? c.get('label'),
    });
  };
}

function addCommonHeaders({ headers }: Response, requestId: string): void {
  headers.set('x-request-id', requestId);
  for (const [name, value] of Object.entries(commonHeaders)) headers.set(name, value);
}

/** Returns the caller's request id if it is well-formed, otherwise a new one. */
function chooseRequestId(given: string | undefined): string {
  return given !== undefined && /^[A-Za-z0-9._-]{1,128}$/.test(given) ? given : randomUUID();
}
