import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  countBySource,
  countByTime,
  surroundingLines,
  topValues,
} from '../../../src/explorer/model/counts.js';
import type { AnswerRow, ListedEndpoint } from '../../../src/explorer/model/endpoint.js';
import { filterLevel } from '../../../src/explorer/model/filter-level.js';
import { findRoles, recordLevel, shownLevels } from '../../../src/explorer/model/levels.js';
import { lqlAsSql, pageMatches } from '../../../src/explorer/model/matches.js';
import { emptyState, type PageState } from '../../../src/explorer/model/page-state.js';
import { findPath } from '../../../src/explorer/model/record-paths.js';
import { levels } from '../../../src/values/levels.js';
import { type Service, startService, token } from '../../support/start-service.js';

const start = Date.parse('2026-03-10T10:00:00Z');
const written = ['ERROR', '[WARN]', ' fatal ', 'mystery', '10', '20', '30', '40', '50', '60', null];
const words = [...levels.flat(), ...written];
const statuses = [...words.map(() => null), ...Array.from({ length: 600 }, (_, code) => code)];

/** One record a second: each word without a status, then each status without a word. */
const records = statuses.map((status_code, index) => ({
  project: 'acme',
  id: `r${index}`,
  timestamp: new Date(start + index * 1000).toISOString(),
  event_message: `line ${index}`,
  metadata: [{ parsed: [{ error_severity: words[index] ?? null }], response: [{ status_code }] }],
}));

let service: Service;
let endpoint: ListedEndpoint;

beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'explorer-counts-'));
  writeFileSync(
    join(folder, 'edge_logs.ndjson'),
    records.map((record) => `${JSON.stringify(record)}\n`).join(''),
  );
  const same = ['d', 'b', 'c', 'a'].map((id) => ({ ...records[0], id, metadata: [] }));
  const ties = same.map((record) => `${JSON.stringify(record)}\n`).join('');
  writeFileSync(join(folder, 'auth_logs.ndjson'), ties);
  service = await startService(['--data', folder, '--now', '2026-03-10T12:00:00Z']);
  const answer = await fetch(`${service.url}/api/endpoints`, { headers: { 'x-api-key': token } });
  const { endpoints } = (await answer.json()) as { readonly endpoints: readonly ListedEndpoint[] };
  const [all] = endpoints.filter(({ name }) => name === 'logs.all');
  if (all === undefined) throw new Error('logs.all');
  endpoint = all;
});

afterAll(() => service.stop());

async function ask(query: Readonly<Record<string, string>>): Promise<readonly AnswerRow[]> {
  const response = await fetch(`${service.url}/api/endpoints/query/logs.all`, {
    method: 'POST',
    headers: { 'x-api-key': token, 'content-type': 'application/json' },
    body: JSON.stringify({ project: 'acme', ...query }),
  });
  const { result, error } = (await response.json()) as {
    readonly result?: readonly AnswerRow[];
    readonly error?: { readonly message: string };
  };
  if (result === undefined) throw new Error(error?.message);
  return result;
}

function matches(lql = 'f:edge_logs') {
  const found = pageMatches({ ...emptyState, language: 'lql', lql }, endpoint);
  if (found === undefined) throw new Error('matches');
  return found;
}

const none = { error: 0, warn: 0, info: 0, debug: 0 };

test('the sources are counted, with their first and last instants', async () => {
  const rows = await ask({ sql: countBySource(endpoint.tables) });
  expect(rows).toContainEqual({
    source: 'edge_logs',
    records: records.length,
    recent: records.length,
    oldest: start * 1000,
    newest: (start + (records.length - 1) * 1000) * 1000,
  });
  expect(rows).toContainEqual({
    source: 'rest_logs',
    records: 0,
    recent: 0,
    oldest: null,
    newest: null,
  });
});

