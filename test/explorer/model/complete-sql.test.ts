import { describe, expect, test } from 'vitest';
import { completeLql } from '../../../src/explorer/model/complete-lql.js';
import {
  completeSql,
  completionEdits,
  type Suggestion,
} from '../../../src/explorer/model/complete-sql.js';
import { applyEdits } from '../../../src/explorer/model/mend.js';
import { edgeLogs } from '../tables.js';

const vocabulary = {
  tables: [edgeLogs],
  functions: [
    { name: 'UPPER', signatures: ['UPPER(STRING) -> STRING'], description: 'In capitals.' },
  ],
};

/** The suggestions where the text has a `|`. */
function complete(marked: string): readonly Suggestion[] {
  return completeSql(marked.replace('|', ''), marked.indexOf('|'), vocabulary).options;
}

/** The text after a suggestion was chosen; `typed` is what the user typed while the list was open. */
function choose(marked: string, label: string, typed = ''): string {
  const at = marked.indexOf('|');
  const { from, options } = completeSql(marked.replace('|', ''), at, vocabulary);
  const option = options.find((one) => one.label === label);
  if (option === undefined) return `no ${label}`;
  const edits = completionEdits(option, { from, to: at + typed.length }, at);
  const last = edits.toSorted((a, b) => b.from - a.from);
  return applyEdits(marked.replace('|', typed), last);
}

