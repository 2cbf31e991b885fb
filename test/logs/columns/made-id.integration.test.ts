import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { afterAll, expect, test } from 'vitest';
import { parseDeclaration } from '../../../src/logs/columns/declaration.js';
import { loadFolder, makeFolder } from '../../support/load-logs.js';
import { openScratch } from '../../support/scratch-database.js';

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

type Files = Readonly<Record<string, string | Uint8Array>>;

/** A stored record. */
interface Stored {
  readonly id: string;
  readonly event_message: string;
  readonly project: string;
}

/** The records of a project, as `message id`. */
async function idsIn(folder: string, project = 'acme', options = {}): Promise<readonly string[]> {
  const { rows } = await loadFolder(folder, options);
  const all = (await rows('edge_logs', 'id, event_message, project')) as readonly Stored[];
  const own = all.filter((row) => row.project === project);
  return own.map((row) => `${row.event_message} ${row.id}`).sort();
}

function idsOf(files: Files, project = 'acme', options = {}): Promise<readonly string[]> {
  const folder = makeFolder(files);
  folders.push(folder);
  return idsIn(folder, project, options);
}

function record(message: string, project: string, more: object = {}): string {
  return JSON.stringify({ timestamp: 1_773_144_896, event_message: message, project, ...more });
}

const own = ['a', 'b', 'c'].map((message) => record(message, 'acme'));

function interleaved(count: number, more: object = {}): string {
  const strangers = Array.from({ length: count }, (_, n) => `${record(`s${n}`, 'evil', more)}\n`);
  return own.map((line) => strangers.join('') + line).join('\n');
}

const alone = idsOf({ 'edge_logs.ndjson': own.join('\n') });

test('an id is 128 bits, and different records have different ones', async () => {
  const ids = await alone;
  const [a, b, c] = ['a', 'b', 'c'].map((message) => new RegExp(`^${message} [0-9a-f]{32}$`));
  expect(ids).toEqual([a, b, c].map((pattern) => expect.stringMatching(pattern ?? '')));
  expect(new Set(ids.map((id) => id.slice(2))).size).toBe(3);
});

test.each([
  ['17 lines of a stranger before each', interleaved(17)],
  ['lines with ids', interleaved(3, { id: 'x' })],
  ['lines that make numbers into texts', interleaved(2, { n: 'x' })],
  ['lines whose records are lists', interleaved(2, { metadata: [{ x: 1 }, { x: 2 }] })],
  ['lines that are not JSON', own.join('\nnonsense\n')],
  ['a byte order mark', `\ufeff${own.join('\n')}`],
  ['line ends of Windows, and blanks', `  ${own.join(' \r\n\t')}\r\n`],
])('ids with %s', async (_what, text) => {
  expect(await idsOf({ 'edge_logs.ndjson': text })).toEqual(await alone);
});

test.each<[string, Files]>([
  ['another file', { 'edge_logs/other.jsonl': own.join('\n') }],
  ['gzip', { 'edge_logs.ndjson.gz': gzipSync(own.join('\n')) }],
  ['an array', { 'edge_logs.json': `[${own.join(',\n')}]` }],
])('ids in %s', async (_what, files) => {
  expect(await idsOf(files)).toEqual(await alone);
});

test('equal lines share an id', async () => {
  const [first = ''] = own;
  const ids = await idsOf({
    'edge_logs/1.ndjson': `${first}\n${first}`,
    'edge_logs/2.json': first,
  });
  const [id] = await alone;
  expect(ids).toEqual([id, id, id]);
});

test('a number that another record makes a text', async () => {
  const one = record('a', 'acme', { n: 1.1 });
  const plain = await idsOf({ 'edge_logs.ndjson': one });
  expect(await idsOf({ 'edge_logs.ndjson': `${one}\n${record('s', 'evil', { n: 'x' })}` })).toEqual(
    plain,
  );
});

