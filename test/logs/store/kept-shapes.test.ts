import { appendFileSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createInputs } from '../../../src/logs/files/inputs.js';
import { keptShapesName, openKeptShapes } from '../../../src/logs/store/kept-shapes.js';
import { clearCaches } from '../../../src/logs/store/manage-entries.js';
import { openSources } from '../../../src/start/source-files.js';
import { mappingsOf, readShippedShapes } from '../../support/declared-sources.js';
import { makeFolder } from '../../support/load-logs.js';

const shapes = mappingsOf(readShippedShapes());
const pino = '{"level":30,"time":1,"msg":"a"}\n';
const winston = '{"level":"info","timestamp":1,"message":"a"}\n'.repeat(100);

/** The shapes of the files of a path, as a start of the program finds them. */
function start(cacheDir: string, path: string, known = shapes) {
  const list = createInputs([{ name: path, path }], { memory: openKeptShapes(cacheDir) });
  const { files } = list({ sources: [], shapes: known, as: new Map() });
  return files.map(({ shape }) => shape);
}

test('a file that has grown has its shape after a restart, also under another name', () => {
  const [folder, cacheDir] = [makeFolder({ 'app.log': pino }), makeFolder({})];
  const path = join(folder, 'app.log');
  expect(start(cacheDir, path)).toEqual(['pino']);
  appendFileSync(path, winston);
  expect(start(makeFolder({}), path)).toEqual(['winston']);
  expect(start(cacheDir, path)).toEqual(['pino']);
  expect(start(cacheDir, folder)).toEqual(['pino']);
  expect(statSync(join(cacheDir, keptShapesName)).mode & 0o777).toBe(0o600);
});

test('the program keeps shapes unless its disk cache is off', () => {
  const [folder, cacheDir] = [makeFolder({ 'app.log': pino }), makeFolder({})];
  const path = join(folder, 'app.log');
  const shapeOf = (noDiskCache: boolean) =>
    openSources({ paths: [path], cacheDir, noDiskCache }).inputs().files[0]?.shape;
  expect(shapeOf(false)).toBe('pino');
  appendFileSync(path, winston);
  expect([shapeOf(false), shapeOf(true)]).toEqual(['pino', 'winston']);
});

test('a file that begins with other bytes is looked at again', () => {
  const [folder, cacheDir] = [makeFolder({ 'app.log': pino }), makeFolder({})];
  const path = join(folder, 'app.log');
  expect(start(cacheDir, path)).toEqual(['pino']);
  // In place, so that the inode stays.
  writeFileSync(path, winston);
  expect(start(cacheDir, path)).toEqual(['winston']);
  writeFileSync(path, pino);
  expect(start(cacheDir, path)).toEqual(['pino']);
});

test('with another choice of shapes, a file is looked at again', () => {
  const [folder, cacheDir] = [makeFolder({ 'app.log': pino, 'README.md': 'up\n' }), makeFolder({})];
  const path = join(folder, 'app.log');
  const { pino: _, ...others } = shapes;
  expect(start(cacheDir, path, others)).toEqual(['json']);
  expect(start(cacheDir, path)).toEqual(['pino']);
  // Named alone, any text is a log.
  expect(start(cacheDir, join(folder, 'README.md'))).toEqual(['text']);
  expect(start(cacheDir, folder)).toEqual(['pino']);
});

test('a damaged file of shapes is replaced, and clearing the cache removes it', () => {
  const [folder, cacheDir] = [makeFolder({ 'app.log': pino }), makeFolder({})];
  const [path, kept] = [join(folder, 'app.log'), join(cacheDir, keptShapesName)];
  for (const text of ['', '{', '{}', '[null]', '[{"file":"x"}]', '7']) {
    writeFileSync(kept, text);
    expect(start(cacheDir, path)).toEqual(['pino']);
    expect(JSON.parse(readFileSync(kept, 'utf8'))).toHaveLength(text.includes('file') ? 2 : 1);
  }
  clearCaches(cacheDir);
  expect(existsSync(kept)).toBe(false);
  expect(start(join(path, 'no folder'), path)).toEqual(['pino']);
});
