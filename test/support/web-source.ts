import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { openDuckDbEngine } from '../../src/engine/duckdb/duckdb.js';
import type { Engine, ExplainingEngine } from '../../src/engine/engine.js';
import {
  createEnginePool,
  type EnginePoolOptions,
  type OpenOptions,
} from '../../src/engine/pool/pool.js';
import type { SourceSchema } from '../../src/types/schema.js';
import type { ArrayType, Field, ScalarName } from '../../src/types/types.js';

type Layout = ArrayType['layout'];

/** A small source of web logs; `metadata` and its `request` are stored as the layout says, `items` as lists. */
export function webSource(layout: Layout): SourceSchema {
  const request = record(layout, [scalar('path'), scalar('method')], [['path']]);
  const metadata = [
    scalar('level'),
    scalar('status', 'INT64'),
    absent('absent'),
    request('request'),
  ];
  const items = record('list', [scalar('name'), scalar('price', 'INT64')]);
  const tags: ArrayType = { kind: 'ARRAY', layout: 'list', element: { kind: 'STRING' } };
  return {
    name: 'web',
    columns: [
      scalar('id'),
      scalar('timestamp', 'TIMESTAMP'),
      scalar('project'),
      { name: 'tags', type: tags, stored: true },
      record(layout, metadata)('metadata'),
      items('items'),
    ],
  };
}

function scalar(name: string, kind: ScalarName = 'STRING'): Field {
  return { name, type: { kind }, stored: true };
}

function absent(name: string): Field {
  return { ...scalar(name), stored: false };
}

function record(
  layout: Layout,
  fields: readonly Field[],
  presence?: readonly (readonly string[])[],
) {
  return (name: string): Field => {
    const element = { kind: 'STRUCT', fields } as const;
    const known =
      layout === 'struct' && presence !== undefined ? { notNullWitnesses: presence } : {};
    return { name, type: { kind: 'ARRAY', layout, element, ...known }, stored: true };
  };
}

/** The rows of the source, `metadata` and `request` as single records. */
const rows = `select * from (values
  ('a', timestamptz '2026-03-01 00:00:00Z', 'one', ['x', 'y'],
    {level: 'info', status: 200, request: {path: '/rest', method: 'GET'}}, [{name: 'p', price: 1}, {name: 'q', price: 3}]),
  ('b', timestamptz '2026-03-01 01:00:00Z', 'one', [],
    {level: 'error', status: 500, request: {path: '/auth', method: 'POST'}}, [{name: 'r', price: 3}]),
  ('c', timestamptz '2026-03-01 02:00:00Z', 'one', null,
    {level: 'info', status: null, request: null}, []),
  ('d', timestamptz '2026-03-02 00:00:00Z', 'two', ['z'], null, null),
  ('e', timestamptz '2026-03-02 00:00:00.000001Z', 'two', null,
    {level: null, status: null, request: {path: '/x', method: null}}, null)
) t(id, timestamp, project, tags, metadata, items)`;

const lists = `select id, timestamp, project, tags,
  case when metadata is null then [] else [{
    level: metadata.level, status: metadata.status,
    request: case when metadata.request is null then null else [metadata.request] end}] end as metadata,
  items from (${rows})`;

type Options = OpenOptions & EnginePoolOptions;

/** An engine over the source in one layout, with its own rows or a query's; `close` removes its file too. */
export async function openWebEngine(
  layout: Layout,
  limits: Partial<Options> = {},
  query = layout === 'struct' ? rows : lists,
): Promise<ExplainingEngine> {
  const { options, remove } = await webOptions(layout, limits, query);
  const engine = await openDuckDbEngine(options);
  return { ...engine, close: () => engine.close().then(remove) };
}

/** A part of the rows, and its columns if the source has others. */
interface WebPart {
  readonly query: string;
  readonly columns?: readonly Field[];
}

const alikeParts: readonly WebPart[] = ["id < 'b'", "id in ('c', 'd')", "id in ('b', 'e')"].map(
  (condition) => ({ query: `from (${rows}) where ${condition}` }),
);

const [id, timestamp, project, tags] = webSource('struct').columns as [Field, Field, Field, Field];
const items = webSource('struct').columns.at(-1) as Field;

