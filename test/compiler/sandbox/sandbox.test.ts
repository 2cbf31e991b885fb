import { describe, expect, test } from 'vitest';
import { confine } from '../../../src/compiler/sandbox/sandbox.js';
import { parse } from '../../../src/compiler/syntax/syntax.js';
import { admitSandbox, maxSandboxBytes } from '../../../src/endpoint/admit-sandbox.js';
import { ServiceError } from '../../../src/errors/errors.js';
import { QueryFault } from '../../../src/errors/query-fault.js';
import { scalar } from '../../../src/types/types.js';

const allowed = {
  tables: ['edge_logs', 'Other_Logs'],
  parameters: new Map([['project', scalar('STRING')]]),
};

/** `ok`, or the reason of the fault and the text at its offset. */
function verdict(text: string): string {
  try {
    confine(parse(text), allowed);
    return 'ok';
  } catch (fault) {
    if (!(fault instanceof QueryFault)) throw fault;
    return `${fault.reason} at ${text.slice(fault.at).slice(0, 12)}`;
  }
}

describe('accepts', () => {
  test.each([
    'select 1',
    'select id from edge_logs',
    'select id from EDGE_LOGS',
    'select id from `edge_logs`',
    'select id from other_logs as o',
    'select @project, @PROJECT',
    'with a as (select 1 as x), b as (select x from a) select x from b',
    'with edge_logs as (select id from edge_logs) select id from edge_logs',
    'with a as (with b as (select 1 as x) select x from b) select x from a',
    'select id from edge_logs as e, e.metadata as m, m.request',
    'select id from edge_logs, edge_logs.metadata',
    'select id from edge_logs as e, unnest(e.metadata) as m',
    'select (select 1 from e.metadata) from edge_logs as e',
    'select id from edge_logs as e where exists (select 1 from e.metadata as m, m.request)',
    'select id from (edge_logs as e join other_logs as o on e.id = o.id)',
    'select count(*) over w from edge_logs window w as (partition by id)',
    'select * except (id) replace (1 as x) from edge_logs order by 1 limit 1 offset 1',
    'select safe.substr(id, 1), net.host(id) from edge_logs',
    'select 1 union all (select 2 intersect distinct select 3)',
    'select x.a from (select 1 as a) as x',
  ])('%s', (sql) => {
    expect(verdict(sql)).toBe('ok');
  });
});

describe('refuses', () => {
  test.each([
    ['select id from secret', 'accessDenied at secret'],
    ['select id from logs.edge_logs', 'accessDenied at logs.edge_lo'],
    ['select id from `logs.edge_logs`', 'accessDenied at `logs.edge_l'],
    ['select id from edge_logs, secret', 'accessDenied at secret'],
    ['select id from secret as edge_logs', 'accessDenied at secret as ed'],
    ['select id from edge_logs as e join e on true', 'accessDenied at e on true'],
    ['select id from edge_logs as e, (select 1 from e.metadata)', 'accessDenied at e.metadata)'],
    ['select id from edge_logs as e, (select 1 from e)', 'accessDenied at e)'],
    ['select id from e.metadata, edge_logs as e', 'accessDenied at e.metadata, '],
    ['select 1 where exists (select 1 from secret)', 'accessDenied at secret)'],
    ['select 1 union all select 1 from secret', 'accessDenied at secret'],
    ['with a as (select 1 from b), b as (select 1) select 1', 'accessDenied at b), b as (se'],
    ['with a as (select 1 from a) select 1', 'accessDenied at a) select 1'],
    ['select (with a as (select 1) select 1 from a) from a', 'accessDenied at a'],
    ['with a as (select 1 as x) select 1 from a.x', 'accessDenied at a.x'],
    ['select 1 as `__proto__`', 'accessDenied at `__proto__`'],
    ['select struct(1 as __Proto__)', 'accessDenied at __Proto__)'],
    ['select 1 from edge_logs order by session_user()', 'accessDenied at session_user'],
    ['select 1 from edge_logs order by getenv(1)', 'invalidQuery at getenv(1)'],
    ['select bq.fail(1)', 'invalidQuery at bq.fail(1)'],
    ['select @other', 'invalidQuery at @other'],
    ['select 1 from edge_logs limit @other', 'invalidQuery at @other'],
  ])('%s', (sql, expected) => {
    expect(verdict(sql)).toBe(expected);
  });
});

