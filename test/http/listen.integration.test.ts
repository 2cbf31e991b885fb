import { connect } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Listening, listen } from '../../src/http/listen.js';
import { createFixture, path, token } from '../support/app-fixture.js';

let server: Listening;
beforeEach(async () => {
  server = await listen(createFixture().app.fetch, { host: '127.0.0.1', port: 0 });
});
afterEach(() => server.close(100));

/** Sends raw bytes and returns everything received until the server closes or time runs out. */
function exchange(text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(server.url);
    const socket = connect(Number(port), hostname, () => socket.write(text));
    let answer = '';
    socket.on('data', (chunk) => {
      answer += chunk.toString();
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(answer));
    setTimeout(() => socket.destroy(), 20_000).unref();
  });
}

const kept = `Host: x\r\nX-API-KEY: ${token}\r\n`;
const head = `${kept}Connection: close\r\n`;

test.each([
  [
    'a URL of 60 KB',
    `GET ${path}?project=a&x=${'x'.repeat(60_000)} HTTP/1.1\r\n${head}\r\n`,
    200,
    '',
  ],
  [
    'headers of 60 KB',
    `GET ${path}?project=a HTTP/1.1\r\n${head}x: ${'x'.repeat(60_000)}\r\n\r\n`,
    200,
    '',
  ],
  [
    'a URL of 70 KB',
    `GET ${path}?x=${'x'.repeat(70_000)} HTTP/1.1\r\n${head}\r\n`,
    414,
    'tooLarge',
  ],
  [
    'headers of 70 KB',
    `GET / HTTP/1.1\r\n${head}x: ${'x'.repeat(70_000)}\r\n\r\n`,
    431,
    'tooLarge',
  ],
  ['a URL of 1 MB', `GET ${path}?x=${'x'.repeat(1e6)} HTTP/1.1\r\n${head}\r\n`, 431, 'tooLarge'],
  ['headers of 5 MB', `GET / HTTP/1.1\r\n${head}x: ${'x'.repeat(5e6)}\r\n\r\n`, 431, 'tooLarge'],
  [
    'a GET with a compressed body',
    `GET ${path} HTTP/1.1\r\n${head}Content-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{}`,
    415,
    'unsupportedMediaType',
  ],
  [
    'a GET without the compressed body that it announces',
    `GET ${path}?project=a HTTP/1.1\r\n${head}Content-Encoding: gzip\r\n\r\n`,
    200,
    '',
  ],
  ['no HTTP', 'nonsense\r\n\r\n', 400, 'invalid'],
  ['a bad host', `GET / HTTP/1.1\r\nHost: a b/c\r\nConnection: close\r\n\r\n`, 400, 'invalid'],
  ['HTTP/1.0 without a host', 'GET /health HTTP/1.0\r\n\r\n', 200, ''],
  ['HTTP/1.1 without a host', 'GET /health HTTP/1.1\r\nConnection: close\r\n\r\n', 400, 'invalid'],
  ['an expectation of its own', `GET /health HTTP/1.1\r\n${head}Expect: x\r\n\r\n`, 200, ''],
  ['CONNECT', `CONNECT x:1 HTTP/1.1\r\n${head}\r\n`, 400, 'invalid'],
  ['a path that is none', `GET \\x HTTP/1.1\r\nHost: x\r\n\r\n`, 400, 'invalid'],
  [
    'a body of 3 MB',
    `POST ${path} HTTP/1.1\r\n${head}Content-Type: application/json\r\nContent-Length: 3000000\r\n\r\n${'x'.repeat(3e6)}`,
    413,
    'tooLarge',
  ],
])('%s', async (_what, text, status, reason) => {
  const answer = await exchange(text);
  expect(answer.slice(0, 12)).toBe(`HTTP/1.1 ${status}`);
  expect(answer.toLowerCase()).not.toContain('\nserver:');
  if (status !== 200) expect(answer).toContain(`"reason":"${reason}"`);
});

const hosts = [
  'Host: x\r\nHost: x',
  'Host: x\r\nhost: y',
  'Host: a"b',
  'Host: a@b',
  'Host: a/b',
  'X: y',
];
const routes = [
  'GET /health',
  'GET /metrics',
  `GET ${path}?project=a`,
  `POST ${path}`,
  'POST /mcp',
];

test.each(routes.flatMap((route) => hosts.map((host) => [route, host])))(
  '%s is refused with %j',
  async (route, host) => {
    const others = `X-API-KEY: ${token}\r\nContent-Length: 0\r\nConnection: close`;
    const answer = await exchange(`${route} HTTP/1.1\r\n${host}\r\n${others}\r\n\r\n`);
    expect(answer.slice(0, 12)).toBe('HTTP/1.1 400');
    expect(answer).toContain('"reason":"invalid"');
  },
);

