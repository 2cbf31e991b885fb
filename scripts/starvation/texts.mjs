// The queries that take longest to compile for their length, both accepted and refused ones.

/** @param {number} count @param {(index: number) => string} print @param {string} [separator] */
function repeat(count, print, separator = ', ') {
  return Array.from({ length: count }, (_, index) => print(index)).join(separator);
}

/** Texts by what makes them expensive. @type {readonly { readonly name: string, readonly sql: string }[]} */
export const expensiveTexts = [
  {
    name: 'timestamps with a time zone',
    sql: `select array_length([${repeat(1_200, () => "timestamp'2026-01-01 00:00:00 Asia/Tokyo'")}]) as n`,
  },
  {
    name: 'whole records in a thousand columns',
    sql: `select ${repeat(1_000, (i) => `to_json_string(t) as c${i}`)} from edge_logs t`,
  },
  {
    name: 'whole records in a list',
    sql: `select count(*) as n from edge_logs t where ${repeat(400, (i) => `to_json_string(t) = '${i}'`, ' or ')}`,
  },
  {
    name: 'an alias of a long string, used in HAVING',
    sql: `select concat(x, '${'x'.repeat(50_000)}') as a from unnest(['a']) as x group by x having ${repeat(400, (i) => `a = '${i}'`, ' or ')}`,
  },
  {
    name: 'a name of sixty thousand letters',
    sql: `select ${'x'.repeat(60_000)} from edge_logs`,
  },
  {
    name: 'a chain of ORs',
    sql: `select count(*) as n from unnest(['a']) as id where ${repeat(1_500, (i) => `id = '${i}'`, ' or ')}`,
  },
  {
    name: 'two thousand columns',
    sql: `select ${repeat(2_400, (i) => `id as c${i}`)} from edge_logs`,
  },
];