/** Records are structs in all of them; what is NULL in all records of a part is not stored in it. */
const mixedParts: readonly WebPart[] = [
  {
    query: `select id, timestamp, project, {level: metadata.level} as metadata from (${rows}) where id = 'c'`,
    columns: [id, timestamp, project, record('struct', [scalar('level')])('metadata')],
  },
  {
    query: `select timestamp, id, project, tags, {
        request: {method: metadata.request.method, path: metadata.request.path},
        status: metadata.status, level: metadata.level} as metadata,
      list_transform(items, lambda i: {price: i.price, name: i.name}) as items
      from (${rows}) where id < 'c'`,
    columns: [
      ...[timestamp, id, project, tags],
      record('struct', [
        record('struct', [scalar('method'), scalar('path')])('request'),
        ...[scalar('status', 'INT64'), scalar('level')],
      ])('metadata'),
      record('list', [scalar('price', 'INT64'), scalar('name')])('items'),
    ],
  },
  {
    query: `select id, timestamp, project, tags,
      case when metadata is not null then {request: {path: metadata.request.path}} end as metadata, items
      from (${rows}) where id >= 'd'`,
    columns: [
      ...[id, timestamp, project, tags],
      record('struct', [record('struct', [scalar('path')])('request')])('metadata'),
      items,
    ],
  },
];

/** The same rows in three parts, each a database file, and their source, whose columns are not those of `mixed` parts. */
export async function openWebParts(
  layout: Layout = 'struct',
  parts: 'alike' | 'mixed' = 'alike',
): Promise<{ readonly engine: ExplainingEngine; readonly source: SourceSchema }> {
  const { options, remove } = await webOptions(layout, {}, `${rows} limit 0`);
  const stored = (parts === 'alike' ? alikeParts : mixedParts).map(
    async ({ query, ...columns }, place) => {
      const file = `${options.databaseFile}.${place}`;
      await writeDatabase(file, query);
      return { file, view: `web/${place}`, ...columns };
    },
  );
  const source = { ...webSource(layout), parts: await Promise.all(stored) };
  const engine = await openDuckDbEngine({ ...options, sources: [source] });
  return { engine: { ...engine, close: () => engine.close().then(remove) }, source };
}

/** The same in processes of their own, which run the built program. */
export async function openWebPool(limits: Partial<Options> = {}): Promise<Engine> {
  const { options, remove } = await webOptions('struct', limits, rows);
  const engine = await createEnginePool(options).open(options);
  return { ...engine, close: () => engine.close().then(remove) };
}

/** A pool with an engine for each condition on the rows. */
export async function openWebStates(conditions: readonly string[], limits: Partial<Options> = {}) {
  const states = await Promise.all(
    conditions.map((condition) =>
      webOptions('struct', limits, `select * from (${rows}) where ${condition}`),
    ),
  );
  const [first] = states;
  if (first === undefined) throw new Error('there must be a condition');
  const pool = createEnginePool(first.options);
  const open = (index: number) => pool.open(states[index]?.options ?? first.options);
  const remove = () => {
    for (const state of states) state.remove();
  };
  return { pool, open, remove };
}

async function webOptions(layout: Layout, limits: Partial<Options>, query: string) {
  const folder = mkdtempSync(join(tmpdir(), 'log-endpoints-test-'));
  const databaseFile = join(folder, 'web.duckdb');
  await writeDatabase(databaseFile, query);
  const options: Options = {
    databaseFile,
    sources: [webSource(layout)],
    threads: 2,
    maxConcurrentQueries: 2,
    maxQueuedQueries: 2,
    callers: 1,
    queryTimeoutMs: 30_000,
    maxResultBytes: 1_000_000,
    maxResidentBytes: 2_000_000_000,
    ...limits,
  };
  return { options, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

async function writeDatabase(file: string, query: string): Promise<void> {
  const instance = await DuckDBInstance.create(file);
  const connection = await instance.connect();
  await connection.run("set timezone = 'UTC'");
  await connection.run(`create table web as ${query}`);
  connection.closeSync();
  instance.closeSync();
}
