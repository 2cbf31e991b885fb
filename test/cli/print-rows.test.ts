import { expect, test } from 'vitest';
import { printRows } from '../../src/cli/print-rows.js';

const rows =
  '[{"n":9007199254740993,"s":"a,\\"b\\"\\nc","x":null},{"n":-1.5e10,"s":"é","x":[{"k":[1,2]}]}]';

test.each([
  ['json', rows, `{"result":${rows}}\n`],
  [
    'ndjson',
    rows,
    '{"n":9007199254740993,"s":"a,\\"b\\"\\nc","x":null}\n{"n":-1.5e10,"s":"é","x":[{"k":[1,2]}]}\n',
  ],
  ['csv', rows, 'n,s,x\n9007199254740993,"a,""b""\nc",\n-1.5e10,é,"[{""k"":[1,2]}]"\n'],
  [
    'table',
    rows,
    [
      'n                 s        x',
      '----------------  -------  -------------',
      '9007199254740993  a,"b" c',
      '-1.5e10           é        [{"k":[1,2]}]',
      '',
    ].join('\n'),
  ],
  ['json', '[]', '{"result":[]}\n'],
  ['ndjson', '[]', ''],
  ['csv', '[]', 'n,s,x\n'],
  ['table', '[]', '(no rows)\n'],
] as const)('%s of %.20s', (format, json, expected) => {
  expect(printRows(json, ['n', 's', 'x'], format)).toBe(expected);
});

test.each([
  ['wide characters', ['日本語', 'ok'], ['日本語  |', 'ok      |']],
  ['emoji', ['😀👩‍👩‍👧', 'ok'], ['😀👩‍👩‍👧  |', 'ok    |']],
  ['combining marks', ['e\u0301', 'ok'], ['e\u0301   |', 'ok  |']],
  ['escape sequences', ['\u001b[31mred\u202e', 'ok'], ['\ufffd[31mred\ufffd  |', 'ok         |']],
  ['a long text', ['x'.repeat(81), 'ok'], [`${'x'.repeat(79)}…  |`, `ok${' '.repeat(80)}|`]],
  ['80 columns', ['日'.repeat(40)], [`${'日'.repeat(40)}  |`]],
  ['more than 80', ['😀'.repeat(41)], [`${'😀'.repeat(39)}…  |`]],
])('a table lines up over %s', (_what, cells, expected) => {
  const json = JSON.stringify(cells.map((a) => ({ a, b: '|' })));
  const [, , ...lines] = printRows(json, ['a', 'b'], 'table').split('\n');
  expect(lines).toEqual([...expected, '']);
});
