import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Compiler, createCompiler } from '../../src/compiler/compile.js';
import { createCatalog, openCatalog, readEndpoints } from '../../src/endpoint/catalog.js';
import { printFileFault } from '../../src/endpoint/file-fault.js';
import { ServiceError, SetupError } from '../../src/errors/errors.js';
import { leastData } from '../../src/start/start-up.js';
import type { SourceSchema } from '../../src/types/schema.js';
import type { Field, Type } from '../../src/types/types.js';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'catalog-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const ids = [
  '5d9d7c1e-2b44-4b6f-8c1c-9a7f3f5b6e02',
  '11111111-2222-4333-8444-555555555555',
  '21111111-2222-4333-8444-555555555555',
];

function write(name: string, { id = ids[0], sql = 'select @p', header = '' } = {}): void {
  const settings = [
    `-- name: ${name}`,
    `-- id: ${id}`,
    '-- max-rows: 10',
    '-- cache-seconds: 0',
    '-- warm-seconds: 0',
    '-- sandbox: true',
    '-- redact-pii: false',
    '-- @p: string, optional',
    header,
  ];
  writeFileSync(join(folder, `${name}.sql`), [...settings, sql].filter(Boolean).join('\n'));
}

/** Accepts every query except those with the word `wrong`, which it refuses at its position. */
const compiler: Compiler = {
  projects: new Set(),
  takesQueries: true,
  compile: () => {
    throw new Error('nothing is run here');
  },
  check: ({ sql }) => {
    const query = sql.split('\n').findIndex((line) => line.startsWith('select'));
    const text = sql.split('\n')[query] ?? '';
    const wrong = text.indexOf('wrong');
    if (wrong !== -1) {
      throw new ServiceError('invalidQuery', `Unrecognized name at [${query + 1}:${wrong + 1}]`, {
        line: query + 1,
        column: wrong + 1,
      });
    }
    return [];
  },
  explain: () => {
    throw new Error('nothing is explained here');
  },
  describe: () => ({ columns: [], tables: [] }),
};

test('endpoints are found by name and, in any letter case, by id', () => {
  write('a.b');
  write('c', { id: ids[1]?.toUpperCase() ?? '' });
  writeFileSync(join(folder, 'notes.txt'), 'not an endpoint');
  const { catalog } = openCatalog([folder], compiler);
  expect(catalog.endpoints.map(({ name }) => name)).toEqual(['a.b', 'c']);
  for (const asked of ['c', ids[1], ids[1]?.toUpperCase()]) {
    expect(catalog.find(asked ?? '').name).toBe('c');
  }
});

test.each([
  ['a.c', 'Endpoint not found: a.c; did you mean a.b?'],
  ['A.B', 'Endpoint not found: A.B; did you mean a.b?'],
  ['quite-another', 'Endpoint not found: quite-another'],
  [
    '00000000-0000-4000-8000-000000000000',
    'Endpoint not found: 00000000-0000-4000-8000-000000000000',
  ],
  ['__proto__', 'Endpoint not found: __proto__'],
  ['x'.repeat(60_000), `Endpoint not found: ${'x'.repeat(99)}…`],
])('%.40s is not found', (asked, message) => {
  write('a.b');
  const catalog = createCatalog(readEndpoints([folder], compiler).endpoints);
  const failure = () => catalog.find(asked);
  expect(failure).toThrow(ServiceError);
  expect(failure).toThrow(expect.objectContaining({ message }));
});

test('a folder of its own adds to the shipped endpoints, and replaces those with the same name', () => {
  const shipped = mkdtempSync(join(tmpdir(), 'catalog-test-'));
  write('a.b', { sql: 'select @p as shipped' });
  write('c', { id: ids[1] ?? '' });
  for (const file of ['a.b.sql', 'c.sql']) renameSync(join(folder, file), join(shipped, file));
  write('a.b', { sql: 'select @p as own' });
  const { catalog, warnings } = openCatalog([folder, shipped], compiler);
  expect(catalog.endpoints.map(({ name }) => name)).toEqual(['a.b', 'c']);
  expect(catalog.find('a.b').sql).toContain('own');
  expect(warnings).toEqual([`${join(folder, 'a.b.sql')} replaces ${join(shipped, 'a.b.sql')}`]);
  rmSync(shipped, { recursive: true });
});

