import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { getRequestListener } from '@hono/node-server';
import { ServiceError, SetupError } from '../errors/errors.js';
import { maxHeadBytes } from './app.js';
import { continueOnRead } from './continue-on-read.js';
import { notHttp, refusal, refuseClient, refuseRequest } from './refuse-client.js';

/** A listening server. */
export type Listening = Awaited<ReturnType<typeof listen>>;

type Fetch = (
  request: Request,
  env: { readonly incoming: Pick<IncomingMessage, 'httpVersion' | 'rawHeaders' | 'url'> },
) => Response | Promise<Response>;

/** The address of a server, and its limits for slow clients. */
export interface ListenOptions {
  readonly host: string;
  readonly port: number;
  /** Whether to take the next free port if this one is in use. */
  readonly anyPort?: boolean;
  /** The maximum time for the headers of a request to arrive, in milliseconds. */
  readonly headersMs?: number;
  /** The maximum time for a whole request to arrive, in milliseconds; at least `headersMs`. */
  readonly requestMs?: number;
  /** The maximum time that a connection may wait for its next request, in milliseconds. */
  readonly idleMs?: number;
  /** The maximum time that a client may read nothing of its response, in milliseconds. */
  readonly stalledMs?: number;
  /** The maximum unsent response data over all connections, in bytes. */
  readonly maxUnsentBytes?: number;
}

/**
 * Opens the port.
 * @throws SetupError if the port is in use or the address is not one of this machine
 */
export async function listen(fetch: Fetch, options: ListenOptions) {
  const { host, stalledMs = 10_000, maxUnsentBytes = 512 * 1024 ** 2 } = options;
  const pending = new Set<ServerResponse>();
  const server = createServer(
    { ...serverOptions(options), ServerResponse: trackedResponse(pending) },
    getRequestListener(checkHead(fetch), { hostname: 'localhost', errorHandler: refuseRequest }),
  );
  server.maxConnections = 10_000;
  answerBadClients(server, pending);
  const check = () => endStalled(pending, { stalledMs, maxUnsentBytes });
  const timer = setInterval(check, checkMs).unref();
  server.once('close', () => clearInterval(timer));
  await open(server, options);
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port is open');
  return {
    /** Its address, `http://127.0.0.1:4000`. */
    url: `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`,
    /** Lets the process exit while the server listens. */
    unref: () => void server.unref().on('connection', (socket) => socket.unref()),
    /** Waits up to `graceMs` for pending responses, then closes all connections. */
    close: (graceMs: number) => close(server, pending, graceMs),
  };
}

/** The interval between checks for slow requests and stalled responses, in milliseconds. */
const checkMs = 500;
/** The maximum number of connections waiting to be accepted; Linux lowers it to `net.core.somaxconn`. */
const backlog = 4096;

function serverOptions({
  headersMs = 30_000,
  requestMs = 60_000,
  // Longer than the 60 seconds of most proxies: a request that arrives while its connection closes is lost.
  idleMs = 75_000,
}: ListenOptions) {
  return {
    // Above our own limits, so that a request slightly beyond them reaches the app and gets a proper error.
    maxHeaderSize: 4 * maxHeadBytes,
    // Both also count from the beginning of a connection, so they end a connection that sends nothing.
    headersTimeout: headersMs,
    requestTimeout: requestMs,
    connectionsCheckingInterval: checkMs,
    keepAliveTimeout: idleMs,
    requireHostHeader: false,
  };
}

/** Answers errors for which Node would send no body, or not our format. */
function answerBadClients(server: Server, pending: Pending): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    // A client that sent nothing expects no answer. During a response, the client would take an error for a part of it.
    const isAnswering = [...pending].some((each) => each.socket === socket && each.headersSent);
    if (!(socket instanceof Socket) || socket.bytesRead === 0 || isAnswering) socket.destroy();
    else refuseClient(error, socket);
  });
  server.on('connect', refuseClient);
  server.on('checkContinue', (request, response) => {
    continueOnRead(request, response);
    server.emit('request', request, response);
  });
  // RFC 9110, 10.1.1: an unknown expectation may be ignored. Node would refuse it without a body.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
}

/** The responses that have begun and are not completely sent, oldest first. */
type Pending = ReadonlySet<ServerResponse>;

