import { expect, test } from 'vitest';
import { decodeBlock, encodeBlock } from '../../src/newest/block.js';
import { ByteWriter } from '../../src/newest/byte-writer.js';
import { printRows } from '../../src/newest/print-rows.js';

const encoded = [3n, 2n, 1n].map((time) => ({
  time,
  project: null,
  values: [String(time), `{"path":"/é","hex":"${'0a'.repeat(8)}"}`],
}));
const { block: stored, bytes } = encodeBlock(encoded, 0);
const block = decodeBlock(stored, bytes);
const rows = encoded.map(({ time }, index) => ({ time, block, index }));

function print(names: readonly string[], maxBytes = 1_000_000): string | undefined {
  const columns = names.map((name) => ({ name, index: name === 'time' ? 0 : 1 }));
  const printed = printRows(rows, columns, maxBytes);
  return printed && Buffer.from(printed).toString();
}

test('rows are printed as JSON, in the order of the columns', () => {
  const metadata = '{"path":"/é","hex":"0a0a0a0a0a0a0a0a"}';
  expect(print(['m', 'time'])).toBe(
    `[{"m":${metadata},"time":3},{"m":${metadata},"time":2},{"m":${metadata},"time":1}]`,
  );
  expect(printRows([], [], 2)).toEqual(Uint8Array.from(Buffer.from('[]')));
});

test('rows that are too large are not printed, and nothing is left of them', () => {
  const size = Buffer.byteLength(print(['time', 'm']) ?? '');
  expect(print(['time', 'm'], size - 1)).toBeUndefined();
  expect(print(['time', 'm'], 20)).toBeUndefined();
  expect(Buffer.byteLength(print(['time', 'm'], size) ?? '')).toBe(size);
});

test('printing stops at the limit, before it reads further rows', () => {
  const missing = { time: 0n, block, index: 3 };
  expect(printRows([...rows, missing], [{ name: 'm', index: 1 }], 20)).toBeUndefined();
});

test('printed rows stay as they are when others are printed', () => {
  const first = printRows(rows, [{ name: 'time', index: 0 }], 1000);
  print(['m']);
  expect(first && Buffer.from(first).toString()).toBe('[{"time":3},{"time":2},{"time":1}]');
});

test('an error leaves nothing behind', () => {
  const missing = { time: 0n, block, index: 3 };
  const columns = [{ name: 'time', index: 0 }];
  expect(() => printRows([...rows, missing], columns, 1000)).toThrow('a block has no row 3');
  expect(print(['time'])).toBe('[{"time":3},{"time":2},{"time":1}]');
});

test('a writer keeps no more than four megabytes', () => {
  const output = new ByteWriter();
  const text = Buffer.alloc(1_000_000, 'a');
  for (let turn = 0; turn < 9; turn += 1) output.write(text);
  expect(Buffer.from(output.copy()).equals(Buffer.alloc(9_000_000, 'a'))).toBe(true);
  expect(output.reserve(0).length).toBeGreaterThanOrEqual(9_000_000);
  output.clear();
  expect(output.length).toBe(0);
  expect(output.reserve(0).length).toBe(4_194_304);
});
