import { once } from 'node:events';
import { Agent, get } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { HttpBindings } from '@hono/node-server';
import { expect, test } from 'vitest';
import type { Engine, Result } from '../../src/engine/engine.js';
import { listen } from '../../src/http/listen.js';
import { createFixture, path, token } from '../support/app-fixture.js';

const timings = { queueMs: 0, engineMs: 0, encodeMs: 0 };
const slow: Result = {
  format: 'json',
  body: Buffer.alloc(5_000_000, 0x20),
  rowCount: 0,
  truncated: false,
  timings,
};

/** A server whose only query starts, waits for `finish`, and reports when it was stopped. */
async function startSlow() {
  let finish = () => {};
  let begin = () => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  let stop = () => {};
  const stopped = new Promise<void>((resolve) => {
    stop = resolve;
  });
  const fixture = createFixture({
    run: (_statement, { signal }) => {
      begin();
      return new Promise((resolve, reject) => {
        finish = () => resolve(slow);
        signal.addEventListener('abort', () => {
          stop();
          reject(signal.reason);
        });
      });
    },
  });
  const server = await listen(fixture.app.fetch, { host: '127.0.0.1', port: 0 });
  return { ...fixture, server, begun, stopped, finish: () => finish() };
}

const headers = { 'x-api-key': token };

test('a client that disconnects stops its query', async () => {
  const { server, begun, stopped, lines } = await startSlow();
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  socket.write(`GET ${path}?project=a HTTP/1.1\r\nHost: x\r\nX-API-KEY: ${token}\r\n\r\n`);
  await begun;
  socket.destroy();
  await stopped;
  await server.close(1000);
  await expect.poll(() => lines.map((line) => JSON.parse(line).status)).toEqual([499]);
});

test('closing completes pending responses and closes idle connections', async () => {
  const { server, inFlight, begun, finish } = await startSlow();
  const agent = new Agent({ keepAlive: true });
  const health = () =>
    new Promise<number | undefined>((resolve) => {
      get(`${server.url}/ready`, { agent }, (response) => {
        response.resume().on('end', () => resolve(response.statusCode));
      });
    });
  expect(await health()).toBe(200);
  const running = fetch(`${server.url}${path}?project=a`, { headers });
  await begun;
  const empty = inFlight.drain();
  expect(await health()).toBe(503);
  const late = await fetch(`${server.url}${path}?project=a`, { headers });
  expect([late.status, late.headers.get('retry-after')]).toEqual([503, '1']);
  finish();
  await empty;
  const closed = server.close(120_000);
  const response = await running;
  expect((await response.arrayBuffer()).byteLength).toBe(5_000_011);
  await closed;
  agent.destroy();
});

test('a client that reads nothing is disconnected, one that reads slowly is not', async () => {
  const json = Buffer.alloc(24_000_000, ' ');
  const run: Engine['run'] = async () => ({
    format: 'json',
    body: json,
    rowCount: 1,
    truncated: false,
    timings,
  });
  const { app } = createFixture({ run });
  const disconnected = new Set<number | undefined>();
  const server = await listen(
    (request, env) => {
      const { socket } = (env as HttpBindings).incoming;
      const { remotePort } = socket;
      socket.once('close', () => disconnected.add(remotePort));
      return app.fetch(request, env as HttpBindings);
    },
    { host: '127.0.0.1', port: 0, stalledMs: 1_500 },
  );
  const { hostname, port } = new URL(server.url);
  const ask = () => {
    const socket = connect(Number(port), hostname);
    socket.write(`GET ${path}?project=a HTTP/1.1\r\nHost: x\r\nX-API-KEY: ${token}\r\n\r\n`);
    return socket;
  };
  const [stalled, slow] = [ask().pause(), ask()];
  let taken = 0;
  const slowly = (async () => {
    for await (const chunk of slow) {
      taken += (chunk as Buffer).length;
      if (taken > json.length) return;
      if (taken % 7 === 0) await sleep(20);
    }
  })();
  const limit = { timeout: 60_000, interval: 100 };
  await expect.poll(() => disconnected.has(stalled.localPort), limit).toBe(true);
  let rest = 0;
  stalled.on('data', (chunk) => {
    rest += chunk.length;
  });
  stalled.on('error', () => {});
  stalled.resume();
  await once(stalled, 'close');
  expect(rest).toBeLessThan(json.length);
  await slowly;
  expect(taken).toBeGreaterThan(json.length);
  slow.destroy();
  await server.close(0);
}, 120_000);

test('when too much is unsent, the oldest connections are closed', async () => {
  const json = Buffer.alloc(24_000_000, ' ');
  const run: Engine['run'] = async () => ({
    format: 'json',
    body: json,
    rowCount: 1,
    truncated: false,
    timings,
  });
  const options = { host: '127.0.0.1', port: 0, stalledMs: 60_000 };
  const server = await listen(createFixture({ run }).app.fetch, {
    ...options,
    maxUnsentBytes: 30_000_000,
  });
  const { hostname, port } = new URL(server.url);
  const ask = async () => {
    const socket = connect(Number(port), hostname).pause();
    socket.on('error', () => {});
    socket.write(`GET ${path}?project=a HTTP/1.1\r\nHost: x\r\nX-API-KEY: ${token}\r\n\r\n`);
    await sleep(300);
    return socket;
  };
  const [first, second] = [await ask(), await ask()];
  await sleep(2_500);
  const taken = async (socket: typeof first) => {
    let bytes = 0;
    socket.on('data', (chunk) => {
      bytes += chunk.length;
      if (bytes > json.length) socket.destroy();
    });
    socket.resume();
    await once(socket, 'close');
    return bytes;
  };
  expect(await taken(first)).toBeLessThan(json.length);
  expect(await taken(second)).toBeGreaterThan(json.length);
  await server.close(0);
}, 30_000);

test('a client that does not read a stream is disconnected, one that waits for its next part is not', async () => {
  const large = Buffer.alloc(8_000_000, 'x');
  const cancelled: string[] = [];
  const server = await listen(
    (request) => {
      const { pathname } = new URL(request.url);
      const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
        if (pathname === '/silent') await sleep(3_000);
        controller.enqueue(pathname === '/silent' ? Buffer.from('part\n') : large);
      };
      return new Response(
        new ReadableStream({ pull, cancel: () => void cancelled.push(pathname) }),
      );
    },
    { host: '127.0.0.1', port: 0, stalledMs: 500 },
  );
  const { hostname, port } = new URL(server.url);
  const stalled = connect(Number(port), hostname).pause();
  stalled.on('error', () => {});
  stalled.write('GET /stalled HTTP/1.1\r\nHost: x\r\n\r\n');
  const silent = await fetch(`${server.url}/silent`);
  const parts: string[] = [];
  for await (const chunk of silent.body ?? []) {
    parts.push(Buffer.from(chunk).toString());
    if (parts.length === 2) break;
  }
  expect(parts).toEqual(['part\n', 'part\n']);
  await expect.poll(() => cancelled, { timeout: 60_000 }).toContain('/stalled');
  stalled.destroy();
  await server.close(0);
}, 120_000);
