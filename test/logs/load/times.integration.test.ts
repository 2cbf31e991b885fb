import { describe, expect, test } from 'vitest';
import { loadFolder, loadLines, makeFolder } from '../../support/load-logs.js';
import { isFullLength, sample } from '../../support/nightly.js';

const time = '2026-03-10T12:00:00Z';

describe('timestamps', () => {
  test.each(
    sample(
      [
        ['2026-03-10T14:00:00+02:00', '2026-03-10 12:00:00+00'],
        ['2026-03-10T12:00:00', '2026-03-10 12:00:00+00'],
        ['2026-03-10 12:00:00-0530', '2026-03-10 17:30:00+00'],
        ['2026-03-10t12:00:00.1234567z', '2026-03-10 12:00:00.123456+00'],
        ['2026-03-10T12:00Z', '2026-03-10 12:00:00+00'],
        ['2026-03-10', '2026-03-10 00:00:00+00'],
        [1741600000, '2025-03-10 09:46:40+00'],
        [1741600000.5, '2025-03-10 09:46:40.5+00'],
        [1741600000123, '2025-03-10 09:46:40.123+00'],
        [1741600000123456, '2025-03-10 09:46:40.123456+00'],
        ['1741600000123456789', '2025-03-10 09:46:40.123456+00'],
        [-1, '1969-12-31 23:59:59+00'],
        [-86400.5, '1969-12-30 23:59:59.5+00'],
        ['2026-03-10 12:00:00,123', '2026-03-10 12:00:00.123+00'],
        ['2026-03-10 12:00:00 UTC', '2026-03-10 12:00:00+00'],
        ['2026-03-10T12:00:00 Z', '2026-03-10 12:00:00+00'],
        ['2026-03-10T24:00:00Z', '2026-03-11 00:00:00+00'],
        ['1969-12-31T23:59:59.9999999Z', '1969-12-31 23:59:59.999999+00'],
        ['0001-01-01T00:00:00Z', '0001-01-01 00:00:00+00'],
        ['9999-12-31T23:59:59.999999Z', '9999-12-31 23:59:59.999999+00'],
        ['99999999999999', '5138-11-16 09:46:39.999+00'],
        ['20260310T120000Z', '2026-03-10 12:00:00+00'],
        ['20260310T140000.25+0200', '2026-03-10 12:00:00.25+00'],
        ['20260310T1200', '2026-03-10 12:00:00+00'],
        ['2016-12-31T23:59:60Z', '2017-01-01 00:00:00+00'],
        ['2017-01-01T05:29:60.5+05:30', '2017-01-01 00:00:00.5+00'],
        ['20161231T235960Z', '2017-01-01 00:00:00+00'],
        ['9223372036854775807', '2262-04-11 23:47:16.854775+00'],
      ],
      4,
    ),
  )('%j is %s', async (timestamp, expected) => {
    const report = await loadLines([{ id: 'a', timestamp }]);
    expect(await report.rows('edge_logs', 'timestamp')).toEqual([{ timestamp: expected }]);
  });

  const unreadable: readonly unknown[] = [
    ...['epoch', 'infinity', 'yesterday', '', null, {}, [time], true, '1_000', '1e22'],
    ...[
      '2026-02-30',
      '2026-03-10T12:00:60Z',
      '2026-03-10T12:59:60Z',
      '20260310T126000Z',
      '2026-03-10T12:00:00+99:00',
      '2026-03-10 (BC)',
    ],
    ...['0000-12-31T23:59:59Z', '0001-01-01T00:00:00+01:00', '10000-01-01T00:00:00Z'],
    ...['9999-12-31T23:59:59-01:00', '2026-03-10T12:00:00 Europe/Berlin'],
  ];
  test.each(
    sample(
      unreadable.map((timestamp) => ({ timestamp })),
      5,
    ),
  )('$timestamp is not a timestamp, and does not affect the next line', async ({ timestamp }) => {
    const report = await loadLines([
      { id: 'a', timestamp },
      { id: 'b', timestamp: '2026-03-10 12:00:00' },
    ]);
    expect(await report.rows('edge_logs', 'id, "timestamp" as t')).toEqual([
      { id: 'b', t: '2026-03-10 12:00:00+00' },
    ]);
    expect(report.files).toMatchObject([
      {
        records: 1,
        badLines: 1,
        faults: [{ line: 1, message: expect.stringContaining('timestamp') }],
      },
    ]);
  });

  test('rows are ordered by time', async () => {
    const report = await loadLines([
      { id: 'a', timestamp: 3 },
      { id: 'b', timestamp: 1 },
      { id: 'c', timestamp: 2 },
    ]);
    expect(await report.rows('edge_logs', 'id, rowid as at')).toEqual([
      { id: 'a', at: '2' },
      { id: 'b', at: '0' },
      { id: 'c', at: '1' },
    ]);
  });

  test.runIf(isFullLength)(
    'rows of the same time are ordered by id, whatever the files and threads',
    async () => {
      // More than are loaded with one thread.
      const event_message = 'x'.repeat(700);
      const line = (id: number) =>
        JSON.stringify({ id: `${100_000 + id}`, timestamp: id % 7, event_message });
      const lines = Array.from({ length: 50_000 }, (_, index) => line((index * 7919) % 50_000));
      const files = { 'edge_logs/a.ndjson': lines.slice(0, 20_000).join('\n') };
      const folder = makeFolder({ ...files, 'edge_logs/b.ndjson': lines.slice(20_000).join('\n') });
      const report = await loadFolder(folder);
      const rows = await report.rows(
        'edge_logs',
        'id, epoch("timestamp")::int as t, rowid::int as at',
      );
      const stored = (rows as readonly Row[]).toSorted((one, other) => one.at - other.at);
      const sorted = (rows as readonly Row[]).toSorted((one, other) => one.t - other.t);
      expect(stored).toEqual(sorted);
    },
  );
});

interface Row {
  readonly id: string;
  readonly t: number;
  readonly at: number;
}