const many = (count: number, text: (index: number) => string, separator = ', ') =>
  Array.from({ length: count }, (_, index) => text(index)).join(separator);

describe('accepts a query at the limit, and refuses one beyond it', () => {
  test.each([
    // The other five are the query, its SELECT, the item, IN and its operand.
    ['5,000 parts', 4_995, (n: number) => `select 1 in (${many(n, () => '1')})`],
    ['32 joins', 32, (n: number) => `select 1 from edge_logs${many(n, () => ', edge_logs', '')}`],
    ['32 joins in brackets', 32, joinedInBrackets],
    ['32 joins of arrays', 32, joinedArrays],
    ['6 levels', 6, (n: number) => `${'select ('.repeat(n)}select 1${')'.repeat(n)}`],
    [
      '6 levels in FROM',
      6,
      (n: number) => `${'select 1 from ('.repeat(n)}select 1${')'.repeat(n)}`,
    ],
    [
      '6 levels of CTEs',
      6,
      (n: number) => `${'with a as ('.repeat(n)}select 1${') select 1'.repeat(n)}`,
    ],
    ['64 CTEs', 64, (n: number) => `with ${many(n, (i) => `c${i} as (select 1)`)} select 1`],
    ['a name of 300 bytes', 300, (n: number) => `select 1 as ${'a'.repeat(n)}`],
    ['a name of 300 bytes of UTF-8', 150, (n: number) => `select 1 as \`${'é'.repeat(n)}\``],
    ['a CTE of 300 bytes', 300, (n: number) => `with ${'a'.repeat(n)} as (select 1) select 1`],
    // The literal in the middle is the sixtieth level.
    ['59 brackets', 59, (n: number) => `select ${'('.repeat(n)}1${')'.repeat(n)}`],
    ['59 arrays', 59, (n: number) => `select ${'['.repeat(n)}1${']'.repeat(n)}`],
    ['59 calls', 59, (n: number) => `select ${'abs('.repeat(n)}1${')'.repeat(n)}`],
    ['59 signs', 59, (n: number) => `select ${'- '.repeat(n)}1`],
    ['59 NOTs', 59, (n: number) => `select ${'not '.repeat(n)}true`],
  ])('%s', (_title, limit, sqlOf) => {
    expect(verdict(sqlOf(limit))).toBe('ok');
    expect(verdict(sqlOf(limit + 1))).toMatch(/^(resourcesExceeded|invalidQuery) at /);
  });

  test.each([
    ['AND', 'true'],
    ['OR', 'true'],
    ['+', '1'],
    ['||', "''"],
  ])('a chain of %s does not count as nesting', (operator, operand) => {
    expect(verdict(`select ${many(2_000, () => operand, ` ${operator} `)}`)).toBe('ok');
  });

  test('64 KiB of text', () => {
    const endpoint = {
      ...{ name: 'x', id: '', maxRows: 1, caching: { ttlSeconds: 0, warmSeconds: 0 } },
      ...{ sandbox: true, redactPii: false, parameters: [], sql: '', file: '' },
    };
    const admit = (bytes: number) => () =>
      admitSandbox(endpoint, { language: 'sql', text: 'é'.repeat(bytes / 2) });
    expect(maxSandboxBytes).toBe(65_536);
    expect(admit(65_536)).not.toThrow();
    expect(admit(65_538)).toThrow(ServiceError);
  });
});

function joinedInBrackets(joins: number): string {
  // Each half is in brackets, with one join between them.
  const half = (count: number) => `(edge_logs${many(count, () => ' cross join edge_logs', '')})`;
  return `select 1 from ${half(15)} cross join ${half(joins - 16)}`;
}

function joinedArrays(joins: number): string {
  return `select 1 from edge_logs as e${many(joins, () => ' left join unnest(e.metadata)', '')}`;
}
