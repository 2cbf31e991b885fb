import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { readMicros } from '../../../src/logs/scan/read-time.js';
import { scanLines } from '../../../src/logs/scan/scan-lines.js';
import { emptyOrder, joinOrders } from '../../../src/logs/scan/time-order.js';
import { makeFolder } from '../../support/load-logs.js';
import { openLoadScratch } from '../../support/scratch-database.js';

const { connection, close } = await openLoadScratch();
afterAll(close);

async function askMicros(text: string): Promise<number | undefined> {
  const query = 'select epoch_us(log_timestamp($1::varchar))::varchar';
  const [row] = (await connection.runAndReadAll(query, [text])).getRowsJson();
  return row?.[0] == null ? undefined : Number(row[0]);
}

function micros(json: string): number | undefined {
  const bytes = Buffer.from(json);
  return readMicros(bytes, 0, bytes.length);
}

const day = '2026-03-10';
const time = `${day}T12:34:56`;

describe('the scan reads the same time that is stored', () => {
  test.each([
    ...[time, `${time}Z`, `${day} 12:34:56Z`, `${time}.1Z`, `${time}.123456Z`, `${time}.5`],
    ...[`${time}+02:00`, `${time}.25-05:30`, `${time}+14:00`, '2024-02-29T00:00:00Z'],
    ...[
      `${day}T00:00:00Z`,
      `${day}T23:59:59.999999Z`,
      '1969-12-31T23:59:59.9Z',
      '1800-01-01T00:00:00Z',
      `${time}+0200`,
      '20260310T123456Z',
      '20260310T123456.123456-0530',
      '2016-12-31T23:59:60Z',
      '2017-01-01T01:59:60.5+02:00',
      '20161231T235960.25Z',
    ],
  ])('%s', async (text) => {
    expect(micros(JSON.stringify(text))).toBe(await askMicros(text));
  });
  test.each([
    ...['0', '1', '1773144896', '9007199254', '100000000000', '1773144896123', '9007199254740'],
    ...['100000000000000', '1773144896123456'],
  ])('%s', async (number) => {
    expect(micros(number)).toBe(await askMicros(number));
  });
});

const unread = [
  ...[
    '',
    day,
    'never',
    `${day}T24:00:00Z`,
    `${day}T12:60:00Z`,
    `${day}T12:34:60Z`,
    `${day}T12:34Z`,
  ],
  ...[`${time}.1234567Z`, `${time}.Z`, `${time}+15:00`, `${time} Z`, `${time}z`],
  ...[
    '2026-13-10T12:34:56Z',
    '2026-00-10T12:34:56Z',
    '0099-01-01T00:00:00Z',
    '9026-03-10T00:00:00Z',
  ],
  ...['2026/03/10T12:34:56Z', '1773144896', `${time}Zx`],
].map((text) => JSON.stringify(text));

test.each([
  ...unread,
  ...['-5', '99999999999', '1.5', '1e9', '99999999999999999', '1773144896123456789'],
  ...['null', 'true'],
])('the scan does not read %s', (json) => expect(micros(json)).toBeUndefined());

type Row = readonly [timestamp: unknown, id: unknown];

async function scanRows(rows: readonly Row[]) {
  const lines = rows.map(([timestamp, id]) => JSON.stringify({ id, timestamp }));
  return scanText(lines.join('\n'));
}

async function scanText(text: string) {
  const folder = makeFolder({ 'a.ndjson': text });
  const kind = { format: 'lines', compression: 'none' } as const;
  const file = { source: 'edge_logs', name: 'a', path: join(folder, 'a.ndjson'), ...kind };
  const reading = { file, deferredFile: join(folder, 'deferred'), maxLineBytes: 10_000 };
  return scanLines({ ...reading, onRead: () => undefined });
}

const inOrder: readonly (readonly [string, readonly Row[]])[] = [
  ['nothing', []],
  ['one record', [[1, 'a']]],
  [
    'ascending times',
    [
      [1, 'b'],
      [2, 'a'],
      [3, 'c'],
    ],
  ],
  [
    'equal times by id',
    [
      [1, 'a'],
      [1, 'b'],
      [1, 'b'],
      [1, 'bb'],
    ],
  ],
  [
    'equal times by the bytes of id',
    [
      [1, 'Z'],
      [1, 'a'],
      [1, 'é'],
      [1, 'ｚ'],
      [1, '😀'],
    ],
  ],
  [
    'times of several kinds',
    [
      [1773144896, 'a'],
      ['2026-03-10T12:14:57Z', 'b'],
      [1773144898000, 'c'],
    ],
  ],
  [
    'records without a time',
    [
      [5, 'a'],
      [null, 'b'],
      [undefined, 'a'],
      [6, 'a'],
    ],
  ],
];
const notInOrder: readonly (readonly [string, readonly Row[]])[] = [
  [
    'a descending time',
    [
      [2, 'a'],
      [1, 'b'],
    ],
  ],
  [
    'equal times with descending ids',
    [
      [1, 'b'],
      [1, 'a'],
    ],
  ],
  [
    'equal times in two zones',
    [
      ['2026-03-10T12:00:00Z', 'b'],
      ['2026-03-10T14:00:00+02:00', 'a'],
    ],
  ],
  [
    'an id with an escape',
    [
      [1, 'a'],
      [1, 'a"'],
    ],
  ],
  [
    'an id that is a number',
    [
      [1, 1],
      [1, 2],
    ],
  ],
  [
    'a time that the scan does not read',
    [
      [1, 'a'],
      ['tomorrow', 'b'],
    ],
  ],
  [
    'characters beyond the basic plane',
    [
      [1, '😀'],
      [1, 'ｚ'],
    ],
  ],
];

describe('the order of lines', () => {
  test.each(inOrder)('in order: %s', async (_name, rows) => {
    expect((await scanRows(rows))?.order.isOrdered).toBe(true);
  });
  test.each(notInOrder)('not in order, or not known: %s', async (_name, rows) => {
    expect((await scanRows(rows))?.order.isOrdered).toBe(false);
  });
});

test('a file with a line that is too long is not scanned', async () => {
  expect(await scanText(`{"id":"1"}\n{"id":"${'x'.repeat(20_000)}"}\n`)).toBeUndefined();
});

const at = (micros: number, id?: string) => ({ micros, id });
const span = (first: ReturnType<typeof at>, last: ReturnType<typeof at>) => ({
  isOrdered: true,
  ends: { first, last },
});

test.each([
  ['one after the other', span(at(1), at(2)), span(at(3), at(4)), true],
  ['in reverse', span(at(3), at(4)), span(at(1), at(2)), false],
  ['one within the other', span(at(1), at(9)), span(at(3), at(4)), false],
  ['touching, with ascending ids', span(at(1), at(2, 'a')), span(at(2, 'b'), at(4)), true],
  ['touching, with descending ids', span(at(1), at(2, 'b')), span(at(2, 'a'), at(4)), false],
  ['touching, without ids', span(at(1), at(2)), span(at(2), at(4)), false],
  ['nothing before', emptyOrder, span(at(2), at(4)), true],
  ['nothing after', span(at(2), at(4)), emptyOrder, true],
  ['one out of order', { isOrdered: false }, emptyOrder, false],
] as const)('spans of time: %s', (_name, before, after, expected) => {
  expect(joinOrders(before, after).isOrdered).toBe(expected);
});