test('every fault of every file is reported in order', () => {
  write('a', { sql: 'select wrong' });
  write('b', { header: '-- colour: red', sql: 'select @p, wrong' });
  write('c', { id: ids[1] ?? '', sql: 'select 1' });
  write('d', { id: 'x', header: '-- @q: word, optional', sql: 'select wrong' });
  write('e', { id: ids[2], header: '-- @q: string', sql: 'select @p, @q, wrong' });
  expect(() => openCatalog([folder], compiler)).toThrow(SetupError);
  const lines = readEndpoints([folder], compiler).faults.map(({ file, line, column, message }) =>
    [file, line, column, message.slice(0, 30)].join(':'),
  );
  expect(lines).toEqual([
    'a.sql:8:4:parameter declared but not use',
    'a.sql:9:8:Unrecognized name',
    'b.sql:2:4:id 5d9d7c1e-2b44-4b6f-8c1c-9a7',
    'b.sql:9:4:unknown key: colour',
    'b.sql:10:12:Unrecognized name',
    'c.sql:8:4:parameter declared but not use',
    'd.sql:2:8:id must be a UUID',
    'd.sql:8:4:parameter declared but not use',
    'd.sql:9:4:parameter declared but not use',
    'd.sql:9:8:a type must be one of string, ',
    'e.sql:9:8:the type must be followed by r',
    'e.sql:10:16:Unrecognized name',
  ]);
});

test.each([
  ['a byte order mark', (text: string) => `\ufeff${text}`, []],
  ['lines of Windows', (text: string) => text.replaceAll('\n', '\r\n'), []],
  ['Latin-1', (text: string) => Buffer.from(text, 'latin1'), ['a.sql:1:1: the file is not UTF-8']],
  [
    'UTF-16',
    (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le'),
    ['a.sql:1:1: the file is not UTF-8'],
  ],
] as const)('a file with %s', (_what, rewrite, expected) => {
  write('a', { sql: "select @p, 'é'" });
  writeFileSync(join(folder, 'a.sql'), rewrite(readFileSync(join(folder, 'a.sql'), 'utf8')));
  expect(readEndpoints([folder], compiler).faults.map(printFileFault)).toEqual(expected);
});

test.each([
  ['with unread as (select @p) select 1', 0],
  ['select @P', 0],
  ["select '@p' -- @p", 1],
])('%s leaves %i parameters unused', (sql, count) => {
  write('a', { sql });
  expect(readEndpoints([folder], compiler).faults).toHaveLength(count);
});

test.each([
  ['a folder without endpoints', () => folder],
  ['a folder that is not there', () => join(folder, 'none')],
])('%s is refused', (_what, where) => {
  expect(() => openCatalog([where()], compiler)).toThrow(SetupError);
});

test('a fault that only the logs make is a warning, and one of the text stops the start', () => {
  const { catalog, warnings } = openOver('select upper(word) as x from `logs.web`');
  expect(catalog.find('one').name).toBe('one');
  expect(warnings).toEqual([expect.stringMatching(/^one\.sql:3:8: No matching signature/)]);
  expect(() => openOver('select upper(no_such) as x from `logs.web`')).toThrow(SetupError);
});

/** `word` is a number of the logs, `more` a list of them; only `id` is declared. */
function openOver(sql: string) {
  const column = (name: string, type: Type): Field => ({ name, type, stored: true });
  const undeclared = (name: string, type: Type): Field => ({
    ...column(name, type),
    undeclared: true,
  });
  const id = column('id', { kind: 'STRING' });
  const list: Type = { kind: 'ARRAY', layout: 'list', element: { kind: 'INT64' } };
  const source: SourceSchema = {
    name: 'web',
    columns: [id, undeclared('word', { kind: 'INT64' }), undeclared('more', list)],
  };
  const overLogs = createCompiler([source]);
  const others = leastData({ declared: [{ name: 'web', columns: [id] }], sources: [source] });
  const endpoints = new Map([['one.sql', `-- name: one\n--\n${sql}\n`]]);
  return openCatalog(
    [{ where: 'a test', endpoints }],
    overLogs,
    others.map((each) => createCompiler(each)),
  );
}

test.each([
  [
    'behind a fault of the data',
    'select upper(word) as x, no_such(id) as y from `logs.web`',
    '3:26',
  ],
  [
    'behind a name that is not declared',
    'select word + 1 as x, upper(1) as y from `logs.web`',
    '3:23',
  ],
  [
    'before a fault of the data',
    'select no_such(id) as y, upper(word) as x from `logs.web`',
    '3:8',
  ],
  ['a wrong name behind one', 'select upper(word) as x, wrong as y from `logs.web`', '3:26'],
])('a fault of the text %s stops the start', (_, sql, place) => {
  expect(() => openOver(sql)).toThrow(`one.sql:${place}`);
});

test.each([
  ['a type', 'select word from `logs.web` where upper(word) is null'],
  ['types before others', 'select upper(word) as x, upper(more) as y from `logs.web`'],
  ['names that are not declared, and a type', 'select more, upper(word) as x from `logs.web`'],
])('%s of the data alone stops nothing', (_, sql) => {
  expect(openOver(sql).warnings).toHaveLength(1);
});
