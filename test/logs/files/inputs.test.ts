import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createInputs, inputLogFiles } from '../../../src/logs/files/inputs.js';
import { mappingsOf, readShippedShapes } from '../../support/declared-sources.js';
import { makeFolder } from '../../support/load-logs.js';
import { root } from '../../support/paths.js';

const shapes = mappingsOf(readShippedShapes());
const { pino: pinoShape, winston: winstonShape } = shapes;
const context = { sources: [], shapes, as: new Map<string, string>() };
const pino = '{"level":30,"time":1,"msg":"a"}\n';
const winston = '{"level":"info","timestamp":1,"message":"a"}\n';
const long = new Date('2020-01-01T00:00:00Z');

function listOf(folder: string, ...names: readonly string[]) {
  const list = createInputs(names.map((name) => ({ name, path: join(folder, name) })));
  return (more: Partial<typeof context> = {}) =>
    list({ ...context, ...more }).files.map(({ source, name, shape: own }) =>
      [name, source, own].join(' '),
    );
}

test('a file keeps its shape while it grows, and a new one is looked at', () => {
  const folder = makeFolder({ 'app.log': '' });
  const list = listOf(folder, 'app.log');
  expect(list()).toEqual(['app.log app ']);
  writeFileSync(join(folder, 'app.log'), 'bin\0ary\n');
  expect(list()).toEqual([]);
  writeFileSync(join(folder, 'app.log'), pino);
  expect(list()).toEqual(['app.log app pino']);
  writeFileSync(join(folder, 'app.log'), winston);
  expect(list()).toEqual(['app.log app pino']);
  writeFileSync(join(folder, 'next.log'), winston);
  rmSync(join(folder, 'app.log'));
  renameSync(join(folder, 'next.log'), join(folder, 'app.log'));
  expect(list()).toEqual(['app.log app winston']);
});

test('zeros before the first line, which a truncation leaves, are no part of it', () => {
  const holed = Buffer.concat([Buffer.alloc(100_000), Buffer.from(pino)]);
  expect(listOf(makeFolder({ 'app.log': holed }), 'app.log')()).toEqual(['app.log app pino']);
});

test('in a folder, text without times is read only if its file is called a log', () => {
  const folder = makeFolder({ 'build.log': 'up\n', 'README.md': 'up\n', 'app.conf': 'up\n' });
  expect(listOf(folder, '.')()).toEqual(['build.log build text']);
  expect(listOf(folder, 'README.md')()).toEqual(['README.md readme_md text']);
});

test('of the files beside a file, those count that rotation makes from now on', () => {
  const folder = makeFolder({
    'app.log': pino,
    'app.log.1': pino,
    'app.json': pino,
    'b.log': pino,
  });
  utimesSync(join(folder, 'app.log.1'), long, long);
  utimesSync(join(folder, 'app.log'), long, long);
  const list = listOf(folder, 'app.log');
  expect(list()).toEqual(['app.log app pino']);
  renameSync(join(folder, 'app.log.1'), join(folder, 'app.log.2'));
  renameSync(join(folder, 'app.log'), join(folder, 'app-2020-01-01.log'));
  writeFileSync(join(folder, 'app.log.gz'), pino);
  appendFileSync(join(folder, 'app.json'), pino);
  expect(list()).toEqual(['app-2020-01-01.log app pino', 'app.log.gz app pino']);
});

test('a source keeps its name when files come that would be called the same', () => {
  const folder = makeFolder({ 'a/web-app.log': pino, 'b/other.log': pino });
  const list = listOf(folder, 'a', 'b');
  expect(list()).toEqual(['a/web-app.log web_app pino', 'b/other.log other pino']);
  for (const name of ['a/web app.log', 'a/web-app.2.log', 'b/web-app.log'])
    writeFileSync(join(folder, name), pino);
  expect(list()).toEqual([
    'a/web app.log web_app_2 pino',
    'a/web-app.2.log web_app pino',
    'a/web-app.log web_app pino',
    'b/other.log other pino',
    'b/web-app.log b_web_app pino',
  ]);
});

