import { describe, expect, test } from 'vitest';
import { createZoneWriter } from '../../../src/logs/shapes/zone.js';

describe('a time without an offset gets that of its zone', () => {
  test.each([
    ['Europe/Berlin', '2026-01-10 12:00:00', '2026-01-10T12:00:00+01:00'],
    ['Europe/Berlin', '2026-07-10T12:00:00,123', '2026-07-10T12:00:00.123+02:00'],
    ['America/St_Johns', '2026-01-10 12:00', '2026-01-10T12:00:00-03:30'],
    ['Asia/Kathmandu', '2026-01-10 12:00:00.5', '2026-01-10T12:00:00.5+05:45'],
    ['UTC', '2026-01-10 12:00:00', '2026-01-10T12:00:00+00:00'],
    ['Europe/Berlin', '2026-13-41 12:00:00', '2026-13-41T12:00:00Z'],
  ])('%s: %s', (zone, time, expected) => {
    expect(createZoneWriter(zone)(`"${time}"`)).toBe(`"${expected}"`);
  });

  test('at a change of the clock: the earlier time of two, and the offset before a gap', () => {
    const write = createZoneWriter('Europe/Berlin');
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
])('%s stays as it is', (time) => expect(createZoneWriter('Europe/Berlin')(time)).toBe(time));
