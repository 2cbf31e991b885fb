import { describe, expect, test } from 'vitest';
import { declared, loadFolder, loadLines, storedFields } from '../../support/load-logs.js';
import { isFullLength, sample } from '../../support/nightly.js';

const time = '2026-03-10T12:00:00Z';

test('fixtures: records are structs, but lists if one has two elements', async () => {
  const report = await loadFolder('test/acceptance/fixtures/basic');
  expect(report.sources.map((source) => source.name)).toEqual(
    declared.map((source) => source.name),
  );
  expect(
    report.files.map(({ records, badLines, badFields }) => [records, badLines, badFields]),
  ).toEqual([11, 13, 26, 9, 9, 5, 6, 6, 8].map((records) => [records, 0, 0]));
  const lists = report.sources.flatMap(({ name }) =>
    storedFields(report, name)
      .filter((field) => field.endsWith(' list'))
      .map((f) => [name, f]),
  );
  expect(lists).toEqual([['storage_logs', 'metadata list']]);
  expect(await report.rows('storage_logs', 'len(metadata) as n')).toContainEqual({ n: '2' });
  expect(report.warnings).toEqual([]);
});

describe('declared scalars, the value under `metadata.response.status_code` or `metadata.request.path`', () => {
  const asn = (value: unknown) => ({ response: { status_code: value } });
  const path = (value: unknown) => ({ request: { path: value } });
  const code = 'metadata.response.status_code as v';
  test.each(
    sample(
      [
        ['INT64', code, asn(200), '200', 0],
        ['INT64', code, asn('200'), '200', 0],
        ['INT64', code, asn(200.0), '200', 0],
        ['INT64', code, asn(-5), '-5', 0],
        ['INT64', code, asn(200.5), null, 1],
        ['INT64', code, asn('abc'), null, 1],
        ['INT64', code, asn(true), null, 1],
        ['INT64', code, asn({ a: 1 }), null, 1],
        ['INT64', code, asn([1]), null, 1],
        ['INT64', code, asn(null), null, 0],
        ['STRING', 'metadata.request.path as v', path('x'), 'x', 0],
        ['STRING', 'metadata.request.path as v', path(7), '7', 0],
        ['STRING', 'metadata.request.path as v', path(1.5), '1.5', 0],
        ['STRING', 'metadata.request.path as v', path(false), 'false', 0],
        ['STRING', 'metadata.request.path as v', path({ a: 1 }), null, 1],
        ['STRING', 'metadata.request.path as v', path(['x']), null, 1],
      ],
      5,
    ),
  )('%s %#', async (_type, columns, metadata, expected, badFields) => {
    const other = { id: 'b', timestamp: time };
    const report = await loadLines([{ id: 'a', timestamp: time, metadata }, other]);
    expect((await report.rows('edge_logs', columns))[0]).toEqual({ v: expected });
    expect(report.files[0]?.badFields).toBe(badFields);
  });

  test.each(
    sample(
      [
        ['9007199254740993', '9007199254740993', 0],
        ['9223372036854775807', '9223372036854775807', 0],
        ['-9223372036854775808', '-9223372036854775808', 0],
        ['9223372036854775808', null, 1],
        ['99999999999999999999999', null, 1],
      ],
      4,
    ),
  )('%s keeps its digits', async (digits, expected, badFields) => {
    const report = await loadLines([
      `{"id":"a","timestamp":1,"metadata":{"response":{"status_code":${digits}}}}`,
      `{"id":"b","timestamp":1,"metadata":{"response":{"status_code":9007199254740993}}}`,
    ]);
    expect(await report.rows('edge_logs', code)).toEqual([
      { v: expected },
      { v: '9007199254740993' },
    ]);
    expect(report.files[0]?.badFields).toBe(badFields);
  });

  test.each(
    sample(
      [
        [[1, null, '2', 3.0], ['1', '2', '3'], 0],
        [[], null, 0],
        [null, null, 0],
        [[1, 'x', []], ['1'], 2],
        [5, null, 1],
      ],
      4,
    ),
  )('an array of INT64 %j', async (detectionIds, expected, badFields) => {
    const metadata = { request: { cf: { botManagement: { detectionIds } } } };
    const report = await loadLines([{ id: 'a', timestamp: time, metadata }]);
    const rows = await report.rows(
      'edge_logs',
      'metadata.request.cf.botManagement.detectionIds as v',
    );
    expect(rows).toEqual([{ v: expected }]);
    expect(report.files[0]?.badFields).toBe(badFields);
  });
});

