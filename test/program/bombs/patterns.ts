import {
  type BombClass,
  bounded,
  many,
  refused,
  rows,
  stopped,
  text,
} from '../../support/bombs.js';

/** Regular expressions, LIKE, LQL, and oversized requests. */
export const patterns: readonly BombClass[] = [
  {
    class: 'regular expressions',
    why: 'RE2 is linear in the text, but a pattern may be large and slow to compile',
    bombs: [
      {
        name: 'counts of counts',
        sql: "select count(*) as n from edge_logs where regexp_contains(event_message, r'(a{1000}){1000}')",
        ends: refused,
      },
      {
        name: 'classes of all letters, counted',
        sql: `select count(*) as n from edge_logs where regexp_contains(event_message, r'${'[\\p{L}\\p{N}]{20}'.repeat(40)}')`,
        ends: refused,
      },
      {
        name: 'thousands of alternatives',
        sql: `select count(*) as n from ${rows(100_000)} where regexp_contains(${text(9_000, 'wx')}, r'${many(6_000, (i) => `w${i}y`, '|')}')`,
        ends: stopped,
      },
      {
        name: 'a chain of any',
        sql: `select count(*) as n from ${rows(100_000)} where regexp_contains(${text(90_000)}, r'${'(.*a)'.repeat(30)}$x')`,
        ends: stopped,
      },
      {
        name: 'a pattern for each row',
        sql: `select count(*) as n from ${rows(1_000_000)} where regexp_contains('aaaa', concat(r'(?i)\\pL{200}', cast(x as string)))`,
        ends: stopped,
      },
      {
        name: 'repeats of repeats replaced',
        sql: `select sum(length(regexp_replace(${text(500_000)}, r'(a*)*b', 'x'))) as n from ${rows(100_000)}`,
        ends: stopped,
      },
      {
        name: 'a replacement that grows',
        sql: "select length(regexp_replace(repeat('a', 100000), 'a', repeat('b', 1000))) as n",
        ends: refused,
      },
      {
        name: 'a group ten times over',
        sql: String.raw`select length(regexp_replace(repeat('a', 900000), '(a+)', r'\1\1\1\1\1\1\1\1\1\1')) as n`,
        ends: refused,
      },
      {
        name: 'nothing replaced a million times',
        sql: "select length(regexp_replace(repeat('a', 1000000), '', repeat('x', 1000))) as n",
        ends: [...stopped, 'invalidQuery'],
      },
      {
        name: 'a late occurrence',
        sql: `select sum(regexp_instr(${text(900_000, 'ab')}, 'a', 1, 300000)) as n from ${rows(10_000)}`,
        ends: stopped,
      },
      {
        name: 'a pattern as parameter, counts of counts',
        endpoint: 'usage.api-counts',
        parameters: { interval: 'daily', project: '((a{100}){9}.{100}){9}' },
        ends: ['invalid'],
      },
      {
        name: 'a pattern as parameter, a megabyte of brackets',
        endpoint: 'usage.api-counts',
        parameters: { interval: 'daily', project: '(a|'.repeat(300_000) },
        // On a busy machine, sending and reading it takes half a second.
        ends: ['invalid', 'timeout'],
      },
    ],
  },
  {
    class: 'LIKE',
    why: 'matching is exponential in mixed kinds of wildcards: their number is limited',
    bombs: [
      {
        name: 'thousands of wildcards',
        sql: `select count(*) as n from edge_logs where event_message like '${'%a'.repeat(5_000)}'`,
        ends: refused,
      },
      {
        name: 'thousands of mixed wildcards',
        sql: `select count(*) as n from edge_logs where event_message like '${'%_'.repeat(5_000)}'`,
        ends: refused,
      },
      {
        name: 'wildcards at the bound',
        sql: `select count(*) as n from ${rows(100_000)} where ${text(90_000, 'ab')} like concat(repeat('%a', 500), '%x')`,
        ends: stopped,
      },
      {
        name: 'mixed wildcards at the bound',
        sql: `select count(*) as n from ${rows(100_000)} where ${text(90_000)} like concat(repeat('%a_', 30), '%b')`,
        ends: stopped,
      },
      {
        name: 'a thousand patterns',
        sql: `select count(*) as n from ${rows(100_000)} where ${text(900)} like any (${many(1_000, (i) => `'%a%b${i}%c'`)})`,
        ends: stopped,
      },
    ],
  },
  {
    class: 'LQL',
    why: 'LQL becomes the same tree, with the same checks',
    bombs: [
      {
        name: 'brackets are text',
        lql: `${'('.repeat(20_000)}a${')'.repeat(20_000)}`,
        ends: bounded,
      },
      { name: 'too many words', lql: many(9_000, (i) => `w${i}`, ' '), ends: ['invalidQuery'] },
      {
        name: 'too many filters',
        lql: many(1_500, (i) => `m.request.path:"/${i}"`, ' '),
        ends: ['invalidQuery'],
      },
      {
        name: 'a hundred filters of patterns',
        lql: many(95, (i) => `m.request.path:~"(a{100}){9}${i}"`, ' '),
        ends: bounded,
      },
      {
        name: 'counts of counts',
        lql: 'm.request.path:~"(a{1000}){1000}"',
        ends: ['invalidQuery'],
      },
      { name: 'an open quote', lql: `"${'a'.repeat(60_000)}`, ends: ['invalidQuery'] },
      {
        name: 'a chart of every second since 1970',
        lql: 'c:count(*) c:group_by(t::second) t:1970-01-01..2037-01-01',
        ends: bounded,
      },
      { name: 'a text that is too long', lql: 'a'.repeat(70_000), ends: ['resourcesExceeded'] },
    ],
  },
  {
    class: 'requests',
    why: 'the size of a request is limited before it is read',
    bombs: [
      {
        name: 'SQL that is too long',
        sql: `select 1 as a /* ${'a'.repeat(70_000)} */`,
        ends: ['resourcesExceeded'],
      },
      {
        name: 'a body that is too long',
        sql: `select 1 as a /* ${'a'.repeat(1_100_000)} */`,
        ends: ['tooLarge'],
      },
      {
        name: 'a parameter of nearly a megabyte, forty times',
        parameters: { project: 'a'.repeat(900_000) },
        sql: `select concat(${many(40, () => '@project')}) as p from ${rows(1_000)}`,
        ends: stopped,
      },
      {
        name: 'thousands of parameters',
        parameters: Object.fromEntries(Array.from({ length: 40_000 }, (_, i) => [`p${i}`, 'x'])),
        sql: 'select 1 as a',
        ends: ['tooLarge'],
      },
      {
        name: 'an instant of nearly a megabyte',
        parameters: { iso_timestamp_start: `2026-01-01T00:00:00.${'0'.repeat(900_000)}Z` },
        ends: ['invalid'],
      },
      {
        name: 'a comma after another',
        sql: `select ${','.repeat(65_000)}`,
        ends: ['invalidQuery'],
      },
      {
        name: 'a name that is too long',
        sql: `select 1 as ${'a'.repeat(60_000)}`,
        ends: ['invalidQuery'],
      },
      { name: 'a function that waits', sql: 'select pg_sleep(100) as n', ends: ['invalidQuery'] },
      {
        name: 'a table function',
        sql: 'select * from range(1000000000000)',
        ends: ['accessDenied', 'invalidQuery'],
      },
    ],
  },
];
