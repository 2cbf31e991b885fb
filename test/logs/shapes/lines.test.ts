import { expect, test } from 'vitest';
import { createLineMapper, createRecordMapper } from '../../../src/logs/shapes/map-line.js';
import { createTextReader } from '../../../src/logs/shapes/read-text.js';
import { recognizeLines } from '../../../src/logs/shapes/recognize.js';
import { createInZone } from '../../../src/logs/shapes/zone.js';
import { mappingsOf, readShippedShapes } from '../../support/declared-sources.js';

const shapes = mappingsOf(readShippedShapes({ makesLevel: true }));

interface Row {
  readonly timestamp: string | number;
  readonly level?: string;
  readonly event_message: string;
  readonly metadata?: object;
}

/** Reads lines by the shape that they are recognised as, in a zone. */
function read(lines: readonly string[], timezone?: string) {
  const { shape = '' } = recognizeLines(lines, shapes) ?? {};
  const mapping = { ...shapes[shape], ...(timezone && { timezone }) } as (typeof shapes)[string];
  const { text } = mapping;
  const latin = lines.map((line) => Buffer.from(line).toString('latin1'));
  const facts = {
    writtenMs: Date.parse('2026-03-10T12:30:00Z'),
    ...(timezone && { inZone: createInZone(timezone) }),
  };
  const reader = text && createTextReader(text, createRecordMapper(mapping), facts);
  const mapLine = createLineMapper(mapping);
  const written = reader
    ? latin.map(reader.read).join('') + reader.end()
    : latin.map((line) => `${mapLine(line)}\n`).join('');
  const rows = written.split('\n').filter((line) => line !== '');
  return {
    shape,
    rows: rows.map((row): Row | undefined => {
      const text = Buffer.from(row, 'latin1').toString();
      return text.startsWith('{') ? JSON.parse(text) : undefined;
    }),
  };
}

/** Returns an instant as ISO 8601 in UTC. */
function instant({ timestamp }: Row): string {
  const number = Number(timestamp);
  const digits = String(Math.trunc(number)).length;
  const ms = digits > 13 ? number / 1000 : digits > 10 ? number : number * 1000;
  return new Date(Number.isNaN(number) ? timestamp : Math.round(ms)).toISOString();
}

/** What is read of lines: the shape, and the time, level and message of each record; null for a line that is skipped. */
function outline(lines: readonly string[], timezone?: string) {
  const { shape, rows } = read(lines, timezone);
  const day = '2026-03-10T';
  return [
    shape,
    ...rows.map((row) => {
      if (row === undefined) return null;
      const time = instant(row).replace(day, '').replace('.000Z', '').replace('Z', '');
      return `${time} ${row.level ?? '-'} ${row.event_message}`;
    }),
  ];
}

/** Lines of a log, and what is read of them. */
type Case = readonly [lines: string, shape: string, ...rows: (string | null)[]];

const zones: readonly Case[] = [
  ['2026-03-10 12:00:00.123 CET [71] LOG:  ready', 'postgres', '11:00:00.123 info ready'],
  ['2026-03-10 12:00:00.123 EDT [71] LOG:  ready', 'postgres', '16:00:00.123 info ready'],
  ['2026-03-10 12:00:00.123 +03 [71] LOG:  ready', 'postgres', '09:00:00.123 info ready'],
  ['2026-03-10 12:00:00.123 -0330 [71] LOG:  ready', 'postgres', '15:30:00.123 info ready'],
  ['2026-03-10 12:00:00.123 XYZ [71] LOG:  ready', 'postgres', '12:00:00.123 info ready'],
  [
    '2026-03-10 12:00:00.123 CET,"a","b",72,"c",65ed.48,1,"SELECT",2026-03-10 11:59:00 CET,3/1,0,ERROR,42P01,"x",,,,,,"select 1",15,,"psql","client backend",,0',
    'postgres-csv',
    '11:00:00.123 error x',
  ],
  [
    '{"timestamp":"2026-03-10 12:00:00.123 CET","pid":1,"error_severity":"LOG","message":"x","backend_type":"b"}',
    'postgres-json',
    '11:00:00.123 info x',
  ],
  ['2026-03-10 12:00:00 CET INFO started', 'text', '11:00:00 info started'],
  ['2026-03-10 12:00:00 ESTABLISHED 7', 'text', '12:00:00 - ESTABLISHED 7'],
];

const postgres: readonly Case[] = [
  ['1773144000.123 [71] LOG:  ready', 'postgres', '12:00:00.123 info ready'],
  [
    '2026-03-10 12:00:00 UTC:203.0.113.7(51022):app@shop:[72]:ERROR:  x\n2026-03-10 12:00:01 UTC::@:[71]:LOG:  y',
    'postgres',
    '12:00:00 error x',
    '12:00:01 info y',
  ],
  [
    '2026-03-10 12:00:00 UTC [72]: [1-1] user=app,db=shop,app=psql,client=10.0.0.1 ERROR:  x',
    'postgres',
    '12:00:00 error x',
  ],
];

const cases = [...zones, ...postgres].map(([lines, ...expected]) => ({ lines, expected }));

test.each(cases)('$lines', ({ lines, expected }) => {
  expect(outline(lines.split('\n'))).toEqual(expected);
});

test('an abbreviation without an offset means the zone of the file', () => {
  const lines = ['2026-03-10 12:00:00 IST [71] LOG:  ready', '2026-03-10 12:00:00 CET [7] LOG:  a'];
  const [, ...rows] = outline(lines, 'Asia/Kolkata');
  expect(rows).toEqual(['06:30:00 info ready', '11:00:00 info a']);
});
