import { describe, expect, test } from 'vitest';
import { createInZone, jsonInZone } from '../../../src/logs/shapes/zone.js';

describe('a time without an offset gets that of its zone', () => {
  test.each([
    ['Europe/Berlin', '2026-01-10 12:00:00', '2026-01-10T12:00:00+01:00'],
    ['Europe/Berlin', '2026-07-10T12:00:00,123', '2026-07-10T12:00:00.123+02:00'],
    ['America/St_Johns', '2026-01-10 12:00', '2026-01-10T12:00:00-03:30'],
    ['Asia/Kathmandu', '2026-01-10 12:00:00.5', '2026-01-10T12:00:00.5+05:45'],
    ['Europe/Berlin', '2026-1-10 9:05:00', '2026-01-10T09:05:00+01:00'],
    ['Europe/Berlin', '20260110T120000', '2026-01-10T12:00:00+01:00'],
    ['Europe/Berlin', '2026-07-10', '2026-07-10T00:00:00+02:00'],
    ['Europe/Berlin', '0001-01-01 00:00:00', '0001-01-01T00:00:00+00:53'],
    ['America/New_York', '0001-01-01 00:00:00', '0001-01-01T00:00:00-04:56'],
    ['UTC', '2026-01-10 12:00:00', '2026-01-10T12:00:00+00:00'],
    ['Europe/Berlin', '2026-13-41 12:00:00', '2026-13-41T12:00:00Z'],
  ])('%s: %s', (zone, time, expected) => {
    expect(jsonInZone(`"${time}"`, createInZone(zone))).toBe(`"${expected}"`);
  });

  test('at a change of the clock: the earlier time of two, and the offset before a gap', () => {
    const inZone = createInZone('Europe/Berlin');
    const write = (time: string) => jsonInZone(time, inZone);
    expect(write('"2026-10-25 02:30:00"')).toBe('"2026-10-25T02:30:00+02:00"');
    expect(write('"2026-10-25 03:30:00"')).toBe('"2026-10-25T03:30:00+01:00"');
    expect(write('"2026-03-29 01:30:00"')).toBe('"2026-03-29T01:30:00+01:00"');
    expect(write('"2026-03-29 03:30:00"')).toBe('"2026-03-29T03:30:00+02:00"');
    expect(Date.parse(JSON.parse(write('"2026-03-29 02:30:00"')))).not.toBeNaN();
  });
});

test.each([
  '"2026-01-10T12:00:00Z"',
  '"2026-01-10T12:00:00+00:00"',
  '1770000000',
  '"12:00"',
  '"x"',
])('%s stays as it is', (time) =>
  expect(jsonInZone(time, createInZone('Europe/Berlin'))).toBe(time),
);
