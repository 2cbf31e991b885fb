import { copyFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readCommand } from '../../../src/config/config.js';
import { connectTo, openDuckDbEngine } from '../../../src/engine/duckdb/duckdb.js';
import { type Database, openDatabase } from '../../../src/engine/duckdb/lockdown.js';
import type { EngineData, State } from '../../../src/engine/duckdb/states.js';
import { type OpenedServices, openServices } from '../../../src/start/start-up.js';
import { readAttacks } from '../../support/attacks.js';
import { type CanaryFolder, canariesIn, makeCanaryFolder } from '../../support/canary-service.js';
import { sample } from '../../support/nightly.js';
import { type Service, startService, token } from '../../support/start-service.js';

// Attacks by class: each is refused for the right reason by the compiler; refused by statement
// verification alone, as raw text that may read no table; and harmless with DuckDB's locks alone.
const folder: CanaryFolder = makeCanaryFolder();
const { sql: attacks, duck, harmless } = readAttacks(folder.sentinelFile);
/** A token that is bound to the project of the caller. */
const bound = 'a-token-bound-to-mine-1';
let service: Service;
let opened: OpenedServices;
let locked: Database;
let next: State | undefined;

beforeAll(async () => {
  const flags = ['--data', folder.data, '--now', '2026-03-10T14:00:00Z', '--memory-limit', '1GB'];
  const tokens = join(dirname(folder.sentinelFile), 'tokens');
  writeFileSync(tokens, `${bound} project=mine endpoints=logs.all\n`);
  const variables = { LOG_ENDPOINTS_TOKENS_FILE: tokens };
  service = await startService([...flags, '--query-timeout', '60s', '--watch'], variables);
  const command = readCommand(['query', 'logs.all', ...flags], {});
  if (command.verb !== 'query') throw new Error('not the verb');
  opened = await openServices(command.settings, openDuckDbEngine);
  const { databaseFile, sources } = opened.logs;
  const bounds = { memoryLimit: '500MB', maxConcurrentQueries: 1, maxQueuedQueries: 1 };
  const limits = { ...bounds, queryTimeoutMs: 60_000, maxResultBytes: 1_000_000 };
  locked = await openDatabase({ databaseFile, sources, ...limits });
  next = await locked.openNext(copyOf({ databaseFile, sources }));
});
afterAll(async () => {
  await opened.engine.close();
  locked.close();
  expect(await service.stop()).toBe(0);
  folder.remove();
});

/** The same data in other files. */
function copyOf({ databaseFile, sources }: EngineData): EngineData {
  const copied = (file: string) => {
    copyFileSync(file, `${file}.copy1`);
    return `${file}.copy1`;
  };
  const partsOf = ({ parts = [] }: EngineData['sources'][number]) =>
    parts.map((part) => ({ ...part, file: copied(part.file) }));
  return {
    databaseFile: copied(databaseFile),
    sources: sources.map((source) => ({ ...source, parts: partsOf(source) })),
  };
}

test('there are many attacks, and no duplicates', () => {
  const texts = attacks.map(({ sql }) => sql);
  expect(attacks.filter(({ reason }) => reason !== undefined).length).toBeGreaterThan(400);
  expect(texts.filter((sql, index) => texts.indexOf(sql) !== index)).toEqual([]);
});

interface Body {
  readonly error?: {
    readonly message: string;
    readonly errors: readonly [{ readonly reason: string }];
  };
}

async function send(parameters: Readonly<Record<string, string>>) {
  const response = await fetch(`${service.url}/api/endpoints/query/logs.all`, {
    method: 'POST',
    headers: { 'x-api-key': token, 'content-type': 'application/json' },
    body: JSON.stringify({ project: 'mine', ...parameters }),
  });
  const text = await response.text();
  expect(canariesIn(text)).toEqual([]);
  return { status: response.status, body: JSON.parse(text) as Body };
}

describe('through the HTTP API', () => {
  const titled = attacks.map((one) => [`${one.class}: ${one.sql}`, one] as const);

  test.each(sample(titled, 12))('%s', async (_title, { sql, reason, message = '' }) => {
    const { status, body } = await send({ sql });
    // An allowed query may still fail, or return its own rows.
    if (reason === undefined) return expect([200, 400]).toContain(status);
    expect({ status, reason: body.error?.errors[0].reason }).toEqual({ status: 400, reason });
    expect(body.error?.message).toContain(message);
  });
});

describe('with a bound token, a check shows nothing of the logs', () => {
  const titled = attacks.map((one) => [`${one.class}: ${one.sql}`, one] as const);

  test.each(sample(titled, 80))('%s', async (_title, { sql, reason }) => {
    for (const kind of ['dry-run', 'explain']) {
      const response = await fetch(`${service.url}/api/endpoints/query/logs.all`, {
        method: 'POST',
        headers: { 'x-api-key': bound, 'content-type': 'application/json' },
        body: JSON.stringify({ sql, [kind]: 'true' }),
      });
      const text = await response.text();
      expect(canariesIn(text.replaceAll(sql, ''))).toEqual([]);
      const { error, stages = [] } = JSON.parse(text) as Body & Inspection;
      const others = stages.filter(({ name }) => !['lql', 'parse', 'confine'].includes(name));
      expect(others).toEqual([]);
      if (error !== undefined && reason !== undefined) {
        expect([response.status, error.errors[0].reason]).toEqual([400, reason]);
      }
      // Only what fails on the data compiles.
      if (reason === 'accessDenied') expect(response.status).toBe(400);
    }
  });
});

interface Inspection {
  readonly stages?: readonly { readonly name: string }[];
}

