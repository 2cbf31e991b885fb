// What costs most to compile for its length, of what is accepted and of what is refused.

/** @param {number} count @param {(place: number) => string} part @param {string} [separator] */
function many(count, part, separator = ', ') {
  return Array.from({ length: count }, (_, place) => part(place)).join(separator);
}

/** @type {readonly { readonly name: string, readonly sql: string }[]} */
export const dearTexts = [
  {
    name: 'times in a zone',
    sql: `select array_length([${many(1_200, () => "timestamp'2026-01-01 00:00:00 Asia/Tokyo'")}]) as n`,
  },
  {
    name: 'whole records in a thousand columns',
    sql: `select ${many(1_000, (i) => `to_json_string(t) as c${i}`)} from edge_logs t`,
  },
  {
    name: 'whole records in a list',
    sql: `select count(*) as n from edge_logs t where ${many(400, (i) => `to_json_string(t) = '${i}'`, ' or ')}`,
  },
  {
    name: 'an alias of a long text, read in HAVING',
    sql: `select concat(x, '${'x'.repeat(50_000)}') as a from unnest(['a']) as x group by x having ${many(400, (i) => `a = '${i}'`, ' or ')}`,
  },
  {
    name: 'a name of sixty thousand letters',
    sql: `select ${'x'.repeat(60_000)} from edge_logs`,
  },
  {
    name: 'a chain of ORs',
    sql: `select count(*) as n from unnest(['a']) as id where ${many(1_500, (i) => `id = '${i}'`, ' or ')}`,
  },
  {
    name: 'two thousand columns',
    sql: `select ${many(2_400, (i) => `id as c${i}`)} from edge_logs`,
  },
];
