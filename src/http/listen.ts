import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, ServerResponse } from 'node:http';
import { type AddressInfo, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { getRequestListener } from '@hono/node-server';
import { ServiceError, SetupError } from '../errors/errors.js';
import { maxHeadBytes } from './app.js';
import { continueOnRead } from './continue-on-read.js';
import { notHttp, refusal, refuseClient, refuseRequest } from './refuse-client.js';

/** A listening server. */
export interface Listening {
  /** Its address, `http://127.0.0.1:4000`. */
  readonly url: string;
  /** Lets the process exit while the server listens. */
  unref(): void;
  /** Waits up to `graceMs` for pending responses, then closes all connections. */
  close(graceMs: number): Promise<void>;
}

/** The parts of Node's request that the server checks itself. */
interface Bindings {
  readonly incoming: Pick<IncomingMessage, 'httpVersion' | 'headers' | 'url'>;
}

type Fetch = (request: Request, env: Bindings) => Response | Promise<Response>;

/** Where a server listens, and its limits for slow clients. */
export interface ListenOptions {
  readonly host: string;
  readonly port: number;
  /** How long the headers of a request may take to arrive, in milliseconds. */
  readonly headersMs?: number;
  /** How long a whole request may take to arrive, in milliseconds; at least `headersMs`. */
  readonly requestMs?: number;
  /** How long a connection may wait for its next request, in milliseconds. */
  readonly idleMs?: number;
  /** How long a client may read nothing of its response, in milliseconds. */
  readonly stalledMs?: number;
  /** The limit of unsent response data over all connections, in bytes. */
  readonly maxUnsentBytes?: number;
}

/**
 * Opens the port.
 * @throws SetupError if the port is in use or the address is not one of this machine
 */
export async function listen(fetch: Fetch, options: ListenOptions): Promise<Listening> {
  const { host, stalledMs = 10_000, maxUnsentBytes = 512 * 1024 ** 2 } = options;
  const pending = createPending();
  const server = createServer(
    { ...serverOptions(options), ServerResponse: batchedResponse(pending) },
    getRequestListener(checkHead(fetch), { hostname: 'localhost', errorHandler: refuseRequest }),
  );
  server.maxConnections = 10_000;
  answerBadClients(server, pending);
  server.on('connection', pending.watch);
  const timer = setInterval(
    () => endStalled(pending.list(), { stalledMs, maxUnsentBytes }),
    checkMs,
  ).unref();
  server.once('close', () => clearInterval(timer));
  await open(server, options);
  return {
    url: printUrl(server, host),
    unref: () => void server.unref().on('connection', (socket) => socket.unref()),
    close: (graceMs) => close(server, pending, graceMs),
  };
}

/** How often slow requests and pending responses are checked, in milliseconds. */
const checkMs = 500;
/** How many connections may wait to be accepted; Linux lowers it to `net.core.somaxconn`. */
const backlog = 4096;

function serverOptions({
  headersMs = 30_000,
  requestMs = 60_000,
  // Longer than the 60 seconds of most proxies: a request that meets the end of its connection is lost.
  idleMs = 75_000,
}: ListenOptions) {
  return {
    // Above our own limits, so that a request slightly beyond them reaches the app and gets a proper error.
    maxHeaderSize: 4 * maxHeadBytes,
    // Both count from the beginning of a connection too, so they also end one that sends nothing.
    headersTimeout: headersMs,
    requestTimeout: requestMs,
    connectionsCheckingInterval: checkMs,
    keepAliveTimeout: idleMs,
    requireHostHeader: false,
  };
}

/** Handles what Node would answer without a body, or with a body that is not ours. */
function answerBadClients(server: Server, pending: Pending): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    // Nobody waits for an answer where nothing was asked. In the middle of a response it would be taken for a part of it.
    if (!(socket instanceof Socket) || socket.bytesRead === 0 || pending.isAnswering(socket))
      socket.destroy();
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

/** The responses that have begun and are not completely sent, by their connections. */
interface Pending {
  watch(socket: Socket): void;
  begin(socket: Socket, response: ServerResponse): void;
  end(socket: Socket): void;
  /** Whether a part of a response may have been sent. */
  isAnswering(socket: Socket): boolean;
  /** The oldest one first. */
  list(): readonly ServerResponse[];
}

/**
 * Keeps one entry for each connection as long as it is open. A set of responses would be rebuilt all the time; V8 links
 * each former table of a set to the next one, so that dead responses keep later ones in memory until a full garbage
 * collection.
 */
function createPending(): Pending {
  const begun = new Map<
    Socket,
    { readonly response: ServerResponse; readonly at: number } | null
  >();
  let count = 0;
  return {
    watch(socket) {
      begun.set(socket, null);
      socket.once('close', () => begun.delete(socket));
    },
    begin(socket, response) {
      count += 1;
      if (begun.has(socket)) begun.set(socket, { response, at: count });
    },
    end(socket) {
      if (begun.has(socket)) begun.set(socket, null);
    },
    isAnswering: (socket) => begun.get(socket)?.response.headersSent === true,
    list() {
      const entries = [...begun.values()].filter((entry) => entry !== null);
      return entries.sort((one, other) => one.at - other.at).map(({ response }) => response);
    },
  };
}

/**
 * Ends a response in the check phase of the event loop, after all requests that arrived together have been handled.
 * A client that waits for several responses then wakes once: waking it for each of them costs a fifth of what the server
 * can answer.
 */
function batchedResponse(pending: Pending) {
  let ending: (() => void)[] = [];
  const endAll = (): void => {
    const ends = ending;
    ending = [];
    for (const end of ends) end();
  };
  return class extends ServerResponse {
    override end(...args: unknown[]): this {
      if (ending.length === 0) setImmediate(endAll);
      ending.push(() => Reflect.apply(super.end, this, args));
      return this;
    }

    override assignSocket(socket: Socket): void {
      super.assignSocket(socket);
      pending.begin(socket, this);
    }

    override detachSocket(socket: Socket): void {
      super.detachSocket(socket);
      pending.end(socket);
    }
  };
}

// HTTP/1.0, which some health checks use, has no Host header. HTTP/1.1 requires it; Node would refuse without a body.
function checkHead(fetch: Fetch): Fetch {
  return (request, env) => {
    const { httpVersion, headers, url = '' } = env.incoming;
    if (httpVersion === '1.1' && headers.host === undefined) return refusal(notHttp);
    const fault = targetFault(url);
    return fault === undefined ? fetch(request, env) : refusal(new ServiceError('invalid', fault));
  };
}

/** The segments `.` and `..`, plain or percent-encoded; URL parsers remove them. */
const dotSegment = /(?:^|[/\\])(?:\.|%2e){1,2}(?:[/\\]|$)/i;

/**
 * What is wrong with a request target, or undefined. URL parsers silently drop fragments, white space and dot
 * segments, so a proxy that checks the target would see a different request from the one that is answered.
 */
function targetFault(target: string): string | undefined {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it matches what a target must not contain
  if (/[\u0000-\u0020]/.test(target)) return 'The URL must not have white space';
  if (target.includes('#')) return 'The URL must not have a #: write it as %23';
  const [path = ''] = target.split('?', 1);
  return dotSegment.test(path) ? 'The path must not have the segments . and ..' : undefined;
}

function open(server: Server, { host, port }: ListenOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const fault =
        error.code === 'EADDRINUSE'
          ? 'the port is in use; --port 0 takes a free one'
          : error.message;
      reject(new SetupError([`Cannot listen on ${host}:${port}: ${fault}`]));
    });
    server.listen({ host, port, backlog }, resolve);
  });
}

function printUrl(server: Server, host: string): string {
  const { port } = server.address() as AddressInfo;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

// Waits first: Node's closing of idle connections also cuts those whose last response is still being sent.
async function close(server: Server, pending: Pending, graceMs: number) {
  const end = performance.now() + graceMs;
  while (pending.list().length > 0 && performance.now() < end) await sleep(10);
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}

/**
 * Closes connections whose client has stopped reading, and the oldest ones while too much is unsent. A client that waits
 * for its query, or for the next event of a tail, has read all there is.
 */
function endStalled(
  pending: readonly ServerResponse[],
  { stalledMs, maxUnsentBytes }: Required<Pick<ListenOptions, 'stalledMs' | 'maxUnsentBytes'>>,
): void {
  let bytes = pending.reduce((sum, { socket }) => sum + unsentBytes(socket), 0);
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
