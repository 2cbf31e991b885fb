import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { judgeRecorded } from '../../scripts/judge/recorded.js';
import { openExchanges } from '../../scripts/judge/recorded-exchanges.js';

const folder = mkdtempSync(join(tmpdir(), 'recorded-'));

function record(name: string, files: Readonly<Record<string, string>>, expected: object): void {
  mkdirSync(join(folder, 'suite', name), { recursive: true });
  const all = { ...files, 'expected.json': JSON.stringify(expected) };
  for (const [file, text] of Object.entries(all))
    writeFileSync(join(folder, 'suite', name, file), text);
}

const integer = { name: 'n', type: 'INTEGER' };
const table = ['`$', '{DATASET}`.t'].join('');
const query = { 'query.sql': `SELECT n FROM ${table} ORDER BY n -- all of them\n` };
const setup = `CREATE TABLE ${table} (n INT64 NOT NULL, s STRING); INSERT INTO ${table} (n) VALUES (2), (1);`;

test('recorded answers are compared with those of this service', async () => {
  const rows = [{ n: 1 }, { n: 2 }];
  record('right', { ...query, 'setup.sql': setup }, { schema: [integer], rows });
  record('wrong', { ...query, 'setup.sql': setup }, { schema: [integer], rows: [{ n: 3 }] });
  record('order', { ...query, 'setup.sql': setup }, { schema: [integer], rows: rows.toReversed() });
  record('refused', { 'query.sql': 'select x' }, { error: { message_sample: 'Unrecognized' } });
  record('ours', { 'query.sql': 'select hll_count.init(1)' }, { schema: [integer], rows });
  record('script', { 'query.sql': 'select 1; select 2' }, { schema: [integer], rows });
  record('policy', { ...query, 'setup.sql': 'create row access policy p on t' }, { rows });
  const printed: string[] = [];
  const log = vi.spyOn(console, 'log').mockImplementation((line) => printed.push(String(line)));
  const shown = vi.spyOn(console, 'table').mockImplementation(() => {});
  const open = await judgeRecorded(folder, true);
  const [counts] = shown.mock.calls[0] ?? [];
  log.mockRestore();
  shown.mockRestore();
  expect(open).toBe(3);
  expect(counts.suite).toEqual({
    ...{ right: 1, wrong: 2, 'refused by both': 1, 'refused by us': 1, 'not asked': 2 },
  });
  expect(printed.map((line) => line.split('\n')[0])).toEqual([
    ...['wrong: suite/order', 'refused by us: suite/ours', 'not asked: suite/policy'],
    ...['not asked: suite/script', 'wrong: suite/wrong'],
  ]);
});

/** BigQuery's answer to a query, as a recorded exchange has it. */
const answered = {
  ...{ kind: 'bigquery#queryResponse', jobReference: '<*>', totalBytesProcessed: '<*>' },
  ...{ jobComplete: true, totalBytesBilled: '<*>', totalRows: '2', pageToken: '<*>' },
  schema: { fields: [{ name: 'n', type: 'INTEGER', mode: 'NULLABLE' }] },
  rows: [{ f: [{ v: '1' }] }],
};
const path = ['/bigquery/v2/projects/$', '{PROJECT}/queries'].join('');
const body = { query: 'select n from unnest([1, 2]) as n', maxResults: 1, useLegacySql: false };

test.each([
  ['the stand-in answers as BigQuery', path, answered, []],
  [
    'another value',
    path,
    { ...answered, totalRows: '3' },
    ['.body.totalRows is "3", the stand-in\'s "2"'],
  ],
  [
    'a part that only one of them has',
    path,
    { ...answered, pageToken: undefined, errors: [] },
    ['only the stand-in has .body.pageToken', 'the stand-in has no .body.errors'],
  ],
  ['a request that the engine does not send', `${path}/x/y`, answered, undefined],
])('recorded exchanges: %s', async (name, path, response, found) => {
  const own = join(folder, 'exchanges', name);
  mkdirSync(own, { recursive: true });
  writeFileSync(join(own, 'request.json'), JSON.stringify({ method: 'POST', path, body }));
  const expected = JSON.stringify({ http_status: 200, body: response });
  writeFileSync(join(own, 'expected_response.json'), expected);
  const exchanges = await openExchanges();
  expect(await exchanges.judge(own)).toEqual(found);
  await exchanges.close();
});
