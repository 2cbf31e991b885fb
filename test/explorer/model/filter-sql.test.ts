import { describe, expect, test } from 'vitest';
import type { AnswerValue } from '../../../src/explorer/model/endpoint.js';
import { filterLevel } from '../../../src/explorer/model/filter-level.js';
import { filterLql } from '../../../src/explorer/model/filter-lql.js';
import { filterSql } from '../../../src/explorer/model/filter-sql.js';
import { emptyState } from '../../../src/explorer/model/page-state.js';
import type { FieldSchema } from '../../../src/types/table-schema.js';
import { edgeLogs, endpoint, records, scalar } from '../tables.js';

const columns = edgeLogs.schema.fields;

function sql(
  text: string,
  names: string,
  value: AnswerValue,
  own: readonly FieldSchema[] = columns,
) {
  const wanted = { names: names.split('.'), value };
  return filterSql(text, wanted, [edgeLogs], own);
}

describe('a filter in SQL', () => {
  test.each<readonly [string, string, string, AnswerValue, string]>([
    [
      'joins a query without WHERE',
      'select id from edge_logs limit 5',
      'id',
      "o'1",
      "select id from edge_logs\nwhere id = 'o\\'1' limit 5",
    ],
    [
      'is added to WHERE',
      "select * from edge_logs where id > 'a' order by id",
      'id',
      'b',
      "select * from edge_logs where id > 'a'\n  and id = 'b' order by id",
    ],
    [
      'puts an OR in brackets',
      "select * from edge_logs where id = 'a' or id = 'c'",
      'id',
      'b',
      "select * from edge_logs where (id = 'a' or id = 'c')\n  and id = 'b'",
    ],
    [
      'leaves an OR in brackets alone',
      "select * from edge_logs where (id = 'a' or id = 'c')",
      'id',
      'b',
      "select * from edge_logs where (id = 'a' or id = 'c')\n  and id = 'b'",
    ],
    [
      'opens records that are not unnested',
      'select metadata from edge_logs',
      'metadata.request.path',
      '/x',
      "select metadata from edge_logs\nwhere exists (select 1 from unnest(metadata) as m cross join unnest(m.request) as request where request.path = '/x')",
    ],
    [
      'uses the joins of the query',
      'select metadata from edge_logs cross join unnest(metadata) as m cross join unnest(m.request) as r',
      'metadata.request.path',
      '/x',
      "select metadata from edge_logs cross join unnest(metadata) as m cross join unnest(m.request) as r\nwhere r.path = '/x'",
    ],
    [
      'compares a time',
      'select * from edge_logs',
      'timestamp',
      1773144000000000,
      'select * from edge_logs\nwhere timestamp = timestamp_micros(1773144000000000)',
    ],
    [
      'finds NULL',
      'select * from edge_logs',
      'event_message',
      null,
      'select * from edge_logs\nwhere event_message is null',
    ],
    [
      'finds an element of an array',
      'select * from edge_logs',
      'metadata.tags',
      'a',
      "select * from edge_logs\nwhere exists (select 1 from unnest(metadata) as m where 'a' in unnest(m.tags))",
    ],
    [
      'is appended to pipes',
      'from edge_logs |> limit 5;',
      'id',
      'a',
      "from edge_logs |> limit 5\n|> where id = 'a'",
    ],
    [
      'is not about words in texts and brackets',
      "select id, (select 1 from edge_logs where true) as n from edge_logs -- where\n where id != 'where or'",
      'id',
      'b',
      "select id, (select 1 from edge_logs where true) as n from edge_logs -- where\n where id != 'where or'\n  and id = 'b'",
    ],
    [
      'wraps a set operator',
      'select id from edge_logs union all select id from edge_logs',
      'id',
      'a',
      "select *\nfrom (\nselect id from edge_logs union all select id from edge_logs\n)\nwhere id = 'a'",
    ],
  ])('%s', (_what, text, names, value, expected) => {
    expect(sql(text, names, value)).toBe(expected);
  });

  test.each([
    ['select * from edge_logs', 'id', 'a', "select * from edge_logs\nwhere (id = 'a') is not true"],
    ['from edge_logs', 'id', null, 'from edge_logs\nwhere (id is null) is not true'],
    [
      'select id from edge_logs',
      'metadata.request.path',
      '/x',
      "select id from edge_logs\nwhere not exists (select 1 from unnest(metadata) as m cross join unnest(m.request) as request where request.path = '/x')",
    ],
  ])('leaves rows out: %s, %s', (text, names, value, expected) => {
    const wanted = { names: names.split('.'), value, isOut: true };
    expect(filterSql(text, wanted, [edgeLogs], columns)).toBe(expected);
  });

  test('wraps what is computed', () => {
    const text = 'select count(*) as n from edge_logs';
    const filtered = sql(text, 'n', 3, [scalar('n', 'INT64')]);
    expect(filtered).toBe(`select *\nfrom (\n${text}\n)\nwhere n = 3`);
  });

  test('filters a renamed field where it comes from', () => {
    const text = 'select r.path as p from edge_logs, unnest(metadata) as m, unnest(m.request) as r';
    expect(sql(text, 'p', '/x', [scalar('p')])).toBe(`${text}\nwhere r.path = '/x'`);
  });

  test('a record cannot be compared', () => {
    expect(sql('select * from edge_logs', 'metadata', null)).toBeUndefined();
  });
});

