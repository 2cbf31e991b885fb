import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { makeSchemas } from '../../scripts/schemas.mjs';
import { readTestFile } from '../../src/cli/test-file.js';
import { readPreset } from '../../src/config/preset.js';
import { parseDeclaration } from '../../src/logs/columns/declaration.js';
import { findBlocks, pages } from '../docs/markdown.js';
import { makeFolder } from '../support/load-logs.js';
import { root } from '../support/paths.js';

const schemas = makeSchemas();
const ajv = new Ajv2020({ strictTypes: false, allErrors: true });
const validators = {
  source: ajv.compile(schemas.source),
  preset: ajv.compile(schemas.preset),
  test: ajv.compile(schemas.test),
};

function errorsOf(name: keyof typeof validators, file: unknown): readonly string[] {
  const validate = validators[name];
  validate(file);
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

const readJson = (path: string): unknown => JSON.parse(readFileSync(join(root, path), 'utf8'));
const filesOf = (folder: string) =>
  readdirSync(join(root, folder)).map((name) => join(folder, name));

test.each(['source', 'preset', 'test'] as const)(
  'schemas/%s.json is up to date (npm run schemas)',
  (name) => {
    expect(readJson(`schemas/${name}.json`)).toEqual(JSON.parse(JSON.stringify(schemas[name])));
  },
);

test.each([...filesOf('sql/sources'), ...filesOf('sql/shapes')])('%s is a source', (path) => {
  expect(errorsOf('source', readJson(path))).toEqual([]);
});

test.each(filesOf('sql/presets'))('%s is a preset', (path) => {
  expect(errorsOf('preset', readJson(path))).toEqual([]);
});

// If an example of a page has an unknown key, the page or the schema is wrong.
test('the declarations in the pages are sources', () => {
  const blocks = pages.flatMap(({ text }) => findBlocks(text));
  const files = blocks.filter(({ options }) =>
    /sources\/\w+\.json$/.test(options.get('file') ?? ''),
  );
  expect(files.length).toBeGreaterThan(2);
  for (const { body } of files) expect(errorsOf('source', JSON.parse(body))).toEqual([]);
});

describe('the files of tests in the pages', () => {
  const blocks = pages.flatMap(({ text }) => findBlocks(text));
  const files = blocks
    .map(({ options, body }) => [options.get('file') ?? '', body] as const)
    .filter(([file]) => file.endsWith('.test.json'));

  test('are files of tests', () => {
    expect(files.length).toBeGreaterThan(1);
    for (const [, body] of files) expect(errorsOf('test', JSON.parse(body))).toEqual([]);
  });

  test('name the schema that is shipped, or none', () => {
    const named = files.flatMap(([file, body]) => {
      const { $schema } = JSON.parse(body) as { readonly $schema?: string };
      return $schema === undefined ? [] : [join(dirname(file), $schema)];
    });
    expect(named).toContain('node_modules/log-endpoints/schemas/test.json');
    for (const path of named)
      expect(readJson(path.replace('node_modules/log-endpoints/', ''))).toMatchObject({
        title: expect.stringContaining('.test.json'),
      });
  });
});

describe('what the program refuses, the schema refuses', () => {
  test.each([
    ['a misspelled key', { timestmp: 't' }],
    ['an unknown type', { fields: { 'metadata.a': 'INT' } }],
    ['a path that leads nowhere', { fields: { 'other.a': 'STRING' } }],
    ['a number for a name', { timestamp: 1 }],
    ['an unknown form', { text: { lines: 'a', others: 'drop' } }],
  ])('%s of a source', (_name, file) => {
    expect(() => parseDeclaration('a', JSON.stringify(file))).toThrow();
    expect(errorsOf('source', file)).not.toEqual([]);
  });

  test.each([
    ['a misspelled key', { setings: {} }],
    ['a number for a setting', { settings: { port: 1 } }],
    ['a text for lines', { endpoints: { a: 'select 1' } }],
  ])('%s of a preset', (_name, file) => {
    const folder = makeFolder({ 'a.json': JSON.stringify(file) });
    expect(() => readPreset(join(folder, 'a.json'))).toThrow();
    expect(errorsOf('preset', file)).not.toEqual([]);
  });
});

describe('of a file of tests, what the program refuses, the schema refuses', () => {
  const rows: readonly unknown[] = [];
  test.each([
    ['a misspelled key', { tsts: [], tests: [] }],
    ['a misspelled key of a test', { tests: [{ name: 'a', rws: rows }] }],
    ['no tests', {}],
    ['a test without a name', { tests: [{ rows }] }],
    ['a parameter that is an object', { tests: [{ name: 'a', parameters: { b: {} }, rows }] }],
    ['one record, not a list', { tests: [{ name: 'a', records: { edge_logs: {} }, rows }] }],
    ['one row, not a list', { tests: [{ name: 'a', rows: 1 }] }],
  ])('%s', (_name, file) => {
    const folder = makeFolder({ 'a.test.json': JSON.stringify(file) });
    expect(() => readTestFile(join(folder, 'a.test.json'))).toThrow();
    expect(errorsOf('test', file)).not.toEqual([]);
  });
});

test('a file may name its schema', () => {
  const $schema = './schemas/source.json';
  expect(() => parseDeclaration('a', JSON.stringify({ $schema }))).not.toThrow();
  const folder = makeFolder({ 'a.json': JSON.stringify({ $schema }) });
  expect(readPreset(join(folder, 'a.json')).settings.size).toBe(0);
});
