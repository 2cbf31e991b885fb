import { expect, test } from 'vitest';
import { printTable } from '../../src/cli/print-table.js';
import { arrayType, scalar, structType } from '../../src/types/types.js';

const columns = (...names: readonly string[]) =>
  names.map((name) => ({ name, type: scalar('STRING') }));

const rows =
  '[{"n":9007199254740993,"s":"a,\\"b\\"\\nc","x":null},{"n":-1.5e10,"s":"é","x":[{"k":[1,2]}]}]';

test('a table of rows', () => {
  expect(printTable(rows, columns('n', 's', 'x'))).toBe(
    [
      'n                 s        x',
      '----------------  -------  -------------',
      '9007199254740993  a,"b" c',
      '-1.5e10           é        [{"k":[1,2]}]',
      '',
    ].join('\n'),
  );
  expect(printTable('[]', columns('n', 's', 'x'))).toBe('(no rows)\n');
});

test.each([
  ['wide characters', ['日本語', 'ok'], ['日本語  |', 'ok      |']],
  ['emoji', ['😀👩‍👩‍👧', 'ok'], ['😀👩‍👩‍👧  |', 'ok    |']],
  ['combining marks', ['e\u0301', 'ok'], ['e\u0301   |', 'ok  |']],
  ['escape sequences', ['\u001b[31mred\u202e', 'ok'], ['\ufffd[31mred\ufffd  |', 'ok         |']],
  ['a long text', ['x'.repeat(81), 'ok'], [`${'x'.repeat(79)}…  |`, `ok${' '.repeat(80)}|`]],
  ['80 columns', ['日'.repeat(40)], [`${'日'.repeat(40)}  |`]],
  ['blanks before the rest', [`${' '.repeat(999)}ab`, 'ok'], [' a…  |', 'ok   |']],
  [
    'marks without a width',
    [`${'\u200b'.repeat(4_000)}x`, 'ok'],
    [`${'\u200b'.repeat(1_000)}…   |`, 'ok  |'],
  ],
  ['more than 80', ['😀'.repeat(41)], [`${'😀'.repeat(39)}…  |`]],
])('a table lines up over %s', (_what, cells, expected) => {
  const json = JSON.stringify(cells.map((a) => ({ a, b: '|' })));
  const [, , ...lines] = printTable(json, columns('a', 'b')).split('\n');
  expect(lines).toEqual([...expected, '']);
});

test('a table shows times as times, at any depth', () => {
  const time = scalar('TIMESTAMP');
  const types = [
    { name: 'n', type: scalar('INT64') },
    { name: 't', type: time },
    {
      name: 'list',
      type: arrayType(
        structType([
          { name: 'at', type: arrayType(time) },
          { name: 'n', type: scalar('INT64') },
        ]),
      ),
    },
  ];
  const text =
    '[{"n":1,"t":1773144000123450,"list":[{"at":[-1,0],"n":9007199254740993}]},{"n":2,"t":null,"list":null}]';
  expect(printTable(text, types).split('\n').slice(2)).toEqual([
    '1  2026-03-10T12:00:00.123450Z  [{"at":["1969-12-31T23:59:59.999999Z","1970-01-01T00:00:00Z"],"n":9007199254740…',
    '2',
    '',
  ]);
  for (const edge of ['-62135596800000000', '253402300799999999']) {
    const [, , line] = printTable(`[{"t":${edge}}]`, [{ name: 't', type: time }]).split('\n');
    expect(line).toMatch(/^(0001-01-01T00:00:00Z|9999-12-31T23:59:59.999999Z)$/);
  }
});
