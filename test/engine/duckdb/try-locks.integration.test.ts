import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { instanceSettings } from '../../../src/engine/duckdb/instance-settings.js';
import { locks, openDatabase } from '../../../src/engine/duckdb/lockdown.js';
import { tryLocks } from '../../../src/engine/duckdb/try-locks.js';
import { SetupError } from '../../../src/errors/errors.js';
import { macros } from '../../support/macros.js';

let folder: string;
let databaseFile: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'log-endpoints-test-'));
  databaseFile = join(folder, "it's.duckdb");
  (await DuckDBInstance.create(databaseFile)).closeSync();
});
afterAll(() => rmSync(folder, { recursive: true }));

/** The trials that succeed when the locks whose text matches are left out. */
async function openWithout(left: (lock: string) => boolean): Promise<readonly string[]> {
  const given = Object.entries(instanceSettings).filter(([name]) => !left(name));
  // No trial may download an extension.
  const offline = { autoinstall_known_extensions: 'false', home_directory: folder };
  const instance = await DuckDBInstance.create(':memory:', {
    ...Object.fromEntries(given),
    ...offline,
  });
  const connection = await instance.connect();
  const access = left('read_only') ? '' : ' (read_only)';
  await connection.run(`attach '${databaseFile.replaceAll("'", "''")}' as logs_x${access}`);
  for (const lock of locks.filter((one) => !left(one))) await connection.run(lock);
  const open = await tryLocks(connection, { databaseFile, database: 'logs_x' });
  connection.closeSync();
  instance.closeSync();
  return open;
}

const settings = [
  'change a setting',
  'change a setting of a session',
  'reset a setting',
  'unlock the configuration',
];
const files = [
  ...['read a file', 'read a file of text', 'list files', 'read the database file'],
  ...['read the environment', 'attach a file', 'write a file', 'export the database'],
];

describe('the locks that do not hold', () => {
  test.each<[string, readonly string[]]>([
    ['enable_external_access', ['load an extension']],
    // Logging to a file breaks the instance, so all later trials fail for another reason.
    ['disabled_filesystems', [...files, 'install an extension', 'log to a file', ...settings]],
    ['lock_configuration', settings],
    ['allow_persistent_secrets', ['keep a secret']],
    ['read_only', ['write the database']],
  ])('without %s', async (lock, expected) => {
    expect(await openWithout((one) => one.includes(lock))).toEqual(expected);
  });

  test('are none in a locked engine', async () => {
    expect(await openWithout(() => false)).toEqual([]);
  });

  test('are all of them in an engine without locks', async () => {
    const all = [
      ...[...files, 'write the database', 'install an extension', 'load an extension'],
      ...['keep a secret', 'log to a file', ...settings],
    ];
    // getenv exists only in DuckDB's command line; no lock removes it.
    expect(await openWithout(() => true)).toEqual(all);
  });
});

test('an engine that is not locked does not open', async () => {
  const limits = { maxConcurrentQueries: 1, maxQueuedQueries: 1, queryTimeoutMs: 60_000 };
  const options = { databaseFile, sources: [], maxResultBytes: 1_000, ...limits };
  const opening = openDatabase({
    ...options,
    macros: `${macros} commit; create macro getenv(x) as x; begin`,
  });
  await expect(opening).rejects.toThrow(SetupError);
  await expect(opening).rejects.toThrow('The engine is not locked: it can call getenv');
  const { instance } = await openDatabase(options);
  instance.closeSync();
});
