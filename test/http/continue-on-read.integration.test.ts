import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { continueOnRead } from '../../src/http/continue-on-read.js';
import { type Listening, listen } from '../../src/http/listen.js';
import { createFixture, path, token } from '../support/app-fixture.js';

const mcp = { limits: { maxRows: 100, maxBytes: 10_000 }, version: '1.2.3' };

let server: Listening;
beforeEach(async () => {
  const { app } = createFixture({ maxBodyBytes: 1_000, mcp });
  server = await listen(app.fetch, { host: '127.0.0.1', port: 0 });
});
afterEach(() => server.close(100));

/** A connection, and what has been received on it. */
function open() {
  const { hostname, port } = new URL(server.url);
  const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
  let received = '';
  socket.on('data', (chunk) => {
    received += chunk;
  });
  return { socket, received: () => received };
}

/** The head of a request that waits for `100 Continue`. */
function head(line: string, length: number, key = token): string {
  return `${line} HTTP/1.1\r\nHost: 127.0.0.1\r\nX-API-KEY: ${key}\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\nExpect: 100-continue\r\n\r\n`;
}

test.each([
  ['a body over the limit', head(`POST ${path}`, 1_001), 413],
  ['a body of a GET over the limit', head(`GET ${path}`, 1_001), 413],
  ['a wrong token', head(`POST ${path}`, 10, 'a-wrong-token-0123456789'), 401],
  ['an unknown path', head('POST /nowhere', 10), 404],
  ['a method that the path does not have', head(`PUT ${path}`, 10), 405],
  ['a call of a model over the limit', head('POST /mcp', 1_001), 413],
  ['a code over the limit', head('POST /api/session', 1_025), 413],
  ['a target that is refused before the app', head('POST /x/../y', 10), 400],
])(
  '%s is refused without asking for the body, and closes the connection',
  async (_what, text, status) => {
    const { socket, received } = open();
    socket.write(text);
    await once(socket, 'end');
    expect(received()).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(received()).toMatch(/\r\nconnection: close\r\n/i);
    socket.destroy();
  },
);

test.each(['POST', 'GET'])(
  'a %s within the limit is asked for its body, and keeps its connection',
  async (method) => {
    const { socket, received } = open();
    const body = '{"project":"a"}';
    for (const count of [1, 2]) {
      socket.write(head(`${method} ${path}`, body.length));
      await expect
        .poll(() => received().match(/HTTP\/1\.1 100 Continue\r\n\r\n/g))
        .toHaveLength(count);
      expect(received().match(/HTTP\/1\.1 200/g) ?? []).toHaveLength(count - 1);
      socket.write(body);
      await expect.poll(() => received().match(/HTTP\/1\.1 200/g) ?? []).toHaveLength(count);
    }
    expect(received()).not.toMatch(/connection: close/i);
    socket.destroy();
  },
);

test('a client that sends its body without waiting can read the refusal', async () => {
  const { socket, received } = open();
  const ended = new Promise((resolve) => socket.once('close', resolve));
  const errors: unknown[] = [];
  socket.on('error', (error) => errors.push(error));
  socket.write(head(`POST ${path}`, 3_000_000));
  for (let sent = 0; sent < 10; sent++) {
    socket.write('x'.repeat(300_000));
    await sleep(20);
  }
  // The refusal closes the connection, so this is not answered.
  socket.end('GET /health HTTP/1.1\r\nHost: x\r\n\r\n');
  await ended;
  expect(received().match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 413']);
  expect(errors).toEqual([]);
});

test('a body that comes in chunks is asked for, and refused once it is too large', async () => {
  const { socket, received } = open();
  const chunked = head(`POST ${path}`, 0).replace(
    'Content-Length: 0',
    'Transfer-Encoding: chunked',
  );
  socket.write(chunked);
  await expect.poll(received).toBe('HTTP/1.1 100 Continue\r\n\r\n');
  socket.write(`${(2_000).toString(16)}\r\n${'x'.repeat(2_000)}\r\n0\r\n\r\n`);
  await expect.poll(received).toContain('HTTP/1.1 413');
  socket.destroy();
});

test('HTTP/1.0 has no 100 Continue', async () => {
  const { socket, received } = open();
  const body = '{"project":"a"}';
  socket.write(head(`POST ${path}`, body.length).replace('HTTP/1.1', 'HTTP/1.0') + body);
  await once(socket, 'end');
  expect(received()).toMatch(/^HTTP\/1\.1 200 /);
  socket.destroy();
});

test('a connection that is kept ends as others do', async () => {
  const own = createServer().listen(0, '127.0.0.1');
  const restored = new Promise((resolve) => {
    own.on('checkContinue', (incoming, response) => {
      const { destroySoon } = incoming.socket;
      continueOnRead(incoming, response);
      expect(incoming.socket.destroySoon).not.toBe(destroySoon);
      incoming.resume().on('end', () => resolve(incoming.socket.destroySoon === destroySoon));
    });
  });
  await once(own, 'listening');
  const { port } = own.address() as AddressInfo;
  const sent = request({ port, method: 'POST', headers: { expect: '100-continue' } });
  sent.on('continue', () => sent.end('x')).on('error', () => {});
  sent.flushHeaders();
  expect(await restored).toBe(true);
  sent.destroy();
  own.close();
});
