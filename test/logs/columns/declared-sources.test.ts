import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Field } from '../../../src/types/types.js';
import { readDeclaredSources } from '../../support/declared-sources.js';
import { declared, makeFolder } from '../../support/load-logs.js';

interface Shared {
  readonly project: string;
  readonly repeated_records: readonly string[];
  readonly fields: Readonly<Record<string, string>>;
}
const expectedSources: Readonly<Record<string, Shared>> = JSON.parse(
  readFileSync('test/acceptance/sources.json', 'utf8'),
);

function paths({ name, type }: Field, parent = ''): readonly (readonly [string, string])[] {
  const path = `${parent}${name}`;
  if (type.kind !== 'ARRAY') return [[path, type.kind]];
  if (type.element.kind !== 'STRUCT') return [[path, `${type.element.kind}[]`]];
  return [[path, 'record'], ...type.element.fields.flatMap((field) => paths(field, `${path}.`))];
}

test.each(Object.entries(expectedSources))(
  '%s is declared as the acceptance cases expect',
  (name, expected) => {
    const columns = declared.find((source) => source.name === name)?.columns ?? [];
    const base = ['id', 'timestamp', 'event_message'];
    const project = expected.project === 'record column' ? ['project'] : [];
    const own = Object.keys(expected.fields).filter((path) => !path.includes('.'));
    expect(columns.map((column) => column.name)).toEqual([...base, ...project, ...own, 'metadata']);
    const found = new Map(columns.slice(-1 - own.length).flatMap((column) => paths(column)));
    const records = expected.repeated_records.map((path) => [path, 'record'] as const);
    expect(found).toEqual(new Map([...records, ...Object.entries(expected.fields)]));
  },
);

test.each([
  ['invalid JSON', '{', 'JSON'],
  [
    'a project that is no text',
    '{"project":"metadata.org","fields":{"metadata.org":"INT64"}}',
    'project: metadata.org must be declared STRING',
  ],
  [
    'an unknown key',
    '{"project":"record column","repeated_records":[],"fields":{},"x":1}',
    'unknown key x; ',
  ],
  [
    'a misspelt key',
    '{"event_mesage":"msg"}',
    'event_mesage; did you mean event_message?; the keys',
  ],
  [
    'an unknown type',
    '{"project":"record column","repeated_records":["metadata"],"fields":{"metadata.a":"TEXT"}}',
    'unknown type',
  ],
  [
    'a name twice',
    '{"project":"record column","repeated_records":["metadata"],"fields":{"metadata.a":"STRING","metadata.A":"STRING"}}',
    'twice',
  ],
  ['an alias that is no name', '{"also_called":["a b"]}', 'also_called.0: '],
  ['a project that is no name', '{"project":{"fixed":"a"}}', 'project: '],
  ['no name', '{"timestamp":""}', 'timestamp: '],
])('%s is a fault that names the file', (_name, text, message) => {
  const folder = makeFolder({ 'x_logs.json': text });
  expect(() => readDeclaredSources(folder)).toThrow(/^x_logs\.json: /);
  expect(() => readDeclaredSources(folder)).toThrow(message);
});

test('rejects a missing folder', () => {
  expect(() => readDeclaredSources('/nowhere')).toThrow('cannot be read');
});

test('a declaration needs no more than a name', () => {
  const [source] = readDeclaredSources(makeFolder({ 'app.json': '{}' }));
  expect(source?.columns.map(({ name }) => name)).toEqual([
    'id',
    'timestamp',
    'event_message',
    'project',
    'metadata',
  ]);
  expect(source).toMatchObject({
    name: 'app',
    projectPath: ['project'],
    mapping: { timestamp: ['timestamp'], project: { from: ['project'], otherwise: 'default' } },
  });
});

test('records of declared fields need no declaration', () => {
  const fields = { 'metadata.a.b': 'STRING', 'metadata.c': 'INT64' };
  const [source] = readDeclaredSources(makeFolder({ 'app.json': JSON.stringify({ fields }) }));
  const found = source?.columns.slice(-1).flatMap((column) => paths(column)) ?? [];
  expect(found.map(([path]) => path)).toEqual([
    'metadata',
    'metadata.c',
    'metadata.a',
    'metadata.a.b',
  ]);
});

test.each([
  ['two sources of one name', { 'a.json': '{}', 'A.json': '{}' }, undefined],
  ['an alias that is a source', { 'a.json': '{"also_called":"b"}', 'b.json': '{}' }, undefined],
  [
    'two equal aliases',
    { 'a.json': '{"also_called":"c"}', 'b.json': '{"also_called":"C"}' },
    undefined,
  ],
  [
    'an alias that is its source',
    { 'a.json': '{"also_called":"A"}' },
    'a is the name of several sources',
  ],
])('%s: no name belongs to two sources', (_name, files, fault) => {
  const read = () => readDeclaredSources(makeFolder(files));
  if (fault !== undefined) return expect(read).toThrow(fault);
  const names = read().flatMap(({ name, aliases = [] }) => [name, ...aliases]);
  expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(names.length);
});
