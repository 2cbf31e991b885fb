import { randomUUID } from 'node:crypto';
import {
  createMcpHandler,
  isLegacyRequest,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { untilStopped } from '../process/stop-errors.js';
import { createMcpServer } from './server.js';
import type { Session } from './session.js';

const sessionHeader = 'mcp-session-id';

/**
 * Answers a POST of the Model Context Protocol, whose body is JSON. Nothing is kept between requests, except the
 * running requests in {@link running}.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#streamable-http
 */
export async function answerMcp(
  request: Request,
  parsedBody: unknown,
  session: Session,
): Promise<Response> {
  if (Array.isArray(parsedBody)) return refusal(-32600, 'Batches are not supported');
  if (await isLegacyRequest(request, parsedBody)) {
    return answerBefore2026(request, parsedBody, session);
  }
  const factory = () => createMcpServer(session);
  // Nothing that a client could subscribe to ever changes.
  const handler = createMcpHandler(factory, { legacy: 'reject', maxSubscriptions: 0 });
  return handler.fetch(request, { parsedBody });
}

/** The response to a body that is not JSON, nested deeper than 64 levels, or has more than 1,000 members. */
export function notJson(): Response {
  return refusal(-32700, 'Parse error: the body is not JSON, nested too deeply or too large');
}

function refusal(code: number, message: string): Response {
  const body = { jsonrpc: '2.0', id: null, error: { code, message } };
  return Response.json(body, { status: 400 });
}

/** The running requests of clients that name their session, so that they can cancel them. */
const running = new Map<string, AbortController>();

/**
 * Revisions before 2026-07-28: a client cancels by a notification, in a separate POST. The request is found by the
 * caller, the session and the request's id. A session is only a name that the client repeats.
 */
async function answerBefore2026(
  request: Request,
  body: unknown,
  session: Session,
): Promise<Response> {
  const { id, method, params } = readMessage(body);
  const named = request.headers.get(sessionHeader);
  const keyOf = (requestId: unknown) =>
    named === null ? undefined : JSON.stringify([session.terms().caller, named, requestId]);
  if (method === 'notifications/cancelled') {
    running.get(keyOf(params?.requestId) ?? '')?.abort();
    return new Response(null, { status: 202 });
  }
  const key = id === undefined ? undefined : keyOf(id);
  const cancel = new AbortController();
  if (key !== undefined) running.set(key, cancel);
  try {
    const signal = AbortSignal.any([request.signal, cancel.signal]);
    const response = await answerAlone(request, body, { session, signal });
    if (method === 'initialize') response.headers.set(sessionHeader, randomUUID());
    return response;
  } finally {
    if (key !== undefined && running.get(key) === cancel) running.delete(key);
  }
}

interface Message {
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: { readonly requestId?: unknown };
}

function readMessage(body: unknown): Message {
  return typeof body === 'object' && body !== null ? body : {};
}

/** Answers a request with a new server; when the signal fires, its statement stops and the answer is empty. */
async function answerAlone(
  request: Request,
  body: unknown,
  { session, signal }: { readonly session: Session; readonly signal: AbortSignal },
): Promise<Response> {
  const server = createMcpServer(session);
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  try {
    return await untilStopped(transport.handleRequest(request, { parsedBody: body }), signal);
  } catch (error) {
    if (signal.aborted) return new Response(null, { status: 202 });
    throw error;
  } finally {
    await server.close();
  }
}
