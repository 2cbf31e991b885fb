import { expect, test } from 'vitest';
import { makeFolder } from '../support/load-logs.js';
import { openFrontDoor, openServed, serveWorld, tokenHeaders } from '../support/worlds.js';

// A record has declared fields that no file has: they are not stored.

const record = {
  id: 'a',
  timestamp: '2026-03-10T12:00:00Z',
  event_message: 'm',
  project: 'acme',
  metadata: { request: { cf: { botManagement: { ja3Hash: 'x', score: 7 } } } },
};
const from = `edge_logs as t, unnest(t.metadata) as m, unnest(m.request) as r, unnest(r.cf) as c,
  unnest(c.botManagement) as b`;
const types = ['a bool', 'd array<int64>', 'j string', 's string', 'st bool', 'v bool'];

test.each([
  [`cast(b as struct<${types.join()}>)`, { a: null, d: null, j: 'x', s: '7', st: null, v: null }],
  [
    `safe_cast(b as struct<${types.join()}>)`,
    { a: null, d: null, j: 'x', s: '7', st: null, v: null },
  ],
  [`safe_cast(b as struct<${types.with(2, 'j int64').join()}>)`, null],
])('%s', async (value, expected) => {
  const flags = ['--data', makeFolder({ 'edge_logs.ndjson': `${JSON.stringify(record)}\n` })];
  const world = await openServed('one', [...flags, '--no-disk-cache']);
  const app = openFrontDoor(serveWorld(world).services, world.settings);
  const response = await app.request('/api/endpoints/query/logs.all', {
    method: 'POST',
    headers: { ...tokenHeaders(false), 'content-type': 'application/json' },
    body: JSON.stringify({ project: 'acme', sql: `select ${value} as v from ${from}` }),
  });
  const answer = await response.json();
  await world.close();
  expect(answer).toEqual({ result: [{ v: expected }] });
});
