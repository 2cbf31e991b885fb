import { randomUUID } from 'node:crypto';
import type { HttpBindings } from '@hono/node-server';
import { type Context, Hono, type MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { cors } from 'hono/cors';
import { ServiceError } from '../errors/errors.js';
import type { Answer, FailedRun, RunEndpoint, RunRequest } from '../service/run-endpoint.js';
import type { Authenticate, Caller } from './authenticate.js';
import { type DecodeOptions, decodeRequest } from './decode-request.js';
import { encodeResponse, recallResponse } from './encode-response.js';
import { errorResponse, jsonType } from './error-response.js';
import type { Gate } from './in-flight.js';
import { type Listeners, tellRequest } from './log-request.js';
import { createRecall, type Recall } from './response-cache.js';

/** What the app is made of. */
export interface AppServices extends DecodeOptions, Listeners {
  readonly runEndpoint: RunEndpoint;
  readonly authenticate: Authenticate;
  readonly gate: Gate;
  /** Whether what is asked for now could be run. */
  readonly canRun: () => boolean;
  readonly maxBodyBytes: number;
  /** The origins whose pages may call; none: no CORS headers at all. */
  readonly corsOrigins: readonly string[];
}

/** The longest request line, and the most of headers, in bytes. */
export const maxHeadBytes = 64 * 1024;

interface Env {
  Bindings: Partial<HttpBindings>;
  Variables: {
    requestId: string;
    /** The name or identifier that is addressed. */
    endpoint?: string;
    caller?: Caller;
    failure?: unknown;
    run?: RunRequest;
    answer?: Answer;
    /** What is known of a run that failed. */
    failedRun?: FailedRun;
  };
}

const runPath = '/api/endpoints/query/:endpoint';

/** The HTTP side of the service: routes and what every request meets before them. */
export function createApp(services: AppServices): Hono<Env> {
  const { authenticate, gate, maxBodyBytes } = services;
  const app = new Hono<Env>();
  const recall = createRecall(services.headerPrefix, maxHeadBytes);
  app.use(observe(services, recall), limitHead);
  if (services.corsOrigins.length > 0) app.use(allowOrigins(services));
  app.use(runPath, async (c, next) => {
    c.set('endpoint', c.req.param('endpoint'));
    c.set('caller', authenticate(c.req.raw.headers, addressOf(c)));
    await next();
  });
  app.post(runPath, limitLength(maxBodyBytes));
  app.post(runPath, bodyLimit({ maxSize: maxBodyBytes, onError: () => tooLarge(maxBodyBytes) }));
  app.on(['GET', 'POST'], runPath, (c) =>
    gate.pass(() => answerRun(c, services)).catch(throwError),
  );
  app.all(runPath, refuseMethod('GET, HEAD, POST'));
  app.get('/health', (c) => c.body('{"status":"ok"}', 200, { 'content-type': jsonType }));
  app.get('/ready', (c) => {
    if (!gate.open) throw new ServiceError('backendBusy', 'The server is shutting down');
    if (!services.canRun()) {
      throw new ServiceError('backendBusy', 'No engine process can be started now');
    }
    return c.body('{"status":"ready"}', 200, { 'content-type': jsonType });
  });
  app.get('/metrics', async (c) => {
    const { metrics } = services;
    const headers = { 'content-type': metrics.contentType, 'cache-control': 'no-store' };
    return c.body(await metrics.print(), 200, headers);
  });
  for (const path of ['/health', '/ready', '/metrics']) app.all(path, refuseMethod('GET, HEAD'));
  app.notFound((c) =>
    errorResponse(new ServiceError('notFound', 'No such path'), c.get('requestId')),
  );
  app.onError((error, c) => refuse(error, c));
  // Such a line of the log, and such headers, take more of a request than is looked at there.
  const isRead = services.logQueries || services.corsOrigins.length > 0;
  if (!isRead) app.fetch = recalling(app.fetch, services, recall);
  return app;
}

function addressOf({ env }: { readonly env: Env['Bindings'] | undefined }): string {
  return env?.incoming?.socket.remoteAddress ?? '';
}

async function answerRun(c: Context<Env>, services: AppServices): Promise<Response> {
  const asked = await decodeRequest(c.req.raw, c.req.param('endpoint') ?? '', services);
  const caller = authenticated(c);
  const run = { ...asked, caller: caller.id, scope: caller.scope };
  c.set('run', run);
  const answer = await services.runEndpoint(run, (failed) => c.set('failedRun', failed));
  c.set('answer', answer);
  return encodeResponse(answer, c.req.raw);
}

function authenticated(c: Context<Env>): Caller {
  const caller = c.get('caller');
  if (caller === undefined) throw new Error('a run without authentication');
  return caller;
}

// The server's signal aborts with a text, and onError gets to see only errors.
function throwError(error: unknown): never {
  throw error instanceof Error ? error : new Error(String(error));
}

function refuse(error: unknown, c: Context<Env>): Response {
  // Nobody reads this answer; the status is what nginx logs for a caller that went away.
  if (c.req.raw.signal.aborted) return new Response(null, { status: 499 });
  c.set('failure', error);
  return errorResponse(error, c.get('requestId'));
}

function refuseMethod(allow: string): (c: Context<Env>) => Response {
  return (c) => {
    const error = new ServiceError('methodNotAllowed', `The method must be one of ${allow}`);
    return errorResponse(error, c.get('requestId'), { allow });
  };
}

function tooLarge(maxBytes: number): never {
  const message = `The body is larger than its limit of ${maxBytes} bytes (--max-body)`;
  throw new ServiceError('bodyTooLarge', message);
}

// Who looks at the body starts to read it; then what is left of it is not read away, and the
// connection ends although its headers said that it stays.
function limitLength(maxBytes: number): MiddlewareHandler<Env> {
  return async (c, next) => {
    if (Number(c.req.header('content-length') ?? 0) > maxBytes) tooLarge(maxBytes);
    await next();
  };
}

const limitHead: MiddlewareHandler<Env> = async (c, next) => {
  const { url, headers } = c.req.raw;
  if (url.length - url.indexOf('/', 'https://'.length) > maxHeadBytes) {
    throw new ServiceError(
      'urlTooLarge',
      `The URL is longer than its limit of ${maxHeadBytes} bytes`,
    );
  }
  let size = 0;
  for (const [name, value] of headers) size += name.length + value.length + 4;
  if (size > maxHeadBytes) {
    const message = `The headers are larger than their limit of ${maxHeadBytes} bytes`;
    throw new ServiceError('headersTooLarge', message);
  }
  await next();
};

function allowOrigins({ corsOrigins, headerPrefix }: AppServices): MiddlewareHandler<Env> {
  return cors({
    origin: [...corsOrigins],
    allowMethods: ['GET', 'HEAD', 'POST'],
    allowHeaders: [
      ...['Authorization', 'Content-Type', 'If-None-Match', 'X-API-KEY', 'X-Request-Id'],
      `${headerPrefix}-ENDPOINT-NOW`,
      `${headerPrefix}-ENDPOINT-REDACT-PII`,
    ],
    exposeHeaders: [
      ...['Age', 'ETag', 'Retry-After', 'Server-Timing', 'X-Cache'],
      ...['X-Request-Id', 'X-Result-Rows', 'X-Result-Truncated'],
    ],
    maxAge: 600,
  });
}

/** Tells of every request, and gives every answer what all have. */
function observe(services: AppServices, recall: Recall): MiddlewareHandler<Env> {
  return async (c, next) => {
    const startMs = performance.now();
    const requestId = requestIdOf(c.req.header('x-request-id'));
    c.set('requestId', requestId);
    await next();
    for (const [name, value] of Object.entries(ownHeaders(requestId))) {
      c.res.headers.set(name, value);
    }
    const { status } = c.res;
    const { endpoint = '', answer, caller } = c.var;
    const { incoming } = c.env ?? {};
    if (incoming && answer && status === 200) {
      recall.remember(incoming, { endpoint, answer, label: caller?.label });
    }
    tellRequest(services, {
      ...{ ...c.var, label: caller?.label },
      ...{ requestId, method: c.req.method, status, startMs },
    });
  };
}

type Fetch = Hono<Env>['fetch'];

/** Answers a request that was asked before with the rows that are kept for it; all else goes on. */
function recalling(fetch: Fetch, services: AppServices, recall: Recall): Fetch {
  return (request, env, context) => {
    const { incoming } = (env ?? {}) as Partial<HttpBindings>;
    const startMs = performance.now();
    const recalled = incoming && services.gate.open ? recall.find(incoming) : undefined;
    if (incoming === undefined || recalled === undefined) return fetch(request, env, context);
    const requestId = requestIdOf(incoming.headers['x-request-id']);
    tellRequest(services, { requestId, method: 'GET', status: 200, startMs, ...recalled });
    return recallResponse(recalled.answer, ownHeaders(requestId));
  };
}

/** The caller's, where it is one; otherwise a new one. */
function requestIdOf(given: string | readonly string[] | undefined): string {
  return typeof given === 'string' && /^[A-Za-z0-9._-]{1,128}$/.test(given) ? given : randomUUID();
}

/** What every answer has. */
function ownHeaders(requestId: string): Readonly<Record<string, string>> {
  return {
    'x-request-id': requestId,
    'x-content-type-options': 'nosniff',
    'cross-origin-resource-policy': 'same-origin',
  };
}
