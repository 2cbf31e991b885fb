import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { mapLines } from '../../../src/logs/files/map-lines.js';
import { recognizeShape } from '../../../src/logs/files/recognize-shape.js';
import { mappingsOf, readShippedShapes } from '../../support/declared-sources.js';
import { root } from '../../support/paths.js';

// Files as other programs write them: the shape, and the time, level and message of each record.
const samples = join(root, 'test/logs/shapes/others');
const shapes = mappingsOf(readShippedShapes({ makesLevel: true }));
const folder = mkdtempSync(join(tmpdir(), 'shapes-'));
afterAll(() => rmSync(folder, { recursive: true }));

async function read(path: string) {
  const found = recognizeShape(path, shapes);
  const shape = 'shape' in found ? found.shape : '';
  const mapping = shapes[shape];
  if (mapping === undefined) throw new Error('no shape');
  const to = join(folder, 'records');
  const writtenMs = Date.parse('2026-03-10T12:30:00Z');
  await mapLines({ path, compression: 'none', writtenMs }, mapping, to);
  const lines = readFileSync(to, 'utf8').split('\n');
  const records = lines.filter((line) => /^ ?\{/.test(line)).map((line) => JSON.parse(line));
  return {
    shape,
    records: records.map(({ timestamp, level = null, event_message }) => [
      String(timestamp),
      level,
      event_message,
    ]),
  };
}

const expected: unknown = JSON.parse(readFileSync(join(samples, 'expected.json'), 'utf8'));

test.each(readdirSync(samples).filter((file) => file !== 'expected.json'))(
  '%s is read',
  async (file) => {
    expect(expected).toHaveProperty([file], await read(join(samples, file)));
  },
);
