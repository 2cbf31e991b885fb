import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { requestOf } from '../support/request-of.js';
import { openWorld, type TiedWorld } from '../support/tied-worlds.js';

// From 257 undeclared fields of a source on, whoever logs them, a function prints them and not the statement: both print
// the same.

/** As JSON: JavaScript would round some of the numbers. */
const own = [
  String.raw`{"i":[1,9007199254740993],"d":0.1,"n":1.5,"s":"x\u2028y\u2029\"\\","b":true,"l":[1,null]}`,
  '{"i":[-9007199254740992],"n":12345678901234567890123456789,"s":"","l":[],"e":{},"f":[{},{}]}',
  '{"d":1e15,"n":9007199254740993.5,"r":{"d":1e-7,"l":[{"a":1},null,{}]},"s":null,"f":[]}',
  '{"d":1e300,"n":-1.000000001,"r":{},"s":"ann@x.io from 203.0.113.9","o":"a","many":["p",""]}',
  String.raw`{"d":2251799813685248.25,"n":3,"r":{"d":4503599627370496.5,"s":"\u0001"},"o":{"a":[1]}}`,
  '{}',
  'null',
  String.raw`{"d":9007199254740992,"n":12345678901234567.5,"s":"\u001f\u000b","r":{"d":12345678901234568,"m":[9007199254740996,1e16,1e17,0.5]}}`,
  '{"o":{"k":"x","big":[1e400]},"f":[{"a":1}],"g":[{"q":{"p":1}},{"q":{"p":2}}]}',
  '{"y":100000000000000000000,"r":{"r":{"r":{"d":1,"n":0.5}}},"request":{"method":"GET","extra":{"a":2}}}',
];

const lines = own.map((metadata, index) => {
  const head = { id: `a${index}`, timestamp: `2026-03-10T11:00:0${index}Z`, project: 'bluefin' };
  const text = JSON.stringify({ ...head, event_message: 'm' });
  return text.replace(/}$/, () => `,"metadata":${metadata}}`);
});

const strange = Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`strange_${n}`, n]));

function strangeLine(metadata: object): string {
  const head = { id: 'b', timestamp: '2026-03-10T11:00:00Z', project: 'mallory' };
  return JSON.stringify({ ...head, event_message: 'm', metadata });
}

const others: readonly (readonly [string, readonly string[]])[] = [
  ['none', []],
  ['many', [strangeLine(strange)]],
  [
    'many in records',
    [strangeLine({ r: { ...strange, r: strange }, request: { extra: strange } })],
  ],
  ['many empty ones', [strangeLine({ e: {}, ...mapped(() => ({})) })]],
  ['many lists', [strangeLine(mapped((n) => [{ n }, { n, m: `${n}` }]))]],
];

function mapped(make: (n: number) => unknown): object {
  return Object.fromEntries(Object.values(strange).map((n) => [`strange_${n}`, make(Number(n))]));
}

