import { existsSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { fixtures } from '../support/paths.js';
import { startService } from '../support/start-service.js';

const clients = 1_000;
const limit = '/proc/sys/net/core/somaxconn';
/** Linux lowers the backlog of a listener to its own limit. */
const canWait = existsSync(limit) && Number(readFileSync(limit, 'utf8')) >= clients;

test.runIf(canWait)(
  '1,000 clients that connect while the server is busy are all answered',
  async () => {
    const service = await startService(['--data', fixtures, '--log-level', 'silent']);
    const { hostname, port } = new URL(service.url);
    let connected = 0;
    process.kill(service.pid, 'SIGSTOP');
    const answers = Array.from({ length: clients }, async () => {
      const socket = connect(Number(port), hostname);
      socket.write('GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
      socket.once('connect', () => (connected += 1));
      let text = '';
      for await (const chunk of socket) text += chunk;
      return text.slice(0, 12);
    });
    // Beyond the backlog, the system drops what arrives until the server accepts.
    await expect.poll(() => connected, { timeout: 60_000 }).toBe(clients);
    process.kill(service.pid, 'SIGCONT');
    expect(new Set(await Promise.all(answers))).toEqual(new Set(['HTTP/1.1 200']));
    expect(await service.stop()).toBe(0);
  },
);
