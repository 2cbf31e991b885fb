import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Service, startService } from '../support/start-service.js';

// Requests as log explorers, saved queries, charts and assistants of the hosted service send them, under
// its preset. Rows are counted from the fixtures by other means than this program.

interface ClientRequest {
  readonly client: string;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** The format of the parameters in the body; they are in the URL by default. */
  readonly send?: 'json' | 'form';
  readonly parameters: Readonly<Record<string, string>>;
  /** Added to the token's, or instead of it; null for none. */
  readonly headers?: Readonly<Record<string, string | null>>;
  readonly columns?: readonly string[];
  readonly rows?: number;
  /** Some of the values of the first row. */
  readonly first?: Readonly<Record<string, unknown>>;
  /** A part of the error's message. */
  readonly error?: string;
  /** 200 by default. */
  readonly status?: number;
}

const requests: readonly ClientRequest[] = JSON.parse(
  readFileSync('test/program/clients/requests.json', 'utf8'),
);
const clients = new Map<string, ClientRequest[]>();
for (const each of requests) clients.set(each.client, [...(clients.get(each.client) ?? []), each]);

// Short, as tokens of such services may be.
const token = 'short-token';
let service: Service;

beforeAll(async () => {
  const flags = ['--preset', 'supabase', '--data', 'fixtures', '--now', '2026-03-10T12:00:00Z'];
  service = await startService([...flags, '--threads', '1'], { LOG_ENDPOINTS_TOKENS: token });
});
afterAll(async () => {
  expect(await service.stop()).toBe(0);
});

interface Answered {
  readonly status: number | undefined;
  readonly body: {
    readonly result?: readonly Readonly<Record<string, unknown>>[];
    readonly error?: string | { readonly message: string };
  };
}

/** Node sends the length of a body only with methods that usually have one. */
function typed(send: 'json' | 'form', body: string) {
  const type = send === 'json' ? 'application/json' : 'application/x-www-form-urlencoded';
  return { 'content-type': type, 'content-length': String(Buffer.byteLength(body)) };
}

/** `fetch` sends no GET with a body. */
function send({ method, path, send, parameters, headers = {} }: ClientRequest): Promise<Answered> {
  const form = new URLSearchParams(parameters).toString();
  const url = new URL(send === undefined ? `${path}?${form}` : path, service.url);
  const body = send === 'json' ? JSON.stringify(parameters) : send === 'form' ? form : '';
  const all = { 'x-api-key': token, ...(send && typed(send, body)), ...headers };
  const given = Object.entries(all).flatMap(([name, value]) =>
    value === null ? [] : [[name, value.replace('{token}', token)]],
  );
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers: Object.fromEntries(given) }, async (response) => {
      const text = Buffer.concat(await response.toArray()).toString();
      resolve({ status: response.statusCode, body: JSON.parse(text) });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

describe.each([...clients])('%s', (_client, all) => {
  const named = all.map((each) => [each.parameters['sql'] ?? each.path, each] as const);
  test.each(named)('%s', async (_name, asked) => {
    const { status, body } = await send(asked);
    const { columns, rows, first, error } = asked;
    expect({ status, error: body.error }).toEqual({
      status: asked.status ?? 200,
      error: error === undefined ? undefined : expect.anything(),
    });
    if (error !== undefined) {
      // A failed query is a text; a refused caller gets the error object, with its status.
      const message = status === 200 ? body.error : Object(body.error).message;
      expect(Object.keys(body)).toEqual(['error']);
      expect(message).toEqual(expect.stringContaining(error));
      return;
    }
    const result = body.result ?? [];
    expect(Object.keys(body)).toEqual(['result']);
    expect(result).toHaveLength(rows ?? 0);
    expect(Object.keys(result[0] ?? {})).toEqual(rows === 0 ? [] : columns);
    expect(result[0] ?? {}).toMatchObject(first ?? {});
  });
});
