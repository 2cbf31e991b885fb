import { describe, expect, test } from 'vitest';
import { createBigQueryTarget } from '../../../src/bigquery/target/target.js';
import { createCompiler } from '../../../src/compiler/compile.js';
import { webSource } from '../../support/web-source.js';

const target = createBigQueryTarget({ tables: 'logs.{source}', sandbox: true });
const compiler = createCompiler([webSource('struct')], { target });
const endpoint = {
  name: 'web',
  sql: `with web as (select t.id, t.timestamp, t.tags, t.metadata, t.items from \`logs.web\` as t
    where t.project = @project) select id, timestamp, metadata from web order by timestamp desc`,
  maxRows: 10,
  parameters: [{ name: 'project', type: 'string' }],
} as const;

function print(text?: string): string {
  const sandbox = text === undefined ? undefined : ({ language: 'sql', text } as const);
  return compiler.compile(endpoint, sandbox, { redact: true }).sql;
}

/** The fields of records whose texts are redacted before the caller's query reads them. */
function fieldsRead(text: string): readonly string[] {
  const rows = print(text).split('`web_2` AS (')[1]?.split('\n)\n')[0] ?? '';
  return [...rows.matchAll(/redact\(t\d+\.`(level|path|method|name)`\)/g)].map(
    ([, name = '']) => name,
  );
}

describe("a caller's query reads redacted rows", () => {
  test.each([
    ['select m.level from web, unnest(metadata) as m', ['level']],
    ['select r.path from web, unnest(metadata) as m, unnest(m.request) as r', ['path']],
    ['select count(*) as n from web, unnest(metadata) as m', []],
    ['select (select max(i.name) from unnest(t.items) as i) as x from web as t', ['name']],
    [
      'select id from web as t where exists (select 1 from t.metadata as m where m.level = @project)',
      ['level'],
    ],
    ['select metadata[safe_offset(0)].level as x from web', ['level', 'path', 'method']],
    ['select m from web, unnest(metadata) as m', ['level', 'path', 'method']],
    ['select m.request from web, unnest(metadata) as m', ['path', 'method']],
    ['select t from web as t', ['level', 'path', 'method', 'name']],
    ['select * from web', ['level', 'path', 'method', 'name']],
    [
      'with c as (select * from web) select m.status from c, c.metadata as m',
      ['level', 'path', 'method', 'name'],
    ],
    ['from web |> cross join unnest(items) as i |> select i.price', []],
    ['select to_json_string(metadata) as x from web', ['level', 'path', 'method']],
    [
      'select a.id from web as a left join web as b on a.id = b.id, unnest(b.metadata) as m where m.level is null',
      ['level'],
    ],
    [
      'select m.status from web, unnest(metadata) as m union all select i.price from web, unnest(items) as i',
      [],
    ],
    [
      'select array_agg(m.level order by m.status) as x from web left join unnest(metadata) as m on true group by id',
      ['level'],
    ],
  ] as const)('%s', (sql, fields) => {
    expect(fieldsRead(sql)).toEqual(fields);
  });

  test('and its answer is redacted, too', () => {
    expect(print("select '1.2.3.4' as x from web")).toMatch(
      /^WITH `web` AS .*\nSELECT redact\(t\d+\.`c\d+`\)/s,
    );
  });

  test('recursive CTEs stay outside', () => {
    const sql = `with recursive r as (select 'a' as x union all select x || 'a' from r where length(x) < 3)
      select x from r order by length(x)`;
    const printed = print(sql);
    expect(printed).toMatch(/^WITH RECURSIVE `r` AS/);
    expect(printed.match(/WITH/g)).toHaveLength(1);
  });
});

describe('a stored query', () => {
  test('is ordered by the values themselves', () => {
    expect(print()).toMatch(
      /^WITH `web` AS .*\nSELECT redact\(t3\.`c\d+`\) AS c\d+, .*\nORDER BY t3\.`c\d+` DESC\nLIMIT 11$/s,
    );
  });

  test('matches redacted values against its parameters, but compares whole fields as they are', () => {
    const sql = `select t.id from \`logs.web\` as t
      where t.project = @project and starts_with(t.id, @project) and lower(t.id) <> @project`;
    const printed = compiler.compile({ ...endpoint, sql }, undefined, { redact: true }).sql;
    expect(printed).toContain('t1.`project` = @p_project');
    expect(printed).toContain('STARTS_WITH(redact(t1.`id`), @p_project)');
    expect(printed).toContain('redact(LOWER(t1.`id`)) <> @p_project');
  });
});

describe('a stored query with parameters or orders', () => {
  const redacted = (sql: string) =>
    compiler.compile({ ...endpoint, sql }, undefined, { redact: true }).sql;

  test.each([
    'select id from `logs.web` where coalesce(@project, project) = project',
    'select upper(concat(id, @project)) as x from `logs.web`',
    'select timestamp from `logs.web` where substr(id, 1, 3) in (select @project)',
    'select timestamp from `logs.web` where @project in (select substr(id, 1, 3) from `logs.web`)',
    'with w as (select * from `logs.web` where project = @project) select concat(w.id, (select min(id) from w)) as x from w',
  ])('that matches a parameter with a column: %s', (sql) => {
    expect(redacted(sql)).toContain('redact(');
  });

  test.each([
    'select distinct id from `logs.web` order by upper(id)',
    'select distinct project, count(*) as n from `logs.web` group by project order by -count(*), project',
    'select id from `logs.web` union all select project from `logs.web` order by upper(id) limit 3',
  ])('that is ordered by expressions over its rows: %s', (sql) => {
    expect(redacted(sql)).toMatch(/ORDER BY t\d+\.`c\d+`/);
  });

  test('compares whole fields as they are', () => {
    const sql = 'select timestamp from `logs.web` where project in (select @project)';
    expect(redacted(sql)).not.toContain('redact(');
  });

  test('repeats no expression', () => {
    const nested = (depth: number) =>
      `select array_length(${'array_reverse('.repeat(depth)}split(id, @project)${')'.repeat(depth)}) as n from \`logs.web\``;
    expect(redacted(nested(12)).length).toBeLessThan(3 * redacted(nested(6)).length);
  });
});
