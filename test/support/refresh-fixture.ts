import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { load } from '../../src/logs/load/load.js';
import { mergeSmallParts, withMerged } from '../../src/logs/refresh/merge-small-parts.js';
import {
  findChangedSources,
  type RefreshOptions,
  refresh,
} from '../../src/logs/refresh/refresh.js';
import { emptyManifest, type Manifest } from '../../src/logs/store/manifest.js';
import type { DiskCache } from '../../src/logs/store/store.js';
import { createLogs, type LoadedLogs } from '../../src/start/logs.js';
import type { SourceSchema } from '../../src/types/schema.js';
import type { Field } from '../../src/types/types.js';
import { declared, idKey, makeFolder } from './load-logs.js';
import { openScratch } from './scratch-database.js';

// Three sources are enough, and faster to load than nine.
const sources = declared.filter(({ name }) => ['edge_logs', 'db_logs', 'auth_logs'].includes(name));

/** A data folder that is refreshed repeatedly into a folder of database files. */
export function createRefreshFixture(
  files: Readonly<Record<string, string>> = {},
  awaitsLines = true,
  newestRows = 0,
) {
  const data = makeFolder(files);
  const folder = mkdtempSync(join(tmpdir(), 'refresh-test-'));
  let databases = 0;
  let loads: string[] = [];
  let beforeLoad = () => {};
  const options: RefreshOptions = {
    dataFolder: data,
    declared: sources,
    cache: {
      folder,
      newDatabase: () => `${databases++}.duckdb`,
      discard: (name) => name && rmSync(join(folder, name), { force: true }),
    },
    load: async (jobs) => {
      const work = beforeLoad;
      beforeLoad = () => {};
      work();
      loads.push(
        ...jobs.sources.flatMap((job) =>
          job.files.map(({ name, slice }) => (slice ? `${name} from ${slice.from.bytes}` : name)),
        ),
      );
      return load({ idKey, memoryLimit: '1GB', threads: 1, newestRows, ...jobs });
    },
    awaitsLines,
    // Treat every file as one that is not being written to.
    now: () => Date.now() + 60_000,
  };
  let manifest: Manifest = emptyManifest;
  return {
    data,
    /** The folder of the database files. */
    store: folder,
    path: (name: string) => join(data, name),
    manifest: () => manifest,
    /** Runs an action once, right before the next load. */
    beforeLoad(work: () => void): void {
      beforeLoad = work;
    },
    async refresh(more: Partial<RefreshOptions> = {}) {
      loads = [];
      const before = manifest;
      manifest = await refresh(manifest, { ...options, ...more });
      return { loads, isSame: manifest === before };
    },
    /** The sources that a refresh would change. */
    changed: () => findChangedSources(manifest, options).map(({ name }) => name),
    async merge() {
      manifest = withMerged(manifest, await mergeSmallParts(manifest, options));
    },
    /** The logs as a server has them. */
    logs: (of: Manifest = manifest): LoadedLogs => {
      const cache = { ...options.cache, hold: () => () => {} } as unknown as DiskCache;
      const state = { manifest: of, options: { ...options, cache, warnings: [] } };
      return createLogs(state, [], (before) => before).first;
    },
    /** The existing database files. */
    databases: () => readdirSync(folder).sort(),
    /** The manifest of a full load. */
    async reload(more: Partial<RefreshOptions> = {}) {
      return refresh(emptyManifest, { ...options, ...more });
    },
    /** The sources as callers see them, with undeclared fields sorted by name. */
    shown: (of: Manifest = manifest) => of.schemas.map(namesAndTypes),
    rowsOf: (of: Manifest = manifest) => rowsOf(of, folder),
    columns: (of: Manifest = manifest) => columnsOf(of, folder),
    remove: () => {
      for (const each of [data, folder]) rmSync(each, { recursive: true });
    },
  };
}

function printTold(row: string): string {
  try {
    return JSON.stringify(told(JSON.parse(row)));
  } catch {
    // DuckDB prints bare NaN.
    return row;
  }
}

/**
 * A record without what callers cannot see of its storage: the order of fields, and whether a record is a list.
 */
function told(value: unknown): unknown {
  if (Array.isArray(value)) return value.length > 1 ? value.map(told) : told(value[0] ?? null);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value)
    .map(([name, field]) => [name, told(field)] as const)
    .filter(([, field]) => field !== null);
  return Object.fromEntries(fields.toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

/** All records of all sources, part by part, in the order of each part. */
async function rowsOf({ parts }: Manifest, folder: string): Promise<readonly string[]> {
  const { connection, close } = await openScratch();
  const rows: string[] = [];
  for (const [place, { source, database }] of parts.entries()) {
    await connection.run(`attach '${join(folder, database)}' as p${place} (read_only)`);
    const table = `p${place}.main."${source}"`;
    const sorted = await connection.runAndReadAll(
      `select count(*) from (select timestamp < lag(timestamp) over () as wrong from ${table}) where wrong`,
    );
    expect(Number(sorted.getRowsJson()[0]?.[0])).toBe(0);
    const reader = await connection.runAndReadAll(`select to_json(t)::varchar from ${table} t`);
    rows.push(...reader.getRowsJson().map(([row]) => `${source} ${printTold(String(row))}`));
  }
  close();
  return rows.sort();
}

/** The columns of each source, which must be the same in all its parts. */
async function columnsOf({ parts }: Manifest, folder: string): Promise<readonly string[]> {
  const { connection, close } = await openScratch();
  const columns = new Set<string>();
  for (const [place, { source, database }] of parts.entries()) {
    await connection.run(`attach '${join(folder, database)}' as p${place} (read_only)`);
    const reader = await connection.runAndReadAll(`describe p${place}.main."${source}"`);
    columns.add(`${source} ${JSON.stringify(reader.getRowsJson())}`);
  }
  close();
  return [...columns].sort();
}

function namesAndTypes({ name, columns }: SourceSchema): unknown {
  return [name, columns.flatMap(nameAndType).sort()];
}

/** Each field and those below it, without how they are stored. */
function nameAndType({ name, type, stored }: Field): readonly string[] {
  const element = type.kind === 'ARRAY' ? type.element : type;
  const inner = element.kind === 'STRUCT' ? element.fields.flatMap(nameAndType) : [];
  const own = `${name} ${type.kind} ${element.kind}${stored ? '' : ', not stored'}`;
  return [own, ...inner.map((below) => `${name}.${below}`)];
}

/** A record as a line of a log file. */
export function line(id: number | string, more: object = {}): string {
  return `${JSON.stringify({ id: `r${id}`, timestamp: 1_770_000_000 + (Number(id) % 1000), event_message: `m${id}`, ...more })}\n`;
}

/** Lines of the records from one number up to another, exclusive. */
export function lines(from: number, to: number): string {
  return Array.from({ length: to - from }, (_, place) => line(from + place)).join('');
}
