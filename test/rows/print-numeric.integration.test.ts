import { expect, test } from 'vitest';
import { columnSeparator, printRow } from '../../src/rows/print-columns.js';
import { inScratch } from '../support/scratch-database.js';

const numbers = ['0', '-1.5', '100', '0.000000001', '18446744073709551615', '-0.1'];

test('NUMERIC is printed as answers show it, in lists and records too', async () => {
  const numeric = { kind: 'NUMERIC' } as const;
  const list = { kind: 'ARRAY', element: numeric, layout: 'list' } as const;
  const columns = [
    { name: 'n', type: numeric, stored: true },
    { name: 'l', type: list, stored: true },
  ];
  const table = `(select n::decimal(38, 9) as n, [n::decimal(38, 9)] as l
    from unnest([${numbers.map((n) => `'${n}'`).join(', ')}]) as t(n)) as record`;
  const rows = await inScratch(async (connection) => {
    const reader = await connection.runAndReadAll(`select ${printRow({ columns })} from ${table}`);
    return reader.getRowsJson().map(([row]) => String(row).split(columnSeparator));
  });
  expect(rows).toEqual(numbers.map((n) => [`"${n}"`, `["${n}"]`]));
});