describe('records', () => {
  const struct = { path: '/x' };
  const values = 'metadata.request as v';
  test.each(
    sample(
      [
        ['an object', struct, struct, 0],
        ['an array of one', [struct], struct, 0],
        ['an array of one and NULL', [null, struct], struct, 0],
        ['no field', {}, { path: null }, 0],
        ['an element without fields', [{}], { path: null }, 0],
        ['an empty array', [], null, 0],
        ['NULL', null, null, 0],
        ['an array of NULL', [null], null, 0],
        ['a scalar', 'x', null, 1],
        ['an array with scalars', [1, struct, 'y'], struct, 2],
      ],
      5,
    ),
  )('%s, alone and among others', async (_name, request, expected, badFields) => {
    const row = { id: 'a', timestamp: time, metadata: { request } };
    const objects = [row, { id: 'b', timestamp: time, metadata: { request: struct } }];
    const arrays = [row, { id: 'b', timestamp: time, metadata: [{ request: [struct] }] }];
    for (const lines of [objects, arrays, [...objects, { ...arrays[1], id: 'c' }]]) {
      const report = await loadLines(lines);
      expect((await report.rows('edge_logs', values))[0]).toEqual({ v: expected });
      expect(report.files[0]?.badFields).toBe(badFields);
      expect(storedFields(report, 'edge_logs')).toContain('metadata.request struct');
    }
  });

  test.each(
    sample(
      [
        [struct, [struct]],
        [[null, struct], [struct]],
        [[{}], [{ path: null }]],
        [[1, struct, 'y', [struct]], [struct]],
        [[2, 'b', true], null],
        ['x', null],
      ],
      6,
    ),
  )('%j among lists is a list of its records', async (request, expected) => {
    const report = await loadLines([
      { id: 'a', timestamp: time, metadata: { request } },
      { id: 'b', timestamp: time, metadata: { request: [struct, struct] } },
    ]);
    expect((await report.rows('edge_logs', values))[0]).toEqual({ v: expected });
  });

  test('two elements make a list of that path only', async () => {
    const report = await loadLines([
      { id: 'a', timestamp: time, metadata: { request: [{ path: '/x' }, { cf: [{ asn: 1 }] }] } },
      { id: 'b', timestamp: time, metadata: [{ request: { cf: { asn: '2' } } }] },
      { id: 'c', timestamp: time, metadata: [] },
      { id: 'd', timestamp: time, metadata: {} },
    ]);
    expect(storedFields(report, 'edge_logs').slice(-6)).toEqual([
      'project STRING',
      'metadata struct',
      'metadata.request list',
      'metadata.request.path STRING',
      'metadata.request.cf struct',
      'metadata.request.cf.asn INT64',
    ]);
    expect(await report.rows('edge_logs', 'metadata')).toEqual([
      {
        metadata: {
          request: [
            { path: '/x', cf: null },
            { path: null, cf: { asn: '1' } },
          ],
        },
      },
      { metadata: { request: [{ path: null, cf: { asn: '2' } }] } },
      { metadata: null },
      { metadata: { request: null } },
    ]);
  });
});

