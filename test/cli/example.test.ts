import { expect, test } from 'vitest';
import { curlLine, exampleRequest, explorerLink } from '../../src/cli/example.js';
import { duckDbDialect } from '../../src/engine/duckdb/dialect.js';
import { ServiceError } from '../../src/errors/errors.js';
import type { OpenedServices } from '../../src/start/start-up.js';

const endpoint = {
  name: 'logs.all',
  parameters: [{ name: 'project', type: 'string', required: true }],
};
const source = { name: 'web', columns: [{ name: 'project', type: { kind: 'STRING' } }] };

async function requestOf(run: () => Promise<unknown>, more = {}) {
  const opened: unknown = {
    catalog: { endpoints: [{ ...endpoint, ...more }] },
    logs: { sources: [source], files: [{ source: 'web', records: 1 }] },
    compiler: { compile: () => ({ parameters: [], steps: [], tables: ['logs.edge_logs'] }) },
    engine: { run, dialect: duckDbDialect },
    now: () => '2026-03-10T12:00:00.000000+00:00',
  };
  const request = await exampleRequest(opened as OpenedServices);
  if (request === undefined) throw new Error('there is an endpoint');
  return request;
}

async function curlOf(run: () => Promise<unknown>, more = {}): Promise<string> {
  return curlLine(await requestOf(run, more), 'http://localhost:1', 'a-token');
}

test('a required parameter gets the value of the newest record', async () => {
  const body = Buffer.from('[{"v":"quarry"}]');
  expect(await curlOf(() => Promise.resolve({ body }))).toContain('/logs.all?project=quarry');
});

test('an endpoint whose own query would answer with no rows gets one over a source with records', async () => {
  const body = Buffer.from('[{"v":"quarry"}]');
  const sql = 'select timestamp, event_message from web order by timestamp desc limit 10';
  const line = await curlOf(() => Promise.resolve({ body }), { sandbox: true });
  expect(line).toContain(`?project=quarry' -G --data-urlencode 'sql=${sql}'`);
});

test('a query that fails leaves a plain example, so that the service starts', async () => {
  const late = new ServiceError('timeout', 'The query ran past its time limit (--query-timeout)');
  expect(await curlOf(() => Promise.reject(late))).toContain('/logs.all?project=example');
});

test('the link to the explorer has the same request, and the code only if there is one', async () => {
  const body = Buffer.from('[{"v":"quarry"}]');
  const request = await requestOf(() => Promise.resolve({ body }));
  const shown = 'endpoint=logs.all&p.project=quarry';
  expect(explorerLink('http://localhost:1', request, 'abc')).toBe(
    `http://localhost:1/#code=abc&${shown}`,
  );
  expect(explorerLink('http://localhost:1', request, undefined)).toBe(
    `http://localhost:1/#${shown}`,
  );
  expect(explorerLink('http://localhost:1', undefined, undefined)).toBe('http://localhost:1/');
});