const queries = [
  'select * from edge_logs',
  'select metadata from edge_logs',
  'select t from edge_logs t',
  'select struct(metadata, [t] as ts) as v from edge_logs t',
  'select id, m.request, m.r, m.f from edge_logs, unnest(metadata) m',
  'select any_value(metadata) as v, max_by(t, id) as w from edge_logs t',
  'select to_json_string(metadata) as v from edge_logs',
  'select to_json_string(t, true) as v from edge_logs t',
  'select to_json_string(to_json(t)) as v from edge_logs t',
  'select to_json_string(to_json(metadata, stringify_wide_numbers=>true)) as v from edge_logs',
  'select to_json_string(m.r) as v from edge_logs, unnest(metadata) m',
  'select id from edge_logs t where to_json_string(t) like "%GET%"',
  'select to_json_string(array(select m from unnest(metadata) m)) as v from edge_logs',
  'select format("%T", metadata) as v, format("%t %3s", t, "x") as w from edge_logs t',
  'select format("%T", array(select m from unnest(metadata) m)) as v from edge_logs',
  'select id, if(id > "a2", metadata, null) as v, if(id < "a2", t, null) as w from edge_logs t',
  'select to_json_string(if(id > "a2", t, null)) as v from edge_logs t',
  'select case id when "a1" then m when "a2" then null else m end as v from edge_logs, unnest(metadata) m',
  'select metadata from edge_logs union all select metadata from edge_logs where id > "a1"',
  'select v, to_json_string(v) as w, array_length(v) as n from (select metadata as v, id from edge_logs union all select metadata, "z" from edge_logs) order by id, 2',
  'select to_json_string(v) as w from (select metadata as v, id from edge_logs union all select [], "z") order by id, 1',
  'select a.id, b.metadata as v from edge_logs a left join edge_logs b on b.id = a.id and b.id > "a2" union all select id, metadata from edge_logs',
  'select to_json_string(b.metadata) as v from edge_logs a left join edge_logs b on b.id = a.id and b.id > "a2" union all select to_json_string(metadata) from edge_logs',
  'select id, to_json_string(v) as v from (select a.id, b.metadata as v from edge_logs a left join edge_logs b on b.id = a.id and b.id > "a2" union all select id, metadata from edge_logs) order by 1, 2',
  'select a.id, to_json_string(v) as v from edge_logs a left join (select id, metadata as v from edge_logs union all select "z", metadata from edge_logs) b on b.id = a.id and b.id > "a2" order by 1, 2',
  'select id, metadata from edge_logs union all by name select metadata, id from edge_logs',
  'select t from edge_logs t union all (select t from edge_logs t union all select t from edge_logs t where id = "a1")',
  'with recursive x as (select id, metadata as v, 1 as n from edge_logs union all select id, v, n + 1 from x where n < 2) select id, n, v from x order by id, n',
  'with recursive x as ((select id, metadata as v, 1 as n from edge_logs union all select id, metadata, 1 from edge_logs) union all select id, v, n + 1 from x where n < 2) select to_json_string(v) as v from x order by id, n',
  'select array_length(metadata) as n, metadata[offset(0)].request as v from edge_logs where array_length(metadata) > 0',
  'select metadata[safe_ordinal(1)].r as v, metadata[safe_offset(1)].f is null as n, metadata[safe_offset(id_length)].l as w from (select *, length(id) - 2 as id_length from edge_logs)',
  'select m.f[ordinal(2)] as v, m.f[safe_offset(length(id) - 1)] is null as n from edge_logs, unnest(metadata) m where array_length(m.f) > 1',
  'select r.l[offset(0)].a as v, array_length(r.l) as n from edge_logs, unnest(metadata) m, unnest(m.r) r where array_length(r.l) > 0',
  'select * from (select * from edge_logs order by timestamp desc limit 5) order by id',
  'select id, (select m from unnest(metadata) m order by m.s limit 1) as v from edge_logs order by id',
  'select search(m.o, "a") as v, contains_substr(m.o, "400") as w, search(metadata[safe_offset(0)].o, "x") as x from edge_logs, unnest(metadata) m',
  'select x.g[offset(1)].q[safe_offset(0)].p as v from (select m as x from edge_logs, unnest(metadata) m where array_length(m.g) > 1) group by x.g',
  'select coalesce(m.g[safe_offset(2)], m.g[safe_offset(1)]).q as v, m.g[safe_offset(1)] in unnest(m.g) as w from edge_logs, unnest(metadata) m',
  'select a.v.q, b.v = a.v as w from (select m.g[safe_offset(0)] as v from edge_logs, unnest(metadata) m) a join (select m.g[safe_offset(0)] as v from edge_logs, unnest(metadata) m) b on a.v = b.v',
  'select id, y from edge_logs cross join unnest(metadata) m left join unnest(if(m.r[safe_offset(0)] in (select r from edge_logs, unnest(metadata) x, unnest(x.r) r), [1, 2], null)) y',
  'select metadata[safe_offset(null)] as v, metadata[offset(cast(null as int64))].r as w from edge_logs',
  'select m.f[safe_offset(5)] = m.f[safe_offset(6)] as v, m.f[safe_offset(0)] = m.f[safe_offset(0)] as w from edge_logs, unnest(metadata) m',
  ...searchesFor('GET 1 9007199254740993 0.1 1.5'),
  ...searchesFor('12345678901234567890123456789 1e15 -1.000000001 true'),
  ...searchesFor('x p a ann@x.io 203.0.113.9 0.5 metadata'),
];

/** Queries that search whole rows for each of these texts. */
function searchesFor(texts: string): readonly string[] {
  return ['search', 'contains_substr'].map((name) => {
    const columns = texts.split(' ').map((text, n) => {
      const quoted = name === 'search' ? `"\`${text}\`"` : `"${text}"`;
      return `${name}(t, ${quoted}) as t${n}, ${name}(metadata, ${quoted}) as m${n}`;
    });
    return `select id, ${columns.join(', ')} from edge_logs t order by id`;
  });
}

let worlds: readonly TiedWorld[];
beforeAll(async () => {
  worlds = await Promise.all(
    others.map(([name, more]) => openWorld([...lines, ...more], { name })),
  );
});
afterAll(() => Promise.all(worlds.map((world) => world.close())));

describe.each([false, true])('redacted: %s', (redact) => {
  test.each(queries)('%s', async (sql) => {
    const request = requestOf({ project: 'bluefin', sql }, { redact });
    const answers = worlds.map(async (world) => [world.name, await world.ask(request)] as const);
    const [first, ...rest] = await Promise.all(answers);
    expect(first?.[1]).toMatch(/^\d+ (?:true|false)\n\[\{/);
    expect(Object.fromEntries(rest)).toEqual(
      Object.fromEntries(rest.map(([name]) => [name, first?.[1]])),
    );
  });
});
