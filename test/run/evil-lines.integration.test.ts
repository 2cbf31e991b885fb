import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeFolder } from '../support/load-logs.js';
import {
  type OpenWorld,
  openFrontDoor,
  openServed,
  serveWorld,
  tokenHeaders,
} from '../support/worlds.js';

// One small line of another project stopped every query once: the start, the list of endpoints and each table work beside it.

function nested(levels: number): unknown {
  return levels === 0 ? 'x' : { a: nested(levels - 1) };
}

function tree(depth: number): unknown {
  return depth === 0 ? 1 : { a: tree(depth - 1), b: [tree(depth - 1)] };
}

/** 94 records with 80 names each that no other record has. */
const names = Array.from({ length: 94 }, (_, row) =>
  Object.fromEntries(Array.from({ length: 80 }, (__, n) => [`name_${row}_${n}`, n])),
);

const shapes: Readonly<Record<string, readonly unknown[]>> = {
  'records of 16 levels': [nested(15)],
  'records of 24 levels': [nested(23)],
  'records of 60 levels': [nested(59)],
  '7,520 names': names,
  'a tree': [tree(9)],
};

function line(project: string, index: number, metadata: unknown): string {
  const rest = { id: `${project}-${index}`, timestamp: `2026-03-10T12:00:00Z` };
  return JSON.stringify({ ...rest, project, event_message: 'm', metadata });
}

const own = [0, 1].map((n) => line('acme', n, { request: { method: 'GET', path: '/x' } }));

async function openOver(records: readonly unknown[]): Promise<OpenWorld> {
  const evil = records.map((metadata, index) => line('evil', index, metadata));
  const data = makeFolder({
    'edge_logs.ndjson': `${[...own, ...evil].join('\n')}\n`,
    'auth_logs.ndjson': `${own.join('\n')}\n`,
  });
  const flags = ['--data', data, '--no-disk-cache', '--threads', '1', '--memory-limit', '1GB'];
  return openServed('one', [...flags, '--now', '2026-03-10T14:00:00Z']);
}

async function ask({ opened, settings }: OpenWorld, path: string): Promise<string> {
  const app = openFrontDoor(serveWorld({ opened }).services, settings);
  const response = await app.request(path, { headers: tokenHeaders(false) });
  return `${response.status} ${await response.text()}`;
}

const query = (sql: string) =>
  `/api/endpoints/query/logs.all?${new URLSearchParams({ project: 'acme', sql })}`;
const paths = [
  query('select id from auth_logs order by id'),
  query('select * from auth_logs order by id'),
  query(
    'select t.id, r.path from edge_logs as t, unnest(t.metadata) as m, unnest(m.request) as r order by 1',
  ),
  '/api/endpoints/query/logs.all?project=acme',
];

let alone: OpenWorld;
beforeAll(async () => {
  alone = await openOver([]);
});
afterAll(() => alone.close());

test.each(Object.entries(shapes))('%s', async (_, records) => {
  const world = await openOver(records);
  try {
    for (const path of paths) {
      const expected = await ask(alone, path);
      expect(expected.startsWith('200 ')).toBe(true);
      expect(await ask(world, path)).toBe(expected);
    }
    expect((await ask(world, '/api/endpoints')).slice(0, 4)).toBe('200 ');
  } finally {
    await world.close();
  }
});
