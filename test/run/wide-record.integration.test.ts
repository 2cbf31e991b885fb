import { expect, test } from 'vitest';
import { makeFolder } from '../support/load-logs.js';
import { openFrontDoor, openServed, serveWorld, tokenHeaders } from '../support/worlds.js';

// One record with very many fields must not take the memory of the others' queries.

const kinds = {
  texts: (n: number) => `text ${n}`,
  lists: (n: number) => [`text ${n}`],
  records: (n: number) => ({ inner: n }),
};

function folderWith(makeValue: (n: number) => unknown): string {
  const fields = Object.fromEntries(
    Array.from({ length: 2_000 }, (_, n) => [`k${n}`, makeValue(n)]),
  );
  const lines = Array.from({ length: 20 }, (_, n) =>
    JSON.stringify({
      id: `id-${n}`,
      timestamp: new Date(Date.UTC(2026, 2, 10, 12, 0, n)).toISOString(),
      event_message: `message ${n}`,
      project: n === 0 ? 'evil' : 'acme',
      metadata: { request: { path: `/${n}`, note: 'ada@example.com' }, ...(n === 0 && fields) },
    }),
  );
  return makeFolder({ 'edge_logs.ndjson': `${lines.join('\n')}\n` });
}

const queries = [
  { sql: 'select * from edge_logs limit 3' },
  { sql: 'select to_json_string(t) as v from edge_logs as t limit 3' },
  { sql: 'select m as v from edge_logs as t, unnest(t.metadata) as m limit 3' },
];

test.each(Object.entries(kinds))(
  'two thousand %s, with 1 GB',
  async (_kind, makeValue) => {
    const flags = ['--data', folderWith(makeValue), '--no-disk-cache', '--memory-limit', '1GB'];
    const world = await openServed('one', flags);
    const app = openFrontDoor(serveWorld(world).services, world.settings);
    for (const query of queries) {
      for (const redact of [false, true]) {
        const response = await app.request('/api/endpoints/query/logs.all', {
          method: 'POST',
          headers: { ...tokenHeaders(redact), 'content-type': 'application/json' },
          body: JSON.stringify({ project: 'acme', ...query }),
        });
        const text = await response.text();
        expect([query, redact, response.status, text]).toEqual([query, redact, 200, text]);
        expect(text).toContain('/19');
        expect(text.includes('ada@example.com')).toBe(!redact);
      }
    }
    await world.close();
  },
  60_000,
);
