import { expect, test } from 'vitest';
import { packRows, unpackRows } from '../../src/rows/row-block.js';

test.each([[['']], [['a']], [['', '', '']], [['ö🙂', '"x"\x1fnull', 'x'.repeat(1_000_000)]]])(
  'rows are unpacked as they were packed: %#',
  (rows) => {
    const unpacked = unpackRows(packRows(rows.map((row) => Buffer.from(row))));
    expect(unpacked.map((row) => Buffer.from(row, 'latin1').toString())).toEqual(rows);
  },
);