/** Tracks responses; Node gives each its connection when those before it are sent. */
function trackedResponse(pending: Set<ServerResponse>) {
  return class extends ServerResponse {
    override assignSocket(socket: Socket): void {
      super.assignSocket(socket);
      pending.add(this);
      this.once('close', () => pending.delete(this));
    }
  };
}

function checkHead(fetch: Fetch): Fetch {
  return (request, env) => {
    if (!isHostGiven(env.incoming)) return refusal(notHttp);
    const fault = targetFault(env.incoming.url ?? '');
    return fault === undefined ? fetch(request, env) : refusal(new ServiceError('invalid', fault));
  };
}

/** A host and its port. The URL parser, which checks more, accepts some other characters. */
const hostForm = /^(?:\[[\da-f:.]+\]|[\w.~!$&'()*+,;=%-]*)(?::\d*)?$/i;

/**
 * Whether the Host header is valid. HTTP/1.1 requires exactly one. HTTP/1.0, which some health checks use, may omit
 * it. Node would refuse a request without sending a body, and would use the first of several headers, although a proxy
 * may have used the last.
 * @see https://www.rfc-editor.org/rfc/rfc9112#section-3.2
 */
function isHostGiven({
  httpVersion,
  rawHeaders,
}: Pick<IncomingMessage, 'httpVersion' | 'rawHeaders'>): boolean {
  const isHost = (at: number) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === 'host';
  const hosts = rawHeaders.filter((_, at) => isHost(at));
  const least = httpVersion === '1.1' ? 1 : 0;
  return hosts.length >= least && hosts.length <= 1 && hosts.every((host) => hostForm.test(host));
}

/** The segments `.` and `..`, plain or percent-encoded; URL parsers remove them. */
const dotSegment = /(?:^|[/\\])(?:\.|%2e){1,2}(?:[/\\]|$)/i;

/**
 * Returns what is wrong with a request target, or undefined. URL parsers silently drop fragments, white space and dot
 * segments, so a proxy that checks the target would see a different request from the one that is answered.
 */
function targetFault(target: string): string | undefined {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it matches what a target must not contain
  if (/[\u0000-\u0020]/.test(target)) return 'The URL must not have white space';
  if (target.includes('#')) return 'The URL must not have a #: write it as %23';
  const [path = ''] = target.split('?', 1);
  return dotSegment.test(path) ? 'The path must not have the segments . and ..' : undefined;
}

/** The maximum number of ports to try. */
const maxPorts = 100;

async function open(server: Server, options: ListenOptions): Promise<void> {
  const { host, port: first, anyPort = false } = options;
  const last = anyPort ? Math.min(first + maxPorts, 65_535) : first;
  for (let port = first; ; port += 1) {
    server.listen({ host, port, backlog });
    const error = await once(server, 'listening').then(
      () => undefined,
      (failure: NodeJS.ErrnoException) => failure,
    );
    if (error === undefined) return;
    const isUsed = error.code === 'EADDRINUSE';
    if (isUsed && port < last) continue;
    const fault = isUsed ? 'the port is in use; --port 0 takes a free one' : error.message;
    throw new SetupError([`Cannot listen on ${host}:${port}: ${fault}`]);
  }
}

// Wait first: Node also cuts idle connections whose last response is still being sent.
async function close(server: Server, pending: Pending, graceMs: number) {
  const end = performance.now() + graceMs;
  while (pending.size > 0 && performance.now() < end) await sleep(10);
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}

/**
 * Closes connections whose client has stopped reading, and the oldest ones while too much is unsent. A client that
 * waits for its query, or for the next event of a tail, has read everything.
 */
function endStalled(
  pending: Pending,
  { stalledMs, maxUnsentBytes }: Required<Pick<ListenOptions, 'stalledMs' | 'maxUnsentBytes'>>,
): void {
  let bytes = [...pending].reduce((sum, { socket }) => sum + unsentBytes(socket), 0);
  for (const { socket, writableEnded } of pending) {
    if (socket === null) continue;
    const unsent = unsentBytes(socket);
    const timeout = writableEnded || unsent > 0 ? stalledMs : 0;
    // Node restarts this timeout whenever the client reads something.
    if ((socket.timeout ?? 0) !== timeout) socket.setTimeout(timeout);
    if (unsent === 0 || bytes <= maxUnsentBytes) continue;
    bytes -= unsent;
    socket.destroy();
  }
}

function unsentBytes(socket: Socket | null): number {
  return socket?.writableLength ?? 0;
}