test.each(['Host: localhost:4000', 'Host: [::1]:80', 'Host: a_b.example.', 'Host:'])(
  '%j is a host',
  async (host) => {
    const answer = await exchange(`GET /health HTTP/1.1\r\n${host}\r\nConnection: close\r\n\r\n`);
    expect(answer.slice(0, 12)).toBe('HTTP/1.1 200');
  },
);

test('two hosts are refused in HTTP/1.0, too', async () => {
  const answer = await exchange('GET /health HTTP/1.0\r\nHost: x\r\nHost: x\r\n\r\n');
  expect(answer.slice(0, 12)).toBe('HTTP/1.1 400');
});

// `/metrics` needs no token: a path that only normalizes to it must not get past a proxy that checks paths.
test.each([
  `${path}/../../../../metrics`,
  `${path}/%2e%2E/%2e./.%2e/../metrics`,
  '/x/../health',
  '/./health',
  '/health/.',
  '/health/..',
  `${path.replace('/logs.all', '/..')}?project=a`,
  `http://x${path}/../../../../metrics`,
  '/x\\..\\health',
  '/x/.\t./health',
  `${path}?project=a#`,
  `${path}?project=a#&project=b`,
  `/health#/../x`,
])('the target %j is refused', async (target) => {
  const answer = await exchange(`GET ${target} HTTP/1.1\r\n${head}\r\n`);
  expect(answer.slice(0, 12)).toBe('HTTP/1.1 400');
  expect(answer).toContain('"reason":"invalid"');
});

test.each([`${path}?project=a/../b`, `${path}?project=../%23`, '/health?/../..', '/health?.'])(
  'the target %j is read',
  async (target) => {
    const answer = await exchange(`GET ${target} HTTP/1.1\r\n${head}\r\n`);
    expect(answer.slice(0, 12)).toBe('HTTP/1.1 200');
  },
);

test('a # is refused even if the request without it is cached', async () => {
  const kept = '/api/endpoints/query/usage.api-counts?project=acme';
  const ask = (target: string) => exchange(`GET ${target} HTTP/1.1\r\n${head}\r\n`);
  expect(await ask(kept)).toContain('x-cache: MISS');
  expect(await ask(kept)).toContain('x-cache: HIT');
  for (const _ of [1, 2]) expect(await ask(`${kept}#`)).toContain('HTTP/1.1 400');
});

test('HEAD and keep-alive on one connection', async () => {
  const line = `${path}?project=a HTTP/1.1\r\n`;
  const answer = await exchange(`HEAD ${line}${kept}\r\nGET ${line}${head}\r\n`);
  expect(answer.match(/HTTP\/1.1 200/g)).toHaveLength(2);
  expect(answer.match(/content-length: 44/gi)).toHaveLength(2);
  expect(answer.match(/"result"/g)).toHaveLength(1);
});

test('a body that is too large does not break its connection', async () => {
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  let answers = '';
  socket.on('data', (chunk) => {
    answers += chunk.toString();
  });
  const size = `Content-Type: application/json\r\nContent-Length: 3000000\r\n\r\n`;
  socket.write(`POST ${path} HTTP/1.1\r\n${kept}${size}${'x'.repeat(3e6)}`);
  await expect.poll(() => answers).toContain('HTTP/1.1 413');
  // Longer than the server waits for the rest of a body.
  await new Promise((resolve) => setTimeout(resolve, 700));
  socket.write(`GET /health HTTP/1.1\r\n${head}\r\n`);
  await expect.poll(() => answers).toContain('{"status":"ok"}');
  socket.destroy();
});

test('a port in use is reported in one line', async () => {
  const { port } = new URL(server.url);
  const second = listen(createFixture().app.fetch, { host: '127.0.0.1', port: Number(port) });
  await expect(second).rejects.toThrow(
    `Cannot listen on 127.0.0.1:${port}: the port is in use; --port 0 takes a free one`,
  );
});

test('requests that are sent together are answered in their order', async () => {
  const ids = ['one', 'two', 'three'];
  const requests = ids.map((id, index) => {
    const last = index === ids.length - 1 ? 'Connection: close\r\n' : '';
    return `GET ${path}?project=a HTTP/1.1\r\n${kept}X-Request-Id: ${id}\r\n${last}\r\n`;
  });
  const answer = await exchange(requests.join(''));
  expect([...answer.matchAll(/x-request-id: (\w+)/gi)].map(([, id]) => id)).toEqual(ids);
});