test('an id depends on the key, the project and the source', async () => {
  const [first = ''] = own;
  const folder = makeFolder({ 'edge_logs.ndjson': first, 'db_logs.ndjson': first });
  folders.push(folder);
  const idOf = async (source: string, options = {}) => {
    const { rows } = await loadFolder(folder, options);
    return ((await rows(source, 'id')) as readonly Stored[])[0]?.id;
  };
  const ids = [
    await idOf('edge_logs'),
    await idOf('db_logs'),
    await idOf('edge_logs', { idKey: 'x' }),
  ];
  expect(new Set(ids).size).toBe(3);
  expect(await idOf('edge_logs')).toBe(ids[0]);
});

test('without the key no guess of a record can be confirmed from its id', async () => {
  const [first = ''] = own;
  const [id = ''] = await idsOf({ 'edge_logs.ndjson': first });
  const parts = ['', 'edge_logs', 'edge_logs:1773144896000000:4:acme'];
  const guesses = parts.flatMap((before) =>
    ['md5', 'sha1', 'sha256', 'sha512'].map((kind) =>
      createHash(kind).update(before).update(first).digest('hex').slice(0, 32),
    ),
  );
  expect(guesses).not.toContain(id.slice(2));
});

test('each load has a key of its own if none is given', async () => {
  const files = { 'edge_logs.ndjson': own.join('\n') };
  expect(await idsOf(files, 'acme', { idKey: undefined })).not.toEqual(await alone);
});

test('the project may be in a record that is a list because of other records', async () => {
  const json = '{"project":"metadata.org.ref","fields":{"metadata.org.ref":"STRING"}}';
  const declared = [parseDeclaration('app_logs', json)];
  const line = (ref: string) =>
    `${JSON.stringify({ timestamp: 1, event_message: 'm', metadata: { org: { ref } } })}\n`;
  const idsWith = async (text: string) => {
    const folder = makeFolder({ 'app_logs.ndjson': text });
    folders.push(folder);
    const { rows } = await loadFolder(folder, { declared });
    return ((await rows('app_logs', 'id')) as readonly Stored[]).map(({ id }) => id);
  };
  const [id] = await idsWith(line('a'));
  const list = '{"timestamp":1,"metadata":[{"org":[{"ref":"b"},{"ref":"c"}]},{"org":{}}]}\n';
  expect(await idsWith(list + line('a'))).toContain(id);
  expect(await idsWith(line('b'))).not.toContain(id);
});

/** The ids of the rows of a query, as Parquet. */
async function idsOfRows(query: string): Promise<readonly string[]> {
  const folder = makeFolder({});
  folders.push(folder);
  const { connection, close } = await openScratch();
  await connection.run(`copy (${query}) to '${folder}/edge_logs.parquet' (format parquet)`);
  close();
  return idsIn(folder);
}

const time = "timestamptz '2026-03-10 12:00:00+00' as timestamp";
const named = "'m' as event_message, 'acme' as project";
const row = `select ${named}, ${time}, {'b': 1, 'a': [{'y': 2, 'x': 'z'}]} as metadata`;

test.each([
  ['in another order', `select {'a': [{'x': 'z', 'y': 2}], 'b': 1} as metadata, ${time}, ${named}`],
  [
    'with fields of strangers',
    `select null::varchar as id, null::varchar as "more", ${named}, ${time},
      {'b': 1, 'c': null::int, 'a': [{'y': 2, 'w': null::bool, 'x': 'z'}]} as metadata`,
  ],
  ['beside other rows', `${row} union all select 's', 'evil', timestamptz '2026-01-01', null`],
  [
    'beside a row with an id',
    `${row.replace('select', 'select null as id,')}
    union all select 'i', 's', 'evil', timestamptz '2026-01-01', null`,
  ],
])('the id of a row of Parquet %s', async (_what, query) => {
  expect(await idsOfRows(query)).toEqual(await idsOfRows(row));
});

test.each([
  ['a text that is written like a NULL', row.replace("'z'", `'","y":null'`)],
  ['a list in place of a number', row.replace("'b': 1", "'b': [1]")],
  ['a number beside another', row.replace("'b': 1", "'b': 11")],
])('another id for %s', async (_what, query) => {
  expect(await idsOfRows(query)).not.toEqual(await idsOfRows(row));
});
