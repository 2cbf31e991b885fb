import { expect, test } from 'vitest';
import { cutContainer } from '../../../src/logs/shapes/container-prefix.js';
import { createLineMapper, createRecordMapper } from '../../../src/logs/shapes/map-line.js';
import { createTextReader } from '../../../src/logs/shapes/read-text.js';
import { recognizeLines } from '../../../src/logs/shapes/recognize.js';
import { mappingsOf, readShippedShapes } from '../../support/declared-sources.js';

const shapes = mappingsOf(readShippedShapes({ makesLevel: true }));
const record = { level: 30, time: 1773144000000, pid: 7, hostname: 'web', msg: 'up' };
const json = `\u001b[36mweb-1  | \u001b[0m${JSON.stringify(record)}`;
const postgres = 'db-1   | 2026-03-10 12:00:00.123 UTC [71] LOG:  ready';

test.each([
  [json, 'pino'],
  [postgres, 'postgres'],
  [postgres.replace('db-1 ', 'db '), 'postgres'],
])('%j is recognized without its prefix', (line, shape) => {
  expect(recognizeLines([line, line], shapes)).toMatchObject({ shape, fitting: 2, lines: 2 });
});

test('the name of the container is a field', () => {
  const { pino, postgres: ofPostgres } = shapes;
  if (pino === undefined || ofPostgres?.text === undefined) throw new Error('no shape');
  expect(JSON.parse(createLineMapper(pino)(json))).toMatchObject({
    event_message: 'up',
    metadata: { container: 'web-1', pid: 7 },
  });
  const write = createRecordMapper(ofPostgres);
  const reader = createTextReader(ofPostgres.text, write, { writtenMs: 0 });
  const written = reader.read(postgres) + reader.read('db-1   | \tdetail') + reader.end();
  expect(JSON.parse(written)).toMatchObject({
    event_message: 'ready\n\tdetail',
    metadata: { container: 'db-1' },
  });
});

test('a declared pattern sees the whole line', () => {
  const { text: shape } = shapes;
  if (shape?.text === undefined) throw new Error('no shape');
  const text = { ...shape.text, lines: ['(?<worker>\\w+-\\d+) \\| (?<event_message>.*)$'] };
  const reader = createTextReader(text, createRecordMapper(shape), { writtenMs: 0 });
  const written = JSON.parse(reader.read('worker-3 | started') + reader.end());
  expect(written).toMatchObject({ event_message: 'started', metadata: { worker: 'worker-3' } });
});

test('a line of another container keeps its name in the message that it goes on', () => {
  const { postgres: shape } = shapes;
  if (shape?.text === undefined) throw new Error('no shape');
  const reader = createTextReader(shape.text, createRecordMapper(shape), { writtenMs: 0 });
  const written = reader.read(postgres) + reader.read('web-1  |   at pay.js:41') + reader.end();
  expect(JSON.parse(written).event_message).toBe('ready\nweb-1  |   at pay.js:41');
});

test.each([
  '2026-03-10 | INFO | up',
  'a | b',
  'INFO  | up',
  'web-1| x',
  ' web-1 | x',
  'x web-1 | y',
  '{"a":"web-1 | x"}',
  '| x',
  '',
])('%j has no prefix', (line) => expect(cutContainer(line)).toEqual([line]));

test('a table keeps its first column', () => {
  const { csv } = shapes;
  if (csv?.text?.table === undefined) throw new Error('no table');
  const text = { ...csv.text, table: { ...csv.text.table, separator: '|' } };
  const reader = createTextReader(text, createRecordMapper(csv), { writtenMs: 0 });
  const read = ['time|job', '2026-03-10T12:00:00Z|b', 'job-1 | c'].map(reader.read).join('');
  expect(read + reader.end()).toContain('job-1');
});
