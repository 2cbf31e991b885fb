import { describe, expect, test } from 'vitest';
import { stepFor } from '../../src/explorer/model/counts.js';
import {
  boundProject,
  firstEndpoint,
  firstWindow,
  hasRecords,
  sortSources,
} from '../../src/explorer/model/first-page.js';
import { histogramOfCounts } from '../../src/explorer/model/histogram.js';
import { plainColumns, recordColumns } from '../../src/explorer/model/layout.js';
import { findRoles, readFirst, recordLevel } from '../../src/explorer/model/levels.js';
import {
  lqlAsSql,
  pageMatches,
  pageSource,
  withQuerySource,
} from '../../src/explorer/model/matches.js';
import { emptyState, type Language } from '../../src/explorer/model/page-state.js';
import { keyOfRow, rowOfKey } from '../../src/explorer/model/record-key.js';
import { sortRows } from '../../src/explorer/model/sort-rows.js';
import { valuePlaceInLql, valuePlaceInSql } from '../../src/explorer/model/value-place.js';
import { edgeLogs, endpoint, records, scalar } from './tables.js';

const { fields } = edgeLogs.schema;
const row = {
  timestamp: 1_773_143_865_730_556,
  id: 'a',
  event_message: 'hello',
  metadata: [{ request: [{ path: '/x' }], response: [{ status_code: 503 }] }],
};

describe('what the columns of records mean', () => {
  test('a level and a status are found at any depth, the shallowest first', () => {
    const deep = [...fields, records('other', scalar('status', 'INT64'), scalar('level'))];
    const roles = findRoles(deep);
    expect(roles?.level?.map(({ name }) => name)).toEqual(['other', 'level']);
    expect(roles?.status?.map(({ name }) => name)).toEqual(['other', 'status']);
    expect(findRoles(fields)?.status?.at(-1)?.name).toBe('status_code');
  });

  test('counts are no records', () => {
    expect(findRoles([scalar('hour', 'TIMESTAMP'), scalar('n', 'INT64')])).toBeUndefined();
  });

  test.each([
    ['ERROR', 200, 'error', 'error'],
    ['Warning', 200, 'warn', 'warn'],
    ['50', 200, 'error', 'error'],
    ['notice', 500, 'info', 'notice'],
    [null, 404, 'warn', ''],
    ['mystery', 503, 'error', 'mystery'],
    ['constructor', 200, 'info', 'constructor'],
    [null, null, undefined, ''],
  ])('level %s and status %s: %s, shown as "%s"', (level, status, expected, word) => {
    const columns = [...fields, scalar('level'), scalar('status', 'INT64')];
    const roles = findRoles(columns);
    if (roles === undefined) throw new Error('records');
    const shown = recordLevel({ ...row, level, status }, roles);
    expect([shown.level, shown.word]).toEqual([expected, word]);
  });

  test('the first elements of records are read', () => {
    const path = findRoles(fields)?.status ?? [];
    expect(readFirst(row, path)).toBe(503);
    expect(readFirst({ ...row, metadata: [] }, path)).toBeNull();
  });
});

