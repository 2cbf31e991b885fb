import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadFolder, loadLines, makeFolder, storedFields } from '../../support/load-logs.js';
import { createRefreshFixture, line } from '../../support/refresh-fixture.js';
import { inScratch } from '../../support/scratch-database.js';
import { startService, token } from '../../support/start-service.js';

const timestamp = '2026-03-10T12:00:00Z';

describe('a key that contains an address does not become a field name', () => {
  test.each([
    ['an e-mail address', { 'jane@example.com': 1 }],
    ['an IPv4 address', { '10.0.0.1': { n: 1 } }],
    ['an IPv6 address', { 'fe80::1': [1, 2] }],
    ['an escaped one', { 'jane%40example%2Ecom': null }],
    ['one among other text', { 'mail to jane@example.com': 1 }],
    ['one in an array', [{ 'jane@example.com': 1 }, { 'jim@example.com': 2 }]],
    ['one in every line', { 'jane@example.com': 1 }, { '::1': { y: 1 } }],
  ])('%s: an undeclared object without other keys is text', async (_what, ...values) => {
    const lines = values.map((who, n) => ({
      id: `${n}`,
      timestamp,
      metadata: { a: { who } },
      who,
    }));
    const report = await loadLines(lines);
    expect(storedFields(report, 'edge_logs')).toContain('who STRING');
    expect(storedFields(report, 'edge_logs')).toContain('metadata.a.who STRING');
    const rows = await report.rows('edge_logs', 'who as one, metadata.a.who as other');
    const texts = values.map((value) => JSON.stringify(value));
    expect(rows).toEqual(texts.map((text) => ({ one: text, other: text })));
    expect(report.warnings).toEqual([]);
  });

  test('an object is text even if the key is written with a JSON escape', async () => {
    const who = String.raw`{"jane\u0040example.com":1}`;
    const report = await loadLines([`{"id":"a","timestamp":1,"who":${who}}`]);
    expect(storedFields(report, 'edge_logs')).toContain('who STRING');
    const [row] = await report.rows('edge_logs', 'who');
    expect(row).toEqual({ who: '{"jane@example.com":1}' });
  });

  test('records stay records, with such keys in one text', async () => {
    const person = { 'jane@example.com': 1 };
    const request = { path: '/a', ...person, host: 'h' };
    const who = [{ ...person, n: 1 }, { n: 2 }];
    const report = await loadLines([
      { id: 'a', timestamp, ...person, metadata: { ...person, x: 1, request, who } },
    ]);
    const _other_fields = JSON.stringify(person);
    expect(await report.rows('edge_logs', 'metadata, _other_fields')).toEqual([
      {
        metadata: {
          request: { host: 'h', path: '/a', _other_fields },
          x: '1',
          who: [
            { n: '1', _other_fields },
            { n: '2', _other_fields: null },
          ],
          _other_fields,
        },
        _other_fields,
      },
    ]);
    expect(storedFields(report, 'edge_logs').join(' ')).not.toContain('@');
    expect(report.warnings).toEqual([]);
  });

  test('a record with no other key is empty, not NULL', async () => {
    const report = await loadLines([
      { id: 'a', timestamp, metadata: { 'jane@example.com': 1 } },
      { id: 'b', timestamp },
    ]);
    const rows = await report.rows('edge_logs', 'metadata is null as n');
    expect(rows).toEqual([{ n: false }, { n: true }]);
  });

  test('the report of a bad value below it does not quote it', async () => {
    const metadata = { request: { path: { 'jane@example.com': {} } }, a: { 'b@b.co': { c: 1 } } };
    const report = await loadLines([{ id: 'a', timestamp, metadata }]);
    expect(JSON.stringify([report.files, report.warnings])).not.toContain('@');
  });
});

