import { once } from 'node:events';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { createMcpServer } from './server.js';
import type { Session } from './session.js';

/** Answers a client over standard input and output, until the input ends. */
export async function answerOverStdio(session: Session): Promise<void> {
  const handle = serveStdio(() => createMcpServer(session), { maxSubscriptions: 0 });
  await once(process.stdin, 'end');
  await handle.close();
}