describe('the records that a query is about', () => {
  const db = {
    name: 'db_logs',
    schema: { fields: [scalar('timestamp', 'TIMESTAMP'), scalar('id'), scalar('event_message')] },
  };
  const two = { ...endpoint, sql: 'select id from edge_logs limit 9', tables: [edgeLogs, db] };
  const of = (language: Language, text = '') =>
    pageMatches({ ...emptyState, language, [language]: text }, two);

  test.each([
    ['stored', '', 'edge_logs', ''],
    ['lql', 'f:db_logs id:"a"', 'db_logs', 'id:"a"'],
    ['sql', "select id from db_logs where id = 'a' limit 5", 'db_logs', "id = 'a'"],
    ['sql', 'select * from edge_logs as e cross join unnest(metadata) as m', 'edge_logs', ''],
  ] as const)('%s %s', (language, text, table, filters) => {
    expect(of(language, text)).toMatchObject({ table: { name: table }, filters });
  });

  test.each([
    ['lql', 'c:count(*)'],
    ['lql', 'f:nothing'],
    ['lql', 'm.a:"'],
    ['sql', 'select count(*) from edge_logs'],
    ['sql', 'select id, count(*) from edge_logs group by id'],
    ['sql', 'with x as (select 1) select * from x'],
    ['sql', 'select distinct id from edge_logs'],
    ['sql', "select * from edge_logs pivot (count(id) for event_message in ('a', 'b'))"],
    ['sql', 'select * from db_logs as d unpivot (value for name in (id, event_message))'],
    ['sql', 'select * from db_logs unpivot include nulls (value for name in (id, event_message))'],
    ['sql', 'select a.id from edge_logs as a join db_logs as b using (id)'],
    ['sql', 'select id from edge_logs union all select id from db_logs'],
  ] as const)('none: %s %s', (language, text) => {
    expect(of(language, text)).toBeUndefined();
  });

  test('a grouped query has a source all the same', () => {
    const sql = 'select id, count(*) from db_logs group by id';
    expect(pageSource({ ...emptyState, language: 'sql', sql }, two)?.name).toBe('db_logs');
  });

  test('LQL is readable SQL', () => {
    expect(lqlAsSql('f:edge_logs m.response.status_code:>=500 s:id s:m.request.path@p', two)).toBe(
      [
        'SELECT id, metadata[SAFE_OFFSET(0)].request[SAFE_OFFSET(0)].path AS p',
        'FROM edge_logs',
        'WHERE EXISTS(',
        'SELECT 1',
        'FROM UNNEST(metadata) AS e1, UNNEST(e1.response) AS e2',
        'WHERE e2.status_code >= 500',
        ')',
        'ORDER BY timestamp DESC',
      ].join('\n'),
    );
  });

  test('another source keeps the filters that it has the fields for', () => {
    expect(withQuerySource('f:edge_logs id:"a" word', db, two)).toBe('f:db_logs id:"a" word');
    expect(withQuerySource('f:edge_logs m.request.path:"/x"', db, two)).toBe('f:db_logs');
    expect(withQuerySource('c:count(*)', db, two)).toBe('f:db_logs');
  });

  test('another source drops filters that are faults there', () => {
    const other = {
      name: 'other',
      schema: { fields: [scalar('timestamp', 'TIMESTAMP'), records('id', scalar('value'))] },
    };
    const three = { ...two, tables: [edgeLogs, db, other] };
    expect(withQuerySource('f:edge_logs t:today', other, three)).toBe('f:other t:today');
    expect(withQuerySource('f:edge_logs id:"a"', other, three)).toBe('f:other');
    expect(withQuerySource('f:edge_logs word', other, three)).toBe('f:other');
  });
});

describe('the first page', () => {
  const now = Date.parse('2026-03-10T12:00:00Z');
  const count = (name: string, n: number, newestMs?: number) => {
    return { name, records: n, recent: n, oldestMs: newestMs, newestMs };
  };

  test('shows the last hour, or the hour of the newest record', () => {
    expect(firstWindow([count('a', 1, now - 5000)], endpoint, {}, now).window).toBe('hour');
    const old = firstWindow([count('a', 1, now - 86_400_000), count('b', 0)], endpoint, {}, now);
    expect(old.values).toEqual({
      iso_timestamp_start: '2026-03-09T11:00:00.000Z',
      iso_timestamp_end: '2026-03-09T12:00:00.000Z',
    });
    expect(old).toHaveProperty('note', expect.stringMatching(/^The last hour has no records/));
  });

  test('does not say that the last hour is empty if the newest record lies in the future', () => {
    const counts = [count('a', 9, now - 5000), count('b', 1, now + 7_200_000)];
    const first = firstWindow(counts, endpoint, {}, now);
    expect(first.values['iso_timestamp_end']).toBe('2026-03-10T14:00:00.000Z');
    expect(first).toHaveProperty('note', expect.stringMatching(/^Some records lie in the future/));
    expect(firstWindow([], endpoint, {}, now)).toEqual({ window: '', values: {} });
  });

  test('is of the endpoint with the most tables, whose records have a time', () => {
    const usage = { ...endpoint, name: 'usage', tables: [] };
    const catalog = { endpoints: [usage, endpoint], functions: [], canTail: false };
    expect(firstEndpoint(catalog)).toBe(endpoint);
    expect([endpoint, usage, { ...endpoint, sandbox: false }].map(hasRecords)).toEqual([
      true,
      false,
      false,
    ]);
  });

  test('has the project that the token is bound to', () => {
    const parameters = endpoint.parameters.map((one) => ({ ...one, default: 'acme' }));
    expect(boundProject({ ...endpoint, parameters })).toBe('acme');
    expect(boundProject(endpoint)).toBeUndefined();
  });

  test('has one’s own sources first, then those with the most records', () => {
    const catalog = {
      endpoints: [endpoint, { ...endpoint, name: 'logs.shop' }],
      functions: [],
      canTail: false,
    };
    const counts = [count('edge_logs', 9), count('auth_logs', 99), count('shop', 1)];
    const names = sortSources(counts, catalog).map(({ name }) => name);
    expect(names).toEqual(['shop', 'auth_logs', 'edge_logs']);
  });
});

