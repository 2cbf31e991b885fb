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

/** The running requests, so that clients that name their session can cancel them. */
const running = new Map<string, AbortController>();

interface Message {
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: { readonly requestId?: unknown };
}

/**
 * Revisions before 2026-07-28: answers a request with a new server. A client cancels by a notification, in a separate
 * POST: the statement stops and the answer is empty. The request is found by the caller, the session and the request's
 * id. A session is only a name that the client repeats.
 */
async function answerBefore2026(
  request: Request,
  body: unknown,
  session: Session,
): Promise<Response> {
  const { id, method, params }: Message = typeof body === 'object' && body !== null ? body : {};
  const { caller } = session.terms();
  const named = request.headers.get(sessionHeader) ?? randomUUID();
  const requestKey = (requestId: unknown) => JSON.stringify([caller, named, requestId]);
  if (method === 'notifications/cancelled') {
    running.get(requestKey(params?.requestId))?.abort();
    return new Response(null, { status: 202 });
  }
  const cancel = new AbortController();
  const signal = AbortSignal.any([request.signal, cancel.signal]);
  const server = createMcpServer(session);
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  try {
    if (id !== undefined) running.set(requestKey(id), cancel);
    await server.connect(transport);
    const answer = transport.handleRequest(request, { parsedBody: body });
    const response = await untilStopped(answer, signal);
    if (method === 'initialize') response.headers.set(sessionHeader, randomUUID());
    return response;
  } catch (error) {
    if (signal.aborted) return new Response(null, { status: 202 });
    throw error;
  } finally {
    if (running.get(requestKey(id)) === cancel) running.delete(requestKey(id));
    await server.close();
  }
}
