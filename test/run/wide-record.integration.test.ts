import { expect, test } from 'vitest';
import { createEnginePool } from '../../src/engine/pool/pool.js';
import { engineLimits } from '../../src/start/engine-limits.js';
import { makeFolder } from '../support/load-logs.js';
import { openFrontDoor, openServed, serveWorld, tokenHeaders } from '../support/worlds.js';

// One record with very many fields must not take the memory of the others' queries.

function manyFields(length: number, makeValue: (n: number) => unknown): object {
  return Object.fromEntries(Array.from({ length }, (_, n) => [`k${n}`, makeValue(n)]));
}

const tree = (depth: number): unknown =>
  depth === 0 ? 1 : { a: [tree(depth - 1)], b: [tree(depth - 1)] };

const kinds: Readonly<Record<string, readonly [fields: object, memory: string]>> = {
  'four hundred texts': [manyFields(400, (n) => `text ${n}`), '256MB'],
  'two thousand texts': [manyFields(2_000, (n) => `text ${n}`), '512MB'],
  'two thousand lists': [manyFields(2_000, (n) => [`text ${n}`]), '1GB'],
  'two thousand records': [manyFields(2_000, (n) => ({ inner: n })), '1GB'],
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
  { sql: 'select * from (select * from edge_logs order by event_message desc limit 12)' },
  { sql: "select to_json_string(t) as v from edge_logs as t where search(t, '19')" },
  { sql: 'select m as v from edge_logs as t, unnest(t.metadata) as m limit 3' },
];

test.each(Object.entries(kinds))(
  '%s',
  async (_kind, [fields, memory]) => {
    const flags = ['--data', folderWith(fields), '--no-disk-cache', '--memory-limit', memory];
    const world = await openServed('one', flags, (settings) => {
      return createEnginePool({ ...engineLimits(settings), callers: 1 }).open;
    });
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