describe('with a bound token, a tail shows only own rows', () => {
  /** The status, and the text until the first event that has rows, or the first one of all. */
  async function readTail(query: Readonly<Record<string, string>>, hasRows: boolean) {
    const headers = { 'x-api-key': bound, 'last-event-id': '0' };
    const stop = new AbortController();
    const url = `${service.url}/api/tail/logs.all?${new URLSearchParams(query)}`;
    const response = await fetch(url, { headers, signal: stop.signal });
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    const isDone = () => text.includes(hasRows ? '"result":[{' : '\n\n');
    for (let end = false; !end && !isDone(); ) {
      const { value, done } = (await reader?.read()) ?? { done: true };
      text += value ?? '';
      end = done;
    }
    stop.abort();
    expect(canariesIn(text)).toEqual([]);
    return { status: response.status, text };
  }

  const texts = attacks.map(({ sql }) => sql);

  test.each(sample(texts, 120))('as a source: %s', async (source) => {
    expect((await readTail({ source }, false)).status).toBe(400);
  });

  test.each(sample(texts, 120))('as a filter: %s', async (filter) => {
    // Many are LQL, too: words that a message must contain.
    await expect
      .poll(async () => (await readTail({ source: 'edge_logs', filter }, false)).status)
      .toBeOneOf([200, 400]);
  });

  test.each(['', '-zzz', '-event_message:NULL', 't:>0001-01-01', '~.*', 's:id', 's:*'])(
    'a filter that takes all rows: %s',
    async (filter) => {
      const { status, text } = await readTail({ source: 'edge_logs', filter }, true);
      if (status === 200) expect(text).toContain('own-');
      else expect([filter.slice(0, 2), status]).toEqual(['s:', 400]);
    },
  );
});

describe('through query_logs', () => {
  const titled = attacks.map((one) => [`${one.class}: ${one.sql}`, one] as const);

  test.each(sample(titled, 100))('%s', async (_title, { sql, reason, message = '' }) => {
    const { text, isError } = await callQueryLogs({ project: 'mine', sql });
    expect(canariesIn(text)).toEqual([]);
    if (reason === undefined) return;
    expect(isError).toBe(true);
    expect(text).toMatch(new RegExp(`^${reason}: `));
    expect(text).toContain(message);
  });
});

interface ToolAnswer {
  readonly result: {
    readonly content: readonly [{ readonly text: string }];
    readonly isError?: boolean;
  };
}

async function callQueryLogs(given: Readonly<Record<string, string>>) {
  const params = { name: 'query_logs', arguments: given };
  const accept = 'application/json, text/event-stream';
  const response = await fetch(`${service.url}/mcp`, {
    method: 'POST',
    headers: { 'x-api-key': token, 'content-type': 'application/json', accept },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
  });
  const { result } = (await response.json()) as ToolAnswer;
  return { text: result.content[0].text, isError: result.isError };
}

const classes = [...new Set([...attacks, ...duck].map(({ class: of }) => of))].map(
  (name) => [name, textsOf(name)] as const,
);

/** All texts of a class, without duplicates. */
function textsOf(name: string): readonly string[] {
  const texts = [...attacks, ...duck].filter(({ class: of }) => of === name);
  return [...new Set(texts.map(({ sql }) => sql))];
}

describe('without the first layer, as text that may read no table', () => {
  const { signal } = new AbortController();

  /** Undefined if it was refused before it ran, or read nothing. */
  async function faultOf(sql: string): Promise<string | undefined> {
    const statement = { sql, values: {}, tables: [], maxRows: 1_000 };
    const outcome = await opened.engine.run(statement, { signal }).then(
      () => 'it ran',
      (error: Error) => String(error.cause),
    );
    const isRefused = /^(Error: )?(Refused statement: |Parser Error|Syntax Error)/.test(outcome);
    return isRefused || harmless.has(sql) ? undefined : `${sql}: ${outcome}`;
  }

  test.each(classes)('%s', async (_title, all) => {
    const texts = sample(all, 6);
    const faults: (string | undefined)[] = [];
    for (const sql of texts) faults.push(await faultOf(sql));
    expect(faults.filter((fault) => fault !== undefined)).toEqual([]);
  });
});

/** The rows of a query as JSON, or its error; stopped after a second. */
async function rowsOf(connection: DuckDBConnection, sql: string): Promise<string> {
  const timer = setInterval(() => connection.interrupt(), 1_000);
  try {
    const reader = await connection.runAndReadAll(sql);
    return JSON.stringify(reader.getRowsJson());
  } catch (error) {
    return String(error);
  } finally {
    clearInterval(timer);
    connection.closeSync();
  }
}

describe.each(['the first state', 'a state that was opened later'])(
  'without the first two layers, the locks protect every file and every setting: %s',
  (which) => {
    const connect = () => {
      if (next === undefined) throw new Error('no other state is open');
      return connectTo(locked.instance, which === 'the first state' ? locked.first : next);
    };
    // No lock covers `enable_logging`, which keeps logs in memory: only statement verification refuses it.
    const settings = async () =>
      (await rowsOf(await connect(), 'select name, value from duckdb_settings() order by name'))
        .split('],[')
        .filter((row) => !row.startsWith('"enable_logging"'));
    const files = () => [folder.data, dirname(folder.sentinelFile)].map((one) => readdirSync(one));

    test.each(classes)('%s', async (_title, all) => {
      const texts = sample(all, 6);
      const before = [await settings(), files()];
      for (const sql of texts) {
        const rows = await rowsOf(await connect(), sql);
        expect(rows, sql).not.toMatch(/SENTINEL_|PATH=/);
      }
      expect([await settings(), files()]).toEqual(before);
    });
  },
);
