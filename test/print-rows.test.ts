import { expect, test } from 'vitest';
import { printRows } from '../src/cli/print-rows.js';

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
  ['csv', '[]', ''],
  ['table', '[]', '(no rows)\n'],
] as const)('%s of %.20s', (format, json, expected) => {
  expect(printRows(json, format)).toBe(expected);
});