describe('SQL', () => {
  test('after FROM and JOIN come the tables, and the CTEs of the text', () => {
    const options = complete('with busy as (select 1) select * from |');
    expect(options.map(({ label }) => label)).toEqual(['busy', 'edge_logs', 'unnest']);
  });

  test('an alias after a comma is no CTE', () => {
    const options = complete('select id, status as s from |');
    expect(options.map(({ label }) => label)).toEqual(['edge_logs', 'unnest']);
    const names = complete('select 1 from a as e, edge_logs as l where |').map(
      ({ label }) => label,
    );
    expect(names).toContain('event_message');
    const joined = 'select path| from a as e, edge_logs as l';
    expect(choose(joined, 'metadata.request.path')).toBe(
      'select request.path from a as e, edge_logs as l\ncross join unnest(metadata) as m\ncross join unnest(m.request) as request',
    );
  });

  const busy =
    'with busy as (select id as who, count(*) as n, timestamp from edge_logs group by 1, 3)';
  const columnsAt = (marked: string) =>
    complete(marked)
      .filter(({ kind }) => kind === 'column')
      .map(({ label, detail }) => `${label} ${detail}`);

  test.each([
    ['a CTE', `${busy} select | from busy`, ['who STRING', 'n column', 'timestamp TIMESTAMP']],
    [
      'a CTE with an alias',
      `${busy} select b.| from busy as b`,
      ['b.who STRING', 'b.n column', 'b.timestamp TIMESTAMP'],
    ],
    [
      'a CTE that reads all of another',
      `${busy}, more as (select * from busy) select | from more`,
      ['who STRING', 'n column', 'timestamp TIMESTAMP'],
    ],
    [
      'a CTE with the name of a table',
      'with edge_logs as (select id from edge_logs) select | from edge_logs',
      ['id STRING'],
    ],
  ])('the columns of %s are those of its SELECT list', (_what, marked, expected) => {
    expect(columnsAt(marked)).toEqual(expected);
  });

  test('inside of a CTE, its name is that of the table', () => {
    const columns = columnsAt('with edge_logs as (select | from edge_logs) select 1');
    expect(columns).toContain('event_message STRING');
  });

  test('SELECT comes before columns, and after it no keyword that cannot follow', () => {
    const kinds = (marked: string, kind: string) =>
      complete(marked)
        .filter((one) => one.kind === kind)
        .map(({ label }) => label);
    expect(kinds('s|', 'column')).toEqual([]);
    expect(kinds('s|', 'keyword')).toContain('select');
    expect(kinds('select u|', 'keyword')).not.toContain('using');
    expect(kinds('select u|', 'keyword')).not.toContain('unnest');
    expect(kinds('select u|', 'column')).toContain('id');
    expect(kinds('select id f|', 'keyword')).toContain('from');
  });

  test('columns and functions come with their types and signatures', () => {
    const options = complete('select | from edge_logs');
    expect(options).toContainEqual({ label: 'timestamp', kind: 'column', detail: 'TIMESTAMP' });
    expect(options.find(({ label }) => label === 'upper')).toMatchObject({
      insert: 'upper()',
      detail: '(STRING) -> STRING',
      info: 'In capitals.\nUPPER(STRING) -> STRING',
    });
  });

  test.each([
    [
      'a path writes the joins that it needs',
      'select path| from edge_logs where true',
      'metadata.request.path',
      'select request.path from edge_logs\ncross join unnest(metadata) as m\ncross join unnest(m.request) as request where true',
    ],
    [
      'joins that are there are used',
      'select host| from edge_logs cross join unnest(metadata) as x cross join unnest(x.request) as r',
      'metadata.request.headers.host',
      'select headers.host from edge_logs cross join unnest(metadata) as x cross join unnest(x.request) as r\ncross join unnest(r.headers) as headers',
    ],
    [
      'a second record of a name gets another alias',
      'select headers.host, da| from edge_logs cross join unnest(metadata) as m cross join unnest(m.request) as r cross join unnest(r.headers) as headers',
      'metadata.response.headers.date',
      'select headers.host, response_headers.date from edge_logs cross join unnest(metadata) as m cross join unnest(m.request) as r cross join unnest(r.headers) as headers\ncross join unnest(m.response) as response\ncross join unnest(response.headers) as response_headers',
    ],
    [
      'joins go into the SELECT of the cursor',
      'select * from (\n  select path|\n  from edge_logs as t\n) as x',
      'metadata.request.path',
      'select * from (\n  select request.path\n  from edge_logs as t\n  cross join unnest(metadata) as m\n  cross join unnest(m.request) as request\n) as x',
    ],
    [
      'FROM and joins go into a sub-select that has none',
      'select * from (\n  select path|\n) as x where true',
      'metadata.request.path',
      'select * from (\n  select request.path\n  from edge_logs\n  cross join unnest(metadata) as m\n  cross join unnest(m.request) as request\n) as x where true',
    ],
    [
      'a column of a sub-select writes its FROM there',
      'select id from edge_logs where id in (select lower(i|)) limit 5',
      'id',
      'select id from edge_logs where id in (select lower(id)\nfrom edge_logs) limit 5',
    ],
    [
      'FROM comes after the SELECT list, and before a semicolon',
      'select i|, event_message;',
      'id',
      'select id, event_message\nfrom edge_logs;',
    ],
  ])('%s', (_what, marked, label, expected) => {
    expect(choose(marked, label)).toBe(expected);
  });

  test.each([
    [
      'select p| from edge_logs',
      'select request.path from edge_logs\ncross join unnest(metadata) as m\ncross join unnest(m.request) as request',
    ],
    [
      'select id from edge_logs where p| is null',
      'select id from edge_logs\ncross join unnest(metadata) as m\ncross join unnest(m.request) as request where request.path is null',
    ],
  ])('joins find their place after the user typed on: %s', (marked, expected) => {
    expect(choose(marked, 'metadata.request.path', 'ath')).toBe(expected);
  });

  test('the fields of an unnested record have its alias', () => {
    const options = complete(
      'select | from edge_logs, unnest(metadata) as m, unnest(m.request) as r',
    );
    expect(options).toContainEqual({ label: 'r.path', kind: 'column', detail: 'STRING' });
  });

  test('an unclosed text after the cursor hides nothing before it', () => {
    const labels = complete("select | from edge_logs where id = 'x").map(({ label }) => label);
    expect(labels).toContain('event_message');
  });
});

describe('LQL', () => {
  test.each([
    ['f:', 'edge_logs', 2],
    ['f:edge_logs m.resp', 'm.response.status_code', 12],
    ['-m.req', 'm.request.path', 1],
    ['s:m', 'm.request.path', 2],
  ])('%s suggests %s', (text, label, from) => {
    const suggestions = completeLql(text, text.length, vocabulary);
    expect(suggestions.from).toBe(from);
    expect(suggestions.options.map((option) => option.label)).toContain(label);
  });
});
