import { expect, test } from 'vitest';
import { createLineMapper } from '../../../src/logs/shapes/map-line.js';
import { mappingsOf, readShippedShapes } from '../../support/declared-sources.js';

const shapes = mappingsOf(readShippedShapes({ makesLevel: true }));

function map(time: unknown): string {
  const mapping = shapes['json'];
  if (mapping === undefined) throw new Error('no shape json');
  const line = JSON.stringify({ time, msg: 'a', project: 'me' });
  return createLineMapper(mapping)(Buffer.from(line).toString('latin1'));
}

test.each([
  [{ $date: { $numberLong: '1773144000123' } }, 1_773_144_000_123],
  [{ seconds: 1_773_144_000, nanos: 5 }, 1_773_144_000_000_000_005n],
  [{ date: '2026-03-10 12:00:00.5', timezone: 'UTC' }, '2026-03-10T12:00:00.5+00:00'],
  [{ date: '2026-03-10 12:00:00', timezone: '+02:00' }, '2026-03-10T12:00:00+02:00'],
  ['/Date(1773144000123)/', 1_773_144_000_123],
])('%j is a time', (time, expected) => {
  const printed = typeof expected === 'string' ? JSON.stringify(expected) : String(expected);
  expect(map(time)).toContain(`"timestamp":${printed},`);
});

const deep = JSON.parse(`${'{"$date":'.repeat(2_000)}1${'}'.repeat(2_000)}`);

test.each([
  [{ $numberLong: '0,"project":"victim","z":0' }],
  [{ $date: { $numberLong: '0}\n{"timestamp":1' } }],
  [{ $date: '\u0122,\u0122project\u0122:\u0122victim' }],
  [{ date: '2026-03-10 12:00:00', timezone: '+00:00\u0122,\u0122project\u0122:\u0122victim' }],
  [{ seconds: { toString: 1 } }],
  [{ seconds: 0, nanos: 5 }],
  [{ seconds: '00', nanos: 5 }],
  ['/Date(0001)/'],
  [[{ $date: 1 }]],
  [deep],
])('no time moves a record to another project, or breaks its line', (time) => {
  const record = JSON.parse(Buffer.from(map(time), 'latin1').toString());
  expect(record).toMatchObject({ project: 'me', event_message: 'a' });
  expect(map(time).match(/"project":/g)).toHaveLength(1);
});
