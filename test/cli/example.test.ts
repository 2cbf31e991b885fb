import { expect, test } from 'vitest';
import { exampleCurl } from '../../src/cli/example.js';
import { ServiceError } from '../../src/errors/errors.js';
import type { OpenedServices } from '../../src/service/start-up.js';

const endpoint = {
  name: 'logs.all',
  parameters: [{ name: 'project', type: 'string', required: true }],
};
const source = { name: 'web', columns: [{ name: 'project', type: { kind: 'STRING' } }] };

function curlOf(run: () => Promise<unknown>, more = {}): Promise<string> {
  const opened: unknown = {
    catalog: { endpoints: [{ ...endpoint, ...more }] },
    logs: { sources: [source], files: [{ source: 'web', records: 1 }] },
    compiler: { compile: () => ({ parameters: [], steps: [], tables: ['logs.edge_logs'] }) },
    engine: { run },
    now: () => '2026-03-10T12:00:00.000000+00:00',
  };
  return exampleCurl(opened as OpenedServices, 'http://localhost:1', 'a-token');
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