test.each([
  [
    'structs',
    `{a: {'jane@example.com': 1, 'x': 2}, request: {path: '/a', '10.0.0.1': 1}} as metadata`,
  ],
  ['lists', `[{a: [{'jane@example.com': 1}], request: [{path: '/a', '::1': 1}]}] as metadata`],
  ['columns', `{'jane@example.com': 1} as who, 1 as "jane@example.com", {path: 1} as "10.0.0.1"`],
  ['maps', `map {'jane@example.com': 1} as who, {m: map {'::1': 1}} as metadata`],
])('%s in Parquet is stored as in JSON', async (_name, columns) => {
  const folder = makeFolder({});
  const record = `select 'a' as id, timestamptz '2026-01-01 00:00:00+00' as timestamp, ${columns}`;
  const text = await inScratch(async (connection) => {
    await connection.run(`copy (${record}) to '${folder}/t.parquet' (format parquet)`);
    const reader = await connection.runAndReadAll(`select to_json(t)::varchar from (${record}) t`);
    return String(reader.getRowsJson()[0]?.[0]);
  });
  const parquet = readFileSync(join(folder, 't.parquet'));
  const typed = await loadFolder(makeFolder({ 'edge_logs.parquet': parquet }));
  const read = await loadFolder(makeFolder({ 'edge_logs.ndjson': text }));
  expect(await typed.rows('edge_logs')).toEqual(await read.rows('edge_logs'));
  expect(typed.sources).toEqual(read.sources);
  expect(typed.warnings).toEqual(read.warnings);
  expect(storedFields(typed, 'edge_logs').join(' ')).not.toMatch(/@|::1|10\.0/);
});

describe('a file that is appended to', () => {
  const edge = 'edge_logs/a.ndjson';
  // Enough records for a part that is kept when more is appended.
  const plain = Array.from({ length: 3_100 }, (_, id) =>
    line(id, { who: { x: id }, metadata: { x: 1 } }),
  ).join('');
  const person = { 'jane@example.com': 1 };

  test.each([
    ['an undeclared object', { who: person }],
    ['a declared record', { metadata: { ...person, x: 2 } }],
    ['the record', person],
  ])('%s with such a key: as in a load of everything', async (_what, more) => {
    const fixture = createRefreshFixture({ [edge]: plain });
    await fixture.refresh();
    appendFileSync(fixture.path(edge), line(3, more));
    const { loads } = await fixture.refresh();
    expect(loads).toEqual([`${edge} from ${Buffer.byteLength(plain)}`]);
    const reloaded = await fixture.reload();
    expect(await fixture.rowsOf()).toEqual(await fixture.rowsOf(reloaded));
    expect(fixture.shown()).toEqual(fixture.shown(reloaded));
    expect(fixture.manifest().warnings).toEqual(reloaded.warnings);
    appendFileSync(fixture.path(edge), line(4, { who: { x: 4 } }));
    await fixture.refresh();
    expect(fixture.shown()).toEqual(fixture.shown(await fixture.reload()));
    fixture.remove();
  });

  test('is a record again after the file with the address was removed', async () => {
    const other = 'edge_logs/b.ndjson';
    const fixture = createRefreshFixture({ [edge]: plain, [other]: line(3, { who: person }) });
    await fixture.refresh();
    rmSync(fixture.path(other));
    writeFileSync(fixture.path('edge_logs/c.ndjson'), line(5, { who: { x: 5 } }));
    await fixture.refresh();
    expect(fixture.shown()).toEqual(fixture.shown(await fixture.reload()));
    expect(await fixture.rowsOf()).toEqual(await fixture.rowsOf(await fixture.reload()));
    fixture.remove();
  });
});

test('such an object is redacted like any text, also when the whole record is returned', async () => {
  const who = { 'jane@example.com': { ip: '10.0.0.1' }, 'jane%40example%2Ecom': 1 };
  const record = { id: 'a', timestamp, project: 'acme', metadata: [{ a: { who } }] };
  const data = makeFolder({ 'edge_logs.ndjson': `${JSON.stringify(record)}\n` });
  const service = await startService(['--data', data, '--now', '2026-03-10T13:00:00Z']);
  const query = new URLSearchParams({
    project: 'acme',
    sql: 'select t.metadata, m.a[safe_offset(0)].who as who from edge_logs as t cross join unnest(t.metadata) as m',
  });
  const headers = { 'x-api-key': token, 'svc-endpoint-redact-pii': 'true' };
  const answer = await fetch(`${service.url}/api/endpoints/query/logs.all?${query}`, { headers });
  const text = '{"REDACTED":{"ip":"REDACTED"},"REDACTED":1}';
  expect(await answer.json()).toEqual({
    result: [{ metadata: [{ a: [{ who: text }] }], who: text }],
  });
  await service.stop();
});
