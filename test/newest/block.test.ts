import { expect, test } from 'vitest';
import { blockFormat, decodeBlock, type EncodedRow, encodeBlock } from '../../src/newest/block.js';
import { ByteWriter } from '../../src/newest/byte-writer.js';
import { packHex, unpackHex } from '../../src/newest/pack-hex.js';
import { randomFrom } from '../support/random.js';
import { textAt, written } from './written.js';

const uuid = '0b5c1f1e-90ab-4cde-8f01-23456789abcd';
const hex = '8d3f5a1b2c4e6f70';

/** What is left of a text once its digits are taken out, and the text that they are put back into. */
function pack(json: string) {
  const { text, digits } = packHex(json);
  const unpacked = written((output) =>
    unpackHex(Buffer.from(text), Buffer.from(digits, 'hex'), output),
  );
  return { text, digits, unpacked };
}

test.each([
  ['a UUID', `{"id":"${uuid}"}`, '{"id":"\u0001u"}'],
  ['UUIDs side by side', `["${uuid}","${uuid}"]`, '["\u0001u","\u0001u"]'],
  ['sixteen digits', `"${hex}-SIN"`, '"\u0001(-SIN"'],
  ['seventeen digits', `"${hex}7"`, '"\u0001(7"'],
  ['SHA-1', `"${hex}${hex}0a1b2c3d"`, '"\u00014"'],
  ['SHA-512', `"${hex.repeat(8)}"`, '"\u0001`"'],
  ['144 digits', `"${hex.repeat(9)}"`, `"\u0001\`${hex}"`],
  ['a UUID among other digits', `"${hex}-${uuid}-${hex}"`, '"\u0001(-\u0001u-\u0001("'],
])('%s: packed', (_what, json, text) => {
  expect(pack(json)).toMatchObject({ text, unpacked: json });
});

test.each([
  ['nothing', ''],
  ['upper case', `"${uuid.toUpperCase()}"`],
  ['decimal digits', '1773144000000001'],
  ['fifteen digits', `"${hex.slice(1)}"`],
  ['digits in a word', `"x${hex}"`],
  ['another alphabet', '"São Paulo 東京 🦊"'],
])('%s: as it is', (_what, json) => {
  expect(pack(json)).toEqual({ text: json, digits: '', unpacked: json });
});

test('the character of marks is refused', () => {
  expect(() => packHex('"\u0001"')).toThrow('a JSON text contains U+0001');
});

test('digits of other texts are refused', () => {
  for (const bytes of [0, 15, 17]) {
    const output = new ByteWriter();
    const unpack = () => unpackHex(Buffer.from('\u0001u'), Buffer.alloc(bytes), output);
    expect(unpack).toThrow('more or fewer');
    expect(output.length).toBe(0);
  }
});

test('a long dump of digits is as before', () => {
  for (const [pairs, taken] of [
    [30_000, 128],
    [4_000_000, 0],
  ] as const) {
    const json = `"${'a1'.repeat(pairs)}"`;
    const { digits, unpacked } = pack(json);
    expect(unpacked === json).toBe(true);
    expect(digits).toHaveLength(taken);
  }
});

test('texts of any pieces are as before', () => {
  const pieces = [
    uuid,
    hex,
    hex.slice(0, 8),
    '1234567890123456',
    '-',
    '"',
    'é',
    '東',
    ' ',
    'a',
    '0',
  ];
  const next = randomFrom(3);
  for (let round = 0; round < 2_000; round += 1) {
    const chosen = Array.from({ length: next() % 9 }, () => pieces[next() % pieces.length]);
    expect(pack(chosen.join('')).unpacked).toBe(chosen.join(''));
  }
});

test('each column of a block is as before, in any order', () => {
  const rows: readonly EncodedRow[] = Array.from({ length: 300 }, (_, index) => ({
    time: BigInt(1_773_144_000_000_000 - index),
    project: 'p',
    values: [
      `"${uuid}"`,
      String(1_773_144_000_000_000 - index),
      `"${hex} é ${index}"`,
      index === 7 ? 'null' : `{"ray":"${hex}","of":"${uuid.replace('0b', '1f')}"}`,
      String(-index),
    ],
  }));
  const { block, bytes } = encodeBlock(rows, 0);
  expect(block).toMatchObject({ start: 1_773_144_000_000_000n, end: 1_773_143_999_999_701n });
  // The second column has the times.
  expect(block.sizes[4]).toBe(0);
  expect(bytes.byteLength).toBe(block.sizes.reduce((sum, size) => sum + size));
  for (const columns of [
    [0, 1, 2, 3, 4],
    [4, 3, 2, 1, 0],
  ]) {
    const decoded = decodeBlock(block, bytes);
    expect([...decoded.times]).toEqual(rows.map(({ time }) => time));
    for (const column of columns) {
      const textOf = decoded.column(column);
      const texts = rows.map((_, row) => textAt(textOf, row));
      expect(texts).toEqual(rows.map(({ values }) => values[column]));
      const last = textAt(decoded.column(column), 299);
      expect(last).toBe(rows[299]?.values[column]);
      expect(() => textAt(textOf, 300)).toThrow('a block has no row 300');
    }
    expect(decoded.column(0)).toBe(decoded.column(0));
    expect(() => decoded.column(5)).toThrow('a block has no column 5');
  }
});

test('a block of this format is read, as another build wrote it', () => {
  const bytes = Buffer.from(
    'iweAAHBBQqpMBgD/b0FCqkwGAAMbFwAAJAEQINqQRCgRRQbI1DL8AIsTgAtcHx6Qq0zejwEjRWeJq82NP1obLE5vcB9cHx6Qq0ze' +
      'jwEjRWeJq80DCwSAIgF1IgoiAXUiAwsSgHsicmF5IjoiASgiLCJjaXR5IjoiU8OjbyBQYXVsbyJ9Cm51bGwD',
    'base64',
  );
  const stored = { project: 'p', start: 0n, end: 0n, position: 0, rawBytes: 0 };
  const sizes = [20, 20, 44, 13, 0, 41];
  const block = decodeBlock({ ...stored, sizes, checksum: 191_126_002 }, bytes);
  const texts = [0, 1, 2].map((column) => textAt(block.column(column), 0));
  expect(blockFormat).toBe(2);
  expect(texts).toEqual([`"${uuid}"`, '1773144000000000', `{"ray":"${hex}","city":"São Paulo"}`]);
});

test('the times are stored once, the text of another column is not taken for them', () => {
  const rows = [1n, 2n].map((time) => ({ time, project: null, values: ['1', '', String(time)] }));
  const { block, bytes } = encodeBlock(rows, 0);
  const decoded = decodeBlock(block, bytes);
  const read = (row: number) => [0, 1, 2].map((column) => textAt(decoded.column(column), row));
  expect([read(0), read(1)]).toEqual([
    ['1', '', '1'],
    ['1', '', '2'],
  ]);
});

test('rows of different columns are refused', () => {
  const row = { time: 1n, project: null };
  const rows = [
    { ...row, values: ['1', '2'] },
    { ...row, values: ['1'] },
  ];
  expect(() => encodeBlock(rows, 0)).toThrow('the rows of a block have different columns');
});

test('a damaged block is refused', () => {
  const { block, bytes } = encodeBlock([{ time: 1n, project: null, values: ['1'] }], 0);
  bytes[0] = (bytes[0] ?? 0) ^ 1;
  expect(() => decodeBlock(block, bytes)).toThrow('a block is damaged');
});
