import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Bomb } from './bombs.js';
import { type Service, token } from './start-service.js';

/** The answer to a request, and the time that it took. */
export interface Ended {
  readonly status: number;
  /** The error's reason, or `answers`. */
  readonly end: string;
  readonly body: string;
  /** Until the last byte was there, in milliseconds. */
  readonly ms: number;
}

/** Sends a query as a caller does, by POST. */
export async function send({ url }: Service, bomb: Omit<Bomb, 'name' | 'ends'>): Promise<Ended> {
  const { sql, lql, parameters, endpoint = 'logs.all', redact } = bomb;
  const start = performance.now();
  const { status, body } = await exchange(`${url}/api/endpoints/query/${endpoint}`, {
    headers: {
      'x-api-key': token,
      'content-type': 'application/json',
      ...(redact && { 'svc-endpoint-redact-pii': 'true' }),
    },
    body: JSON.stringify({ project: 'bluefin', ...parameters, sql, lql }),
  });
  const ms = performance.now() - start;
  const end = status === 200 ? 'answers' : JSON.parse(body).error.errors[0].reason;
  return { status, end, body, ms };
}

interface Post {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** On a connection of its own: one that is kept may be closed by the other side as it is used again. */
async function exchange(url: string, post?: Post) {
  const { headers = {}, body = '' } = post ?? {};
  const sent = request(url, { agent: false, method: post ? 'POST' : 'GET', headers });
  sent.end(body);
  const [answer]: IncomingMessage[] = await once(sent, 'response');
  if (answer === undefined) throw new Error('no answer');
  return { status: answer.statusCode ?? 0, body: await text(answer) };
}

/** Asks for `/health` until it is stopped; gives how long each answer took, in milliseconds. */
export function watchHealth({ url }: Service): () => Promise<readonly number[]> {
  const times: number[] = [];
  let isWatching = true;
  const watching = (async () => {
    while (isWatching) {
      const start = performance.now();
      const { status } = await exchange(`${url}/health`);
      times.push(status === 200 ? performance.now() - start : Number.POSITIVE_INFINITY);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  })();
  return async () => {
    isWatching = false;
    await watching;
    return times;
  };
}