describe('a filter in LQL', () => {
  test.each<readonly [string, string, AnswerValue, string | undefined]>([
    ['f:edge_logs', 'metadata.request.path', 'a "b"', 'f:edge_logs m.request.path:"a \\"b\\""'],
    ['', 'id', '200', 'id:"200"'],
    [
      'f:edge_logs ',
      'metadata.response.status_code',
      500,
      'f:edge_logs m.response.status_code:500',
    ],
    ['f:edge_logs', 'event_message', null, 'f:edge_logs event_message:NULL'],
    ['f:edge_logs', 'timestamp', 1773144000000000, 'f:edge_logs t:1773144000000000'],
    ['f:edge_logs', 'metadata.tags', 'a', 'f:edge_logs m.tags:@>"a"'],
    ['c:count(*)', 'id', 'a', undefined],
  ])('%s with %s', (text, names, value, expected) => {
    expect(filterLql(text, { names: names.split('.'), value }, columns)).toBe(expected);
  });

  test('leaves rows out', () => {
    const wanted = { names: ['id'], value: 'a', isOut: true };
    expect(filterLql('f:edge_logs', wanted, columns)).toBe('f:edge_logs -id:"a"');
  });

  test('knows where a renamed field comes from', () => {
    const filtered = filterLql('s:m.request.path@p', { names: ['p'], value: '/' }, [scalar('p')]);
    expect(filtered).toBe('s:m.request.path@p m.request.path:"/"');
  });
});

describe('a filter on a level', () => {
  const ofStatus = { ...endpoint, sql: 'select id from edge_logs' };
  const fields = columns.filter(({ name }) => name !== 'metadata');
  const leveled = (...more: readonly FieldSchema[]) => {
    const tables = [{ name: 'shop', schema: { fields: [...fields, ...more] } }];
    return { ...endpoint, sql: 'select id from shop', tables };
  };
  const lql = (text: string) => ({ ...emptyState, language: 'lql', lql: text }) as const;

  test.each([
    ['error', false, 'f:edge_logs m.response.status_code:500..599'],
    ['warn', false, 'f:edge_logs m.response.status_code:400..499'],
    ['info', true, 'f:edge_logs -m.response.status_code:100..399'],
  ] as const)('is a range of statuses in LQL: %s, left out: %s', (level, isOut, expected) => {
    const patch = filterLevel(lql('f:edge_logs'), ofStatus, level, isOut);
    expect(patch).toEqual({ language: 'lql', lql: expected });
  });

  test('is a range of levels in LQL, if the server made the level', () => {
    const patch = filterLevel(lql('f:shop'), leveled(scalar('level')), 'error', false);
    expect(patch).toEqual({ language: 'lql', lql: 'f:shop level:error..emergency' });
  });

  test('is about the level that the server made, which has the status in it', () => {
    const scope = leveled(records('metadata', scalar('status', 'INT64')), scalar('level'));
    const patch = filterLevel(lql('f:shop id:"a"'), scope, 'warn', true);
    expect(patch).toEqual({ language: 'lql', lql: 'f:shop id:"a" -level:warning..warning' });
    const sql = 'select id from shop';
    const inSql = filterLevel({ ...emptyState, language: 'sql', sql }, scope, 'error', false);
    expect(inSql?.sql).toContain(`${sql}\nwhere ${inWords('shop.level')}'error'`);
    expect(inSql?.sql).not.toContain('status');
  });

  const inWords = (path: string) =>
    `regexp_replace(lower(cast(${path} as string)), r'[\\s\\[\\]()<>]', '') in (`;

  test.each([
    [
      'a field of a record',
      leveled(records('metadata', scalar('level'))),
      'metadata[safe_offset(0)].level',
    ],
    ['a declared column', leveled(scalar('level'), records('metadata', scalar('path'))), 'level'],
  ])('is SQL if %s may hold numbers for levels', (_what, scope, path) => {
    const { language, sql } = filterLevel(lql('f:shop'), scope, 'error', false) ?? {};
    expect(language).toBe('sql');
    expect(sql).toContain(`where ${inWords(`shop.${path}`)}'error'`);
    expect(sql).toContain("'50', '60')");
  });

  test('is about the table, whatever aliases its records have', () => {
    const scope = leveled(scalar('other'), records('metadata', scalar('level')));
    const joined = 'select id from shop as s cross join unnest(metadata) as metadata';
    const page = { ...emptyState, language: 'sql', sql: joined } as const;
    const { sql } = filterLevel(page, scope, 'debug', true) ?? {};
    const start = `${joined}\nwhere (${inWords('s.metadata[safe_offset(0)].level')}'debug', `;
    expect(sql?.slice(0, start.length)).toBe(start);
    expect(sql).toMatch(/'10', '20'\)\) is not true$/);
  });

  test('is SQL where a level and a status count', () => {
    const both = leveled(scalar('level'), scalar('status', 'INT64'));
    const patch = filterLevel(lql('f:shop id:"a"'), both, 'warn', true);
    expect(patch?.language).toBe('sql');
    expect(patch?.sql).toMatch(
      /WHERE id = 'a'\n {2}and \(case when .* end = 'warn'\) is not true/s,
    );
  });

  test('is added to SQL, and not to counts', () => {
    const page = {
      ...emptyState,
      language: 'sql',
      sql: 'select id from edge_logs limit 5',
    } as const;
    const { sql } = filterLevel(page, ofStatus, 'error', false) ?? {};
    const status = 'edge_logs.metadata[safe_offset(0)].response[safe_offset(0)].status_code';
    expect(sql).toBe(
      `select id from edge_logs\nwhere regexp_contains(cast(${status} as string), r'^5\\d\\d$') limit 5`,
    );
    const counts = { ...page, sql: 'select count(*) as n from edge_logs' };
    expect(filterLevel(counts, ofStatus, 'error', false)).toBeUndefined();
  });
});