test('files with names that say nothing are one source, called by their shape', () => {
  const folder = makeFolder({ '2026-03-10-0A.log': pino, '2026-03-11-0B.log': pino });
  expect(listOf(folder, '.')()).toEqual([
    '2026-03-10-0A.log pino pino',
    '2026-03-11-0B.log pino pino',
  ]);
});

test('a declared source is read as declared, also under another name', () => {
  const folder = makeFolder({ 'Edge-Logs.ndjson': pino, 'edge.log': pino, 'tasks.log': pino });
  const own = [
    { name: 'edge_logs', aliases: ['edge'] },
    { name: 'tasks', ...(winstonShape && { mapping: winstonShape }) },
  ];
  const list = createInputs([{ name: folder, path: folder }]);
  const { files } = list({ ...context, sources: own });
  const mapped = inputLogFiles(
    files,
    own.map((source) => ({ ...source, shapes })),
  );
  expect(mapped.map(({ source, mapping }) => [source, mapping])).toEqual([
    ['edge_logs', undefined],
    ['edge_logs', pinoShape],
    ['tasks', winstonShape],
  ]);
});

test('--as wins, and none leaves files out', () => {
  const folder = makeFolder({ 'app.pino.log': pino, 'odd.log': 'odd\0\n' });
  mkdirSync(join(folder, 'empty'));
  const list = listOf(folder, '.');
  expect(list()).toEqual(['app.pino.log app pino']);
  const as = new Map([
    ['app', 'none'],
    ['odd', 'pino'],
  ]);
  expect(list({ as })).toEqual(['odd.log odd pino']);
});

test('a file on the way to a folder that is gone is no file; a folder that is gone is an error', () => {
  const folder = makeFolder({ 'a/app.log': pino, 'b/app.log': pino });
  const lists = [listOf(folder, 'a/app.log'), listOf(folder, 'b')];
  for (const name of ['a', 'b']) rmSync(join(folder, name), { recursive: true });
  expect(lists[0]?.()).toEqual([]);
  expect(lists[1]).toThrow('there is no such folder');
});

test('where lines need times, neither a text nor JSON without any is read', () => {
  const folder = makeFolder({
    'README.md': 'a\nb\n',
    'package.json': '{"name":"a","log":"b"}\n',
    'app.log': '2026-03-10T12:00:00Z INFO up\n\tmore\n',
    'any.json': '{"ts":1773143999,"msg":"a"}\n',
  });
  const list = createInputs([{ name: '', path: folder }], { needsTimes: true });
  expect(list(context).files.map(({ name, shape }) => [name, shape])).toEqual([
    ['any.json', 'json'],
    ['app.log', 'text'],
  ]);
});

test('what is no file and no folder is refused', () => {
  expect(() => createInputs([{ name: 'null', path: '/dev/null' }])).toThrow(
    'null is no file and no folder; send what it holds to -',
  );
});

const samples = join(root, 'test/logs/shapes/samples');

test.each(readdirSync(samples))('the sample %s has its source and its shape', (name) => {
  const folder = join(samples, name);
  const { file, source, shape } = JSON.parse(readFileSync(join(folder, 'expected.json'), 'utf8'));
  const wanted = shape === null ? [] : [[file, source, shape].join(' ')];
  expect(listOf(folder, file)()).toEqual(wanted);
});

test('a link to itself, and a file that may not be looked at, are left out', () => {
  const folder = makeFolder({ 'app.log': '{"level":30,"time":1,"msg":"a"}\n' });
  symlinkSync('loop', join(folder, 'loop'));
  const list = createInputs([{ path: folder, name: 'logs' }]);
  const { files } = list({ sources: [], shapes, as: new Map() });
  expect(files.map(({ source }) => source)).toEqual(['app']);
});