test('the levels that SQL counts are those that the page shows', async () => {
  const rows = await ask({ lql: 'f:edge_logs' });
  const columns = findRoles(matches().table.schema.fields);
  if (columns === undefined) throw new Error('records');
  const shown = new Map(
    rows.map((row) => [row['timestamp'], recordLevel(row, columns).level ?? null]),
  );
  const counted = await ask({ sql: countByTime(matches(), 1_000_000) });
  expect(counted).toHaveLength(records.length);
  for (const { time, records, ...counts } of counted) {
    const level = shown.get(time ?? 0) ?? null;
    expect([time, records, counts]).toEqual([time, 1, { ...none, ...(level && { [level]: 1 }) }]);
  }
});

test.each<Pick<PageState, 'language' | 'lql' | 'sql'>>([
  { language: 'lql', lql: 'f:edge_logs', sql: '' },
  {
    language: 'sql',
    lql: '',
    sql: 'select id, timestamp from edge_logs as e cross join unnest(metadata) as metadata',
  },
])('a filter on a level keeps the records that are counted: $language', async (asked) => {
  const [counted] = await ask({ sql: countByTime(matches(), 86_400e6) });
  for (const level of shownLevels) {
    for (const isOut of [false, true]) {
      const { sql = '' } = filterLevel({ ...emptyState, ...asked }, endpoint, level, isOut) ?? {};
      const [row] = await ask({ sql: `select count(*) as n from (${sql})` });
      const kept = Number(counted?.[level]);
      expect([level, row?.['n']]).toEqual([level, isOut ? records.length - kept : kept]);
    }
  }
});

test('values of a field are counted, the most frequent first', async () => {
  const path = findPath(matches().table.schema.fields, ['metadata', 'response', 'status_code']);
  const rows = await ask({ sql: topValues(matches(), path ?? [], 2) });
  expect(rows).toEqual([
    { value: null, records: words.length },
    { value: 0, records: 1 },
  ]);
});

test.each<Pick<PageState, 'language' | 'lql' | 'sql'>>([
  { language: 'lql', lql: 'f:edge_logs', sql: '' },
  { language: 'sql', lql: '', sql: 'select id from edge_logs as e' },
])('a column that no record has is NULL in all of them: $language', async (asked) => {
  const found = pageMatches({ ...emptyState, ...asked }, endpoint);
  const path = found && findPath(found.table.schema.fields, ['identifier']);
  if (found === undefined || path === undefined) throw new Error('identifier');
  expect(await ask({ sql: topValues(found, path, 2) })).toEqual([
    { value: null, records: records.length },
  ]);
});

test('filters of the query narrow what is counted', async () => {
  const rows = await ask({
    sql: countByTime(matches('f:edge_logs m.response.status_code:>=599'), 1e6),
  });
  expect(rows).toEqual([{ ...none, time: expect.any(Number), error: 1, records: 1 }]);
});

test('the lines around a record are its neighbours, and the record itself', async () => {
  const at = { timestamp: (start + 5000) * 1000, id: 'r5' };
  const { table } = matches();
  const read = async (direction: 'before' | 'after') =>
    (await ask({ sql: surroundingLines(table, at, direction, 3) })).map(({ id }) => id);
  expect(await read('before')).toEqual(['r5', 'r4', 'r3']);
  expect(await read('after')).toEqual(['r6', 'r7', 'r8']);
});

test('lines with the same time are around a record in the order of the table', async () => {
  const table = { ...matches().table, name: 'auth_logs' };
  const ids = (await ask({ lql: 'f:auth_logs' })).map(({ id }) => id);
  expect(ids).toEqual(['a', 'b', 'c', 'd']);
  const at = { timestamp: start * 1000, id: 'b' };
  const read = async (direction: 'before' | 'after') =>
    (await ask({ sql: surroundingLines(table, at, direction, 3) })).map(({ id }) => id);
  expect([...(await read('after')).toReversed(), ...(await read('before'))]).toEqual(ids);
});

test('LQL that is shown as SQL has the same rows', async () => {
  const lql = 'f:edge_logs m.response.status_code:500..510 -"line 1"';
  const sql = lqlAsSql(lql, endpoint) ?? '';
  expect(await ask({ sql })).toEqual(await ask({ lql }));
});
