import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { start, type TestService } from '../../src/testing/testing.js';

const open = 'an-unbound-token-of-tests';
const mine = 'a-token-bound-to-mine-1';
let service: TestService;
let second = 0;

beforeAll(async () => {
  service = await start({
    tokens: [open, { token: mine, project: 'mine', endpoints: ['logs.all'] }],
  });
  await write('mine', 'an old one');
});
afterAll(() => service.close());

function write(project: string, message: string): Promise<void> {
  second += 1;
  const timestamp = `2026-03-10T12:00:${String(second).padStart(2, '0')}Z`;
  return service.write('edge_logs', [{ timestamp, project, id: message, event_message: message }]);
}

/** Opens a tail; `next` gives its events one after another, without comments. */
async function tail(query: string, { token = mine, id = '', headers: others = {} } = {}) {
  const headers = { ...others, 'x-api-key': token, ...(id !== '' && { 'last-event-id': id }) };
  const stop = new AbortController();
  const url = `${service.url}/api/tail/${query}`;
  const response = await fetch(url, { headers, signal: stop.signal });
  if (response.status !== 200) return { status: response.status, error: await response.json() };
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  const next = async () => {
    while (!rest.includes('\n\n')) rest += (await reader?.read())?.value ?? '\n\n';
    const end = rest.indexOf('\n\n');
    const lines = rest.slice(0, end).split('\n');
    rest = rest.slice(end + 2);
    const fieldOf = (name: string) =>
      lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2) ?? '';
    const data = JSON.parse(fieldOf('data') || '{}') as {
      readonly result?: readonly { readonly event_message: string }[];
    };
    const texts = data.result?.map(({ event_message }) => event_message);
    return { event: fieldOf('event'), id: fieldOf('id'), texts };
  };
  return { status: 200, next, stop: () => stop.abort(), headers: response.headers };
}

async function begin(query: string, options: Parameters<typeof tail>[1] = {}) {
  const { next, stop, headers } = await tail(query, options);
  if (next === undefined || stop === undefined) throw new Error('the tail was refused');
  return { next, stop, headers, first: await next() };
}

test('a tail sends the rows that come, and only those of its own project and filter', async () => {
  const { next, stop, headers, first } = await begin('logs.all?source=edge_logs&filter=-secret');
  expect(headers?.get('content-type')).toBe('text/event-stream; charset=utf-8');
  expect([first.event, first.texts]).toEqual(['rows', []]);
  await write('theirs', 'a row of a stranger');
  await write('mine', 'a secret');
  await write('mine', 'one');
  const one = await next();
  expect([one.event, one.texts]).toEqual(['rows', ['one']]);
  stop();
  await write('mine', 'two');
  const again = await begin('logs.all?source=edge_logs', { id: one.id });
  expect(again.first.texts).toEqual(['two']);
  again.stop();
});

test('rows are redacted, and a filter does not find what they hide', async () => {
  const redact = { headers: { 'svc-endpoint-redact-pii': 'true' } };
  const all = await begin('logs.all?source=edge_logs', redact);
  const hidden = await begin('logs.all?source=edge_logs&filter=%2210.1.2.3%22', redact);
  await write('mine', 'login from 10.1.2.3');
  expect((await all.next()).texts).toEqual(['login from REDACTED']);
  // Not while its query runs: what cannot be interrupted in time is killed, and all others with it.
  all.stop();
  await write('mine', 'logout of 10.1.2.3 and "10.1.2.3"');
  const found = await begin('logs.all?source=edge_logs&filter=REDACTED', {
    ...redact,
    id: hidden.first.id,
  });
  expect(found.first.texts).toHaveLength(2);
  const none = await begin('logs.all?source=edge_logs&filter=%2210.1.2.3%22', {
    ...redact,
    id: hidden.first.id,
  });
  expect(none.first.texts).toEqual([]);
  for (const { stop } of [hidden, found, none]) stop();
});

describe('what is refused', () => {
  test.each([
    ['a stored table', 'logs.all?source=logs.edge_logs', 400, 'source'],
    ['a table of the engine', 'logs.all?source=duckdb_tables', 400, 'source'],
    ['a name with more behind it', 'logs.all?source=edge_logs%20f:db_logs', 400, 'source'],
    ['a name with a line', 'logs.all?source=edge_logs%0Af:db_logs', 400, 'source'],
    ['no source', 'logs.all', 400, 'source'],
    ['another table in the filter', 'logs.all?source=edge_logs&filter=f:db_logs', 400, 'filter'],
    ['a chart', 'logs.all?source=edge_logs&filter=c:count(*)', 400, 'filter'],
    ['an unknown field', 'logs.all?source=edge_logs&filter=nofield:1', 400, 'filter'],
    ['an open quote', 'logs.all?source=edge_logs&filter=%22', 400, 'filter'],
    ['a query', 'logs.all?source=edge_logs&sql=select%201', 400, 'sql'],
    ['two filters', 'logs.all?source=edge_logs&filter=a&filter=b', 400, 'filter'],
    ['another project', 'logs.all?source=edge_logs&project=theirs', 403, 'project'],
    ['another endpoint', 'usage.api-counts?source=chart_counts', 404, undefined],
  ])('%s', async (_title, query, status, location) => {
    const refused = await tail(query);
    const { errors } = (
      refused.error as {
        readonly error: { readonly errors: readonly { readonly location?: string }[] };
      }
    ).error;
    expect([refused.status, errors[0]?.location]).toEqual([status, location]);
  });

  test('a fault is located in the filter', async () => {
    const { error } = await tail('logs.all?source=edge_logs&filter=word%20f:db_logs');
    expect(error).toMatchObject({
      error: { errors: [{ location: 'filter', line: 1, column: 6 }] },
    });
  });

  test('a chart has no place in the filter', async () => {
    const { error } = await tail('logs.all?source=edge_logs&filter=c:count(*)');
    const [fault] = (error as { readonly error: { readonly errors: readonly object[] } }).error
      .errors;
    expect(fault).not.toHaveProperty('line');
  });

  test.each(['0 or 1=1', '1.zz', '999999999999999999'])('the id %s', async (id) => {
    expect((await tail('logs.all?source=edge_logs', { id })).status).toBe(400);
  });

  test('other methods, and requests without a token', async () => {
    const url = `${service.url}/api/tail/logs.all?source=edge_logs`;
    const ask = async (init: RequestInit) => (await fetch(url, init)).status;
    const headers = { 'x-api-key': mine };
    expect(await ask({ method: 'POST', headers })).toBe(405);
    expect(await ask({ method: 'HEAD', headers })).toBe(405);
    expect(await ask({})).toBe(401);
  });
});

test('a token has at most four tails, and a closed one makes room', async () => {
  const query = 'logs.all?source=edge_logs';
  const tails = await Promise.all([1, 2, 3, 4].map(() => begin(query)));
  expect((await tail(query)).status).toBe(429);
  const others = await begin(`${query}&project=mine`, { token: open });
  for (const { stop } of [...tails, others]) stop();
  await expect
    .poll(async () => (await fetch(`${service.url}/metrics`)).text(), { timeout: 60_000 })
    .toContain('open_tails 0');
  (await begin(query)).stop();
});
