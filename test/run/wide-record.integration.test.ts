import { expect, test } from 'vitest';
import { makeFolder } from '../support/load-logs.js';
import { openFrontDoor, openServed, serveWorld, tokenHeaders } from '../support/worlds.js';

// One record with very many fields must not take the memory of the others' queries.

function twoThousand(makeValue: (n: number) => unknown): object {
  return Object.fromEntries(Array.from({ length: 2_000 }, (_, n) => [`k${n}`, makeValue(n)]));
}

const tree = (depth: number): unknown =>
  depth === 0 ? 1 : { a: [tree(depth - 1)], b: [tree(depth - 1)] };

const kinds: Readonly<Record<string, readonly [fields: object, memory: string]>> = {
  'two thousand texts': [twoThousand((n) => `text ${n}`), '1GB'],
  'two thousand lists': [twoThousand((n) => [`text ${n}`]), '1GB'],
  'two thousand records': [twoThousand((n) => ({ inner: n })), '1GB'],
  'a tree of lists': [{ tree: tree(8) }, '512MB'],
};

function folderWith(fields: object): string {
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
  { sql: 'select * from (select * from edge_logs order by timestamp desc limit 3)' },
  { sql: 'select m as v from edge_logs as t, unnest(t.metadata) as m limit 3' },
];

test.each(Object.entries(kinds))(
  '%s',
  async (_kind, [fields, memory]) => {
    const flags = ['--data', folderWith(fields), '--no-disk-cache', '--memory-limit', memory];
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