test('bars have a step each, also where there is no record', () => {
  const rows = [
    { time: 60_000_000, records: 2, error: 2, warn: 0, info: 0, debug: 0 },
    { time: 180_000_000, records: 3, error: 0, warn: 0, info: 0, debug: 0 },
  ];
  const { bars, total, totals } = histogramOfCounts(rows, {
    fromMs: 60_000,
    toMs: 239_999,
    stepMs: 60_000,
  });
  expect(bars.map(({ atMs, counts }) => [atMs, counts.error, counts.other])).toEqual([
    [60_000, 2, 0],
    [120_000, 0, 0],
    [180_000, 0, 3],
  ]);
  expect([total, totals.error, totals.other]).toEqual([5, 2, 3]);
});

test.each([
  ['a minute', 60_000, 1_000_000],
  ['an hour', 3_600_000, 60_000_000],
  ['a week', 7 * 86_400_000, 3 * 3_600_000_000],
])('the step of %s is round', (_what, length, step) => {
  expect(stepFor(0, length)).toBe(step);
});

describe('the table of records', () => {
  const roles = findRoles(fields) ?? { time: '', message: '' };
  const later = { ...row, id: 'b', timestamp: row.timestamp + 1_000_000, metadata: [] };
  const columnsOf = (rows: readonly (typeof row)[], added: readonly string[] = []) =>
    recordColumns({ roles, columns: fields, rows, added, zone: 'utc' });

  test('has time, status, added fields and the message', () => {
    const columns = columnsOf([row, later], ['metadata.request.path', 'metadata.gone']);
    expect(columns.map(({ title }) => title)).toEqual([
      'Time, 10 Mar',
      'Status',
      'request.path',
      'Message',
    ]);
    expect(columns.map(({ print }) => print(row))).toEqual(['11:57:45.730', '503', '/x', 'hello']);
  });

  test('says the day in each row where there are several, and no milliseconds where all are 0', () => {
    const whole = { ...row, timestamp: 1_773_143_865_000_000 };
    const [time] = columnsOf([whole, { ...whole, timestamp: 1_773_043_865_000_000 }]);
    expect([time?.title, time?.print(whole)]).toEqual(['Time, 2026', '03-10 11:57:45']);
    const [other] = columnsOf([whole, { ...whole, timestamp: 1_673_043_865_000_000 }]);
    expect([other?.title, other?.print(whole)]).toEqual(['Time', '2026-03-10 11:57:45']);
  });

  test('of other rows has no milliseconds where all are 0, either', () => {
    const hours = [{ hour: 1_773_140_400_000_000 }, { hour: null }];
    const [hour] = plainColumns([scalar('hour', 'TIMESTAMP')], hours, 'utc');
    expect(hours.map((one) => hour?.print(one))).toEqual(['2026-03-10 11:00:00', 'NULL']);
    const [exact] = plainColumns([scalar('hour', 'TIMESTAMP')], [...hours, { hour: 1500 }], 'utc');
    expect(exact?.print({ hour: 1500 })).toBe('1970-01-01 00:00:00.001');
  });

  test('is sorted by a column, NULLs last', () => {
    const columns = columnsOf([row, later]);
    const sorted = sortRows([later, row], columns, { key: '(status)', order: 'ascending' });
    expect(sorted.map(({ id }) => id)).toEqual(['a', 'b']);
  });

  test('has a key for each record', () => {
    expect(keyOfRow(row)).toBe('1773143865730556.a');
    expect(rowOfKey([later, row], keyOfRow(row))).toBe(row);
    expect(rowOfKey([row], '')).toBeUndefined();
  });
});

test('the field whose value is written at the cursor', () => {
  const lql = 'f:edge_logs -m.response.status_code:>=5';
  expect(valuePlaceInLql(lql, lql.length, [edgeLogs])).toMatchObject({ from: lql.length - 1 });
  expect(valuePlaceInLql('f:edge_logs nothing:', 20, [edgeLogs])).toBeUndefined();
  const sql = "select * from edge_logs where event_message = 'a";
  const place = valuePlaceInSql(sql, sql.length, [edgeLogs]);
  expect(place).toMatchObject({ from: sql.length - 2, table: edgeLogs });
  expect(place?.print("o'b")).toBe("'o\\'b'");
});