describe('undeclared fields', () => {
  test.each(
    sample(
      [
        ['text', ['x'], 'STRING', ['x']],
        ['booleans', [true, false], 'BOOL', [true, false]],
        ['integers', [1, -2], 'INT64', ['1', '-2']],
        ['integers and fractions', [1, 2.5], 'FLOAT64', [1, 2.5]],
        ['lines of different types', [1, 'x', true], 'STRING', ['1', 'x', 'true']],
        ['an object and a scalar', [{ a: 1 }, 2], 'STRING', ['{"a":1}', '2']],
        ['arrays', [[1], [2, null], []], 'INT64[]', [['1'], ['2'], null]],
        ['arrays of different types', [[1], ['x']], 'STRING[]', [['1'], ['x']]],
        ['arrays of arrays', [[[1]]], 'STRING', ['[[1]]']],
        [
          'an object',
          [{ a: 1 }, [{ b: 'x' }]],
          'struct',
          [
            { a: '1', b: null },
            { a: null, b: 'x' },
          ],
        ],
      ],
      6,
    ),
  )('%s', async (_name, given, type, expected) => {
    const lines = given.map((extra, index) => ({ id: `${index}`, timestamp: time, extra }));
    const report = await loadLines(lines);
    expect(storedFields(report, 'edge_logs')).toContain(`extra ${type}`);
    const rows = await report.rows('edge_logs', 'extra');
    expect(rows).toEqual(expected.map((extra) => ({ extra })));
  });

  test('are ordered by first appearance, even if they appear late', async () => {
    const line = JSON.stringify({ id: 'a', timestamp: time, metadata: { request: { path: '/' } } });
    const late = { id: 'z', timestamp: time, metadata: { request: { late: { key: [{ x: 1 }] } } } };
    const report = await loadLines([...Array<string>(30_000).fill(line), late]);
    expect(storedFields(report, 'edge_logs')).toContain('metadata.request.late.key.x INT64');
    const rows = await report.rows('edge_logs', 'id, metadata.request.late.key.x as x');
    expect(rows.at(-1)).toEqual({ id: 'z', x: '1' });
  });

  test('may have any name', async () => {
    const extra = {
      'a b': 1,
      "it's": 2,
      'q"q': 3,
      'd.d': { $: 4 },
      __proto__x: 5,
      select: 6,
      '*': 7,
    };
    const report = await loadLines([{ id: 'a', timestamp: time, extra }]);
    const [row] = await report.rows('edge_logs', 'extra');
    expect(row).toEqual({
      extra: {
        'a b': '1',
        "it's": '2',
        'q"q': '3',
        'd.d': { $: '4' },
        __proto__x: '5',
        select: '6',
        '*': '7',
      },
    });
  });

  test.runIf(isFullLength)("may have the names that the loader's own queries use", async () => {
    const metadata = [{ request: [{ path: '/x', cf: { asn: '13' } }], response: { a: 1, b: 'y' } }];
    const names = ['e1', 'e2', 'row', 'k', 'r', 'x', 't', 'd', 'v', 'j', 'n', 'json', 'file'];
    const extra = Object.fromEntries(
      names.map((name) => [name, { request: name, path: 7, b: 'z' }]),
    );
    const report = await loadLines([
      { id: 'a', timestamp: time, metadata, ...extra },
      { id: 'b', timestamp: time, metadata: [] },
      // Only a field with two spellings is read with all of these names.
      { id: 'c', timestamp: time, metadata: { response: [{ A: 2, b: 'w' }] } },
    ]);
    const paths = `metadata.request.path as p, metadata.request.cf.asn as asn, e1.request as e1,
      metadata.response.b as b`;
    expect(await report.rows('edge_logs', paths)).toEqual([
      { p: '/x', asn: '13', e1: 'e1', b: 'y' },
      { p: null, asn: null, e1: null, b: null },
      { p: null, asn: null, e1: null, b: 'w' },
    ]);
  });

  test('that differ only in letter case are one field: the first wins, the other is counted', async () => {
    const report = await loadLines([
      {
        id: 'a',
        timestamp: time,
        Metadata: { Extra: 1, response: { STATUS_CODE: 5, status_code: 6 } },
      },
      { ID: 'b', timestamp: time, metadata: { extra: 2, EXTRA: 3, response: { status_code: 7 } } },
    ]);
    const rows = await report.rows(
      'edge_logs',
      'id, metadata.extra as e, metadata.response.status_code as s',
    );
    expect(rows).toEqual([
      { id: 'a', e: '1', s: '5' },
      { id: 'b', e: '2', s: '7' },
    ]);
    expect(report.files[0]?.badFields).toBe(2);
    expect(storedFields(report, 'edge_logs')).toContain('metadata.response.status_code INT64');
  });

  // In lower case, DuckDB and JavaScript disagree about these.
  test.each([
    [
      ['i', 'İ', 'i̇'],
      ['1', '2', '2'],
    ],
    [
      ['ΑΣ', 'ας', 'ασ'],
      ['1', '1', '2'],
    ],
    [
      ['k', 'K', '\u212a'],
      ['1', '1', '1'],
    ],
  ])(
    '%j in records of their own are the fields that a scan takes them for',
    async (keys, fields) => {
      const all = Object.fromEntries(keys.map((key, index) => [key, 90 + index]));
      const lines = [all, ...keys.map((key, index) => ({ [key]: index }))].map(
        (metadata, index) => {
          return { id: `${index}`, timestamp: time, metadata };
        },
      );
      const report = await loadLines(lines);
      const unique = [...new Set(fields)];
      const names = unique.map((field) => keys[fields.indexOf(field)] ?? '');
      const values = names.map((name, index) => `metadata."${name}" as "${index}"`).join(', ');
      const rows = await report.rows('edge_logs', values);
      const own = fields.map((own, index) =>
        unique.map((field) => (field === own ? `${index}` : null)),
      );
      expect(rows.slice(1).map((row) => Object.values(row as object))).toEqual(own);
    },
  );

  test('and whose characters mean something in paths, patterns and SQL are one field, too', async () => {
    const names = ['a/b', 'x~y', "it's", 'q"q', '$.*', 'ÄΣ', 'İd'];
    const report = await loadLines(
      [names, names.map((name) => name.toLowerCase().toUpperCase())].map((keys, index) => {
        const metadata = Object.fromEntries(keys.map((key) => [key, { v: index, V: 9 }]));
        return { id: `${index}`, timestamp: time, metadata };
      }),
    );
    const values = names.map((name, index) => {
      return `metadata."${name.replaceAll('"', '""')}".v as v${index}`;
    });
    const expected = (value: string) => Object.fromEntries(names.map((_, n) => [`v${n}`, value]));
    expect(await report.rows('edge_logs', values.join(', '))).toEqual([
      expected('0'),
      expected('1'),
    ]);
  });
});
