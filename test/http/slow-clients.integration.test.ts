import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Listening, listen } from '../../src/http/listen.js';
import { createFixture, path, token } from '../support/app-fixture.js';

const headersMs = 1_000;
const requestMs = 2_000;
const idleMs = 4_000;
/** The server checks twice a second; the rest is for a busy machine. */
const lateMs = 5_000;

let server: Listening;
beforeAll(async () => {
  const { app } = createFixture({ maxBodyBytes: 1_000_000 });
  const limits = { headersMs, requestMs, idleMs };
  server = await listen(
    (request, env) => (isStream(request) ? stream() : app.fetch(request, env)),
    {
      ...{ host: '127.0.0.1', port: 0 },
      ...limits,
    },
  );
});
afterAll(() => server.close(100));

const isStream = ({ url }: Request) => url.endsWith('/stream');

/** A response that never ends. */
function stream(): Response {
  return new Response(
    new ReadableStream({ start: (controller) => controller.enqueue(Buffer.from('first part')) }),
  );
}

const head = `POST ${path} HTTP/1.1\r\nHost: x\r\nX-API-KEY: ${token}\r\nContent-Type: application/json\r\n`;
const whole = `GET /health HTTP/1.1\r\nHost: x\r\n\r\n`;
const tooLate = /HTTP\/1\.1 400 .*The request took too long to arrive/s;

/** Sends what a slow client does, and returns what it got and when its connection ended. */
async function send(client: (socket: Socket) => unknown) {
  const { hostname, port } = new URL(server.url);
  const start = performance.now();
  // It does not end its half: the server must not rely on that.
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  let received = '';
  socket.on('data', (chunk) => {
    received += chunk;
  });
  socket.on('error', () => {});
  const ended = Promise.race([once(socket, 'end'), once(socket, 'close')]);
  await client(socket);
  await ended;
  const ms = performance.now() - start;
  socket.destroy();
  return { ms, received };
}

/** Sends a text byte by byte. */
async function trickle(socket: Socket, text: string): Promise<void> {
  for (const letter of text) {
    if (socket.destroyed) return;
    socket.write(letter);
    await sleep(100);
  }
}

test.concurrent.each<[string, (socket: Socket) => unknown, number, RegExp]>([
  ['sends nothing', () => {}, headersMs, /^$/],
  ['sends half of its headers', (socket) => socket.write(head), headersMs, tooLate],
  [
    'sends its headers byte by byte',
    (socket) => void trickle(socket, `${head}${'x'.repeat(500)}`),
    headersMs,
    tooLate,
  ],
  [
    'sends a request, then half of one',
    (socket) => socket.write(`${whole}${head}`),
    headersMs,
    /^HTTP\/1\.1 200 .*HTTP\/1\.1 400 /s,
  ],
  [
    'sends a part of its body',
    (socket) => socket.write(`${head}Content-Length: 10\r\n\r\n{`),
    requestMs,
    tooLate,
  ],
  [
    'sends its body byte by byte',
    (socket) => {
      socket.write(`${head}Content-Length: 1000\r\n\r\n`);
      void trickle(socket, '{'.repeat(1000));
    },
    requestMs,
    tooLate,
  ],
  [
    'is asked for its body, and sends none',
    (socket) => socket.write(`${head}Content-Length: 10\r\nExpect: 100-continue\r\n\r\n`),
    requestMs,
    tooLate,
  ],
  ['sends no second request', (socket) => socket.write(whole), idleMs, /^HTTP\/1\.1 200 .*"ok"}$/s],
  [
    'reads a response before its request is complete',
    (socket) => socket.write('GET /stream HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n'),
    requestMs,
    // Not in the middle of the response.
    /^HTTP\/1\.1 200 (?!.*HTTP).*first part\r\n$/s,
  ],
])('a client that %s is disconnected at its limit', async (_what, client, limit, expected) => {
  const { ms, received } = await send(client);
  expect(received).toMatch(expected);
  expect(ms).toBeGreaterThan(limit - 50);
  expect(ms).toBeLessThan(limit + lateMs);
});

test('a connection that waits for its next request is not a slow client', async () => {
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  let received = '';
  socket.on('data', (chunk) => {
    received += chunk;
  });
  socket.write(whole);
  await sleep(requestMs + 1_000);
  socket.write(whole);
  await expect.poll(() => received.match(/"ok"/g)).toHaveLength(2);
  expect(received).not.toContain('HTTP/1.1 400');
  socket.destroy();
});
