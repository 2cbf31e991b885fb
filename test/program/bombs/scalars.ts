import {
  type BombClass,
  bounded,
  nest,
  refused,
  rows,
  steps,
  stopped,
  text,
} from '../../support/bombs.js';

/** Memory inside scalar functions. */
export const scalars: readonly BombClass[] = [
  {
    class: 'strings that grow',
    why: 'the engine does not count memory inside functions: macros limit one result, a check of resident memory their sum',
    bombs: [
      {
        name: 'a megabyte in each of a million rows',
        sql: `select length(string_agg(${text(900_000)})) as n from ${rows(1_000_000)}`,
        ends: stopped,
      },
      {
        name: 'megabytes in one row',
        sql: `select ${nest(12, 'concat(', "repeat('a', 1000000)", `, ${text(1_000_000)})`)} as s from ${rows(1_000)}`,
        ends: stopped,
      },
      {
        name: 'a text that CTEs double',
        sql: steps(
          14,
          `select ${text(500_000)} as s from ${rows(1)}`,
          'select concat(s, s) as s from PREVIOUS',
          'select length(s) as n from LAST',
        ),
        ends: stopped,
      },
      { name: 'repeat past its bound', sql: "select repeat('ab', 1000000000) as s", ends: refused },
      {
        name: 'repeat of repeat',
        sql: "select repeat(repeat('a', 10000), 10000) as s",
        ends: refused,
      },
      {
        name: 'lpad past its bound',
        sql: "select lpad('a', 2000000000, 'xy') as s",
        ends: refused,
      },
      {
        name: 'lpad and rpad kept',
        sql: `select array_length(array_agg(lpad(rpad(cast(x as string), 900000, 'y'), 1000000, 'x'))) as n from ${rows(100_000)}`,
        ends: stopped,
      },
      {
        name: 'replace that grows four times over',
        sql: `select length(${nest(4, 'replace(', text(900_000), ", 'a', 'aa')")}) as n from ${rows(1)}`,
        ends: refused,
      },
      {
        name: 'replace within its bound, kept',
        sql: `select array_agg(replace(${text(9_000)}, 'a', repeat('b', 99))) as a from ${rows(100_000)}`,
        ends: stopped,
      },
      {
        name: 'translate of megabytes, kept',
        sql: `select array_agg(translate(${text(900_000)}, 'abcdef', 'ghijkl')) as a from ${rows(100_000)}`,
        ends: stopped,
      },
      {
        name: 'hexadecimal digits of hexadecimal digits',
        sql: `select length(${nest(20, 'to_hex(cast(', text(900_000), ' as bytes))')}) as n from ${rows(1)}`,
        ends: stopped,
      },
      {
        name: 'NFC of megabytes',
        sql: `select sum(length(normalize(concat(repeat('ä', 450000), cast(x as string))))) as n from ${rows(100_000)}`,
        ends: stopped,
      },
      {
        name: 'capitals of megabytes, letter by letter',
        sql: `select sum(length(initcap(${text(900_000, 'ab ')}))) as n from ${rows(10_000)}`,
        ends: stopped,
      },
      {
        name: 'code points of megabytes, there and back',
        sql: `select sum(length(code_points_to_string(to_code_points(${text(900_000)})))) as n from ${rows(10_000)}`,
        ends: stopped,
      },
      {
        name: 'a distance of long texts',
        sql: `select sum(edit_distance(${text(9_000)}, ${text(9_000, 'b')})) as n from ${rows(100_000)}`,
        ends: stopped,
      },
      {
        name: 'the second occurrence of half a text in the whole',
        sql: "select instr(repeat('a', 100000), repeat('a', 50000), 1, 2) as n",
        ends: stopped,
      },
    ],
  },
  {
    class: 'formats',
    why: 'a width in a format makes a text of that length',
    bombs: [
      {
        name: 'a width in the format',
        sql: "select format('%1000000000d', 1) as s",
        ends: refused,
      },
      {
        name: 'a width as an argument',
        sql: "select format('%*d', 1000000000, x) as s from unnest([1]) as x",
        ends: refused,
      },
      {
        name: 'hundreds of widths at their bound',
        sql: `select sum(length(format('${'%999d'.repeat(400)}'${', x'.repeat(400)}))) as n from ${rows(1_000_000)}`,
        ends: stopped,
      },
      {
        name: 'a format of time by rows',
        sql: `select sum(length(format_timestamp('${'%c%A%B'.repeat(3_000)}', timestamp_add(timestamp '2026-01-01', interval x second)))) as n from ${rows(1_000_000)}`,
        ends: stopped,
      },
    ],
  },
  {
    class: 'JSON',
    why: 'recursion over deeply nested JSON crashes a process',
    bombs: [
      {
        name: 'brackets a hundred thousand deep',
        sql: `select max(to_json_string(parse_json(concat(repeat('[', 100000), cast(x as string), repeat(']', 100000))))) as s from ${rows(10_000)}`,
        ends: stopped,
      },
      {
        name: 'keys a hundred thousand deep',
        sql: `select json_keys(parse_json(concat(${nest(1, '', `repeat('{"a":', 100000)`, '')}, '1', repeat('}', 100000)))) as k`,
        ends: ['invalidQuery'],
      },
      {
        name: 'a long array by rows',
        sql: `select sum(array_length(json_query_array(parse_json(concat('[', repeat('{"a":[1,2]},', 70000), cast(x as string), ']'))))) as n from ${rows(1_000)}`,
        ends: stopped,
      },
      {
        name: 'a wide object in many rows',
        sql: `select json_object(${Array.from({ length: 800 }, (_, i) => `'k${i}', x`).join(', ')}) as j from ${rows(1_000_000)}`,
        ends: bounded,
      },
      {
        name: 'a million structs as one text',
        sql: `select to_json_string(array(select as struct x, repeat('a', 1000) as s from ${rows(1_000_000)})) as s`,
        ends: stopped,
      },
    ],
  },
  {
    class: 'personal data',
    why: 'redaction matches regular expressions against text that callers make',
    bombs: [
      {
        name: 'megabytes of addresses',
        sql: `select ${text(900_000, '1.2.3.4 a@b.co ::1 ')} as s from ${rows(1_000)}`,
        redact: true,
        ends: stopped,
      },
      {
        name: 'nearly addresses',
        sql: `select ${text(900_000, '1.2.3.')} as s from ${rows(1_000)}`,
        redact: true,
        ends: bounded,
      },
      {
        name: 'an error that quotes a megabyte',
        sql: "select error(repeat('1.2.3.4 ', 100000)) as s",
        redact: true,
        ends: refused,
      },
    ],
  },
];
