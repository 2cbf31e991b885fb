import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createStatementMemory } from '../compiler/statement-memory.js';
import { readCommand } from '../config/config.js';
import type { Settings } from '../config/settings.js';
import { type AccessToken, checkEndpoints, makeToken, readTokens } from '../config/tokens.js';
import { SetupError } from '../errors/errors.js';
import { didYouMean } from '../errors/suggest.js';
import { createApp } from '../http/app.js';
import { listen } from '../http/listen.js';
import { createLog } from '../http/server-log.js';
import { type AppParts, createAppServices } from '../http/service-app.js';
import { lazily } from '../process/lazily.js';
import { engineLimits } from '../start/engine-limits.js';
import { createFollower, type Follower } from '../start/follow-logs.js';
import { type OpenedSources, openSources } from '../start/source-files.js';
import { type OpenedServices, openServices } from '../start/start-up.js';
import { makeTemporaryFolder } from '../start/temporary-folder.js';
import { createClock, printInstant, type TestClock } from './clock.js';
import { createDataFolder, type DataFolder } from './data-folder.js';
import { createStores } from './stores.js';
import { startWorker } from './test-worker.js';
import { createWork, type Work } from './work.js';

/** The options of a service. */
export interface TestOptions {
  /** A folder of log files; without it, every source is empty. The service only reads it. */
  readonly data?: string | undefined;
  /** A folder of endpoint files, which are added to the shipped ones. */
  readonly endpoints?: string | undefined;
  /** A folder of files that declare sources, which are added to the shipped ones. */
  readonly sources?: string | undefined;
  /** The name of a shipped preset or the path of a preset: settings, sources and endpoints, as for `serve --preset`. */
  readonly preset?: string | undefined;
  /** The shapes of the files of some sources, such as `edge_logs=pino`, and of the records that are written to them. */
  readonly as?: readonly string[] | undefined;
  /** The time of every request, in ISO 8601; by default that of `Date.now()`. */
  readonly now?: string | Date | undefined;
  /** The tokens that the service accepts; by default a generated one. `query` uses the first one. */
  readonly tokens?: readonly (string | TestToken)[] | undefined;
  /** Accepts tokens of fewer than 16 characters. */
  readonly allowShortTokens?: boolean | undefined;
  /** By default a free port. */
  readonly port?: number | undefined;
}

/** A token that may be restricted. */
export interface TestToken {
  readonly token: string;
  /** The only value of the parameter `project`. */
  readonly project?: string | undefined;
  /** The endpoints that exist for it. */
  readonly endpoints?: readonly string[] | undefined;
}

/** A parameter's value; `undefined` omits the parameter. */
export type TestValue = Scalar | Date | readonly Scalar[] | undefined;

type Scalar = string | number | boolean;

/** A row: values by column name, as in the response. */
export type TestRow = Record<string, unknown>;

/** A running service for tests, with its own logs. */
export interface TestService {
  /** Its address, `http://127.0.0.1:<port>`. */
  readonly url: string;
  /** The first of its tokens. */
  readonly token: string;
  /**
   * Returns the rows of an endpoint; `sql` or `lql` among the parameters is your own query.
   * @throws Refusal with the error object of the response; Error with its message if a preset answers errors with
   * status 200
   */
  query<Row = TestRow>(
    endpoint: string,
    parameters?: Readonly<Record<string, TestValue>>,
  ): Promise<Row[]>;
  /**
   * Adds records, objects or JSON strings, to a source; they are served once the promise resolves.
   * @throws Error if there is no such source, or a record cannot be read; then none of them is served
   */
  write(source: string, records: readonly (object | string)[]): Promise<void>;
  /** Does the same for several sources, by name: serves all records, or none. */
  writeAll(records: Readonly<Record<string, readonly (object | string)[]>>): Promise<void>;
  /** Returns to the records and the time at the start; they are served once the promise resolves. */
  reset(): Promise<void>;
  /** Sets the time of every later request; without one, requests follow `Date.now()` again. @throws RangeError */
  setNow(instant?: string | Date): void;
  /** Stops the service and removes its logs. This also happens when the process ends. */
  close(): Promise<void>;
}

/** One fault of a refused request. */
export interface RefusalFault {
  /** For example `invalidQuery`. */
  readonly reason: string;
  readonly message: string;
  /** The parameter's name. */
  readonly location?: string;
  /** Line and column in its text, from 1. */
  readonly line?: number;
  readonly column?: number;
}

/** The `error` of a response, as clients receive it. */
export interface RefusalError {
  /** The status of the response. */
  readonly code: number;
  /** For example `INVALID_ARGUMENT`. */
  readonly status: string;
  readonly message: string;
  readonly errors: readonly RefusalFault[];
  readonly requestId: string;
}

/** A refused request. */
export class Refusal extends Error {
  readonly error: RefusalError;

  constructor(error: RefusalError) {
    super(`${error.code} ${error.errors[0]?.reason}: ${error.message}`);
    this.name = 'Refusal';
    this.error = error;
  }
}

/**
 * Starts a service on a free port, in this process; its engine runs in a child process that all services of this
 * process share and that ends with it.
 * @throws Error (one line for each fault) if an option, an endpoint file or a log file is faulty
 * @example
 * const logs = await start();
 * await logs.write('edge_logs', [{ timestamp: '2026-03-10T12:00:00Z', project: 'p', event_message: 'GET /' }]);
 * await logs.query('logs.all', { project: 'p', sql: 'select event_message from edge_logs' });
 */
export async function start(options: TestOptions = {}): Promise<TestService> {
  const { folder, ...resources } = shared();
  const own = mkdtempSync(join(folder, 'service-'));
  try {
    return await open(own, resources, options);
  } catch (error) {
    rmSync(own, { recursive: true, force: true });
    throw error;
  }
}

/** The resources shared by the services of this process. */
type Shared = ReturnType<typeof createShared>;

const shared = lazily(createShared);

function createShared() {
  const folder = makeTemporaryFolder();
  const settings = readSettings(folder, {});
  // The process that runs queries also loads, so its memory is not limited.
  const limits = {
    ...engineLimits(settings),
    threads: 1,
    maxResidentBytes: Number.POSITIVE_INFINITY,
    secondRun: undefined,
  };
  return {
    folder,
    log: createLog('error', { isBuffered: false }),
    openStore: createStores(join(folder, 'shared')),
    statements: createStatementMemory(),
    worker: startWorker(folder, limits),
  };
}

/** Always the same, so that tests can expect the ids of records without one. */
const idKey = 'log-endpoints/testing';

/** Returns the settings of a server with these options; ignores the environment. */
function readSettings(data: string, options: TestOptions): Settings {
  const { endpoints, sources, preset, as = [], now, allowShortTokens = false } = options;
  const given = Object.entries({ endpoints, sources, preset, now: now && printInstant(now) });
  const flags = [
    ...['--data', data, '--threads', '1', '--no-disk-cache'],
    ...given.flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, value])),
    ...as.flatMap((shape) => ['--as', shape]),
    ...(allowShortTokens ? ['--allow-short-tokens'] : []),
  ];
  const command = readCommand(['serve', ...flags], {});
  if (!('settings' in command)) throw new Error('serve has no settings');
  return { ...command.settings, idKey };
}

async function open(
  folder: string,
  { log, openStore, statements, worker }: Omit<Shared, 'folder'>,
  options: TestOptions,
): Promise<TestService> {
  const data = createDataFolder(join(folder, 'data'), options.data);
  const settings = readSettings(data.path, options);
  const tokens = readTestTokens(options, settings.allowShortTokens);
  const { declared } = openSources(settings);
  const start = [options.data && realpathSync(options.data), declared];
  const opening = openServices(settings, worker.open, {
    // Rows are never renewed: a query runs only if the test sends it.
    spare: () => 0,
    onRenewalFailure: () => {},
    statements,
    load: worker.load,
    cache: openStore(join(folder, 'store'), JSON.stringify(start)),
  });
  const opened = await opening.catch((error) => {
    throw inUserWords(options, data.path, error);
  });
  await checkTokens(opened, tokens.known);
  const { logs: first, allLogs: logs } = opened;
  const follower = createFollower({ ...opened, first, logs, log });
  const clock = createClock(settings.now);
  const app = createTestApp({ settings, opened, follower, log, tokens: tokens.known }, clock);
  const server = await listen(app.fetch, { host: '127.0.0.1', port: options.port ?? 0 });
  server.unref();
  const work = createWork();
  const close = async () => {
    await work.end();
    await follower.close();
    opened.cache.close();
    await server.close(1_000);
    await opened.serving.close();
    rmSync(folder, { recursive: true, force: true });
  };
  const { url } = server;
  const reset = createReset({ data, follower, clock, work });
  const query = createQuery((request) => work.now(async () => app.fetch(request)), tokens.first);
  const writeAll = createWriteAll({ data, follower, declared, work });
  const write: TestService['write'] = (source, records) => writeAll({ [source]: records });
  const service = { url, token: tokens.first, query, write, writeAll, reset };
  return { ...service, setNow: clock.set, close: lazily(close) };
}

type OwnParts = Pick<AppParts, 'settings' | 'opened' | 'follower' | 'log' | 'tokens'>;

/** Creates the HTTP app of a service for tests, whose clock may be set at any time. */
function createTestApp(parts: OwnParts, clock: TestClock): ReturnType<typeof createApp> {
  const noStats = () => ({ waiting: 0, running: 0, restarts: 0 });
  const services = createAppServices({
    ...parts,
    settings: { ...parts.settings, watch: true, allowNowHeader: true, logQueries: true },
    ...{ engineStats: noStats, compileStats: noStats, withProcessMetrics: false },
    canRun: () => true,
  });
  return createApp({
    ...services,
    // Always set, so that rows of another time are never reused.
    get fixedNow() {
      return clock.now();
    },
  });
}

/** Replaces the folder of links in an error with the user's folder. */
function inUserWords({ data = 'data' }: TestOptions, path: string, error: unknown): unknown {
  if (!(error instanceof SetupError)) return error;
  return new SetupError(error.lines.map((line) => line.replaceAll(path, data)));
}

/** Closes the services unless they have the endpoints of the tokens. */
async function checkTokens({ catalog, serving }: OpenedServices, known: readonly AccessToken[]) {
  const names = catalog.endpoints.map(({ name }) => name);
  try {
    checkEndpoints(known, names);
  } catch (error) {
    await serving.close();
    throw error;
  }
}

function readTestTokens({ tokens = [makeToken()] }: TestOptions, allowShort: boolean) {
  const entries = tokens.map((token) => (typeof token === 'string' ? { token } : token));
  const known = readTokens({ file: 'tokens', read: () => JSON.stringify(entries), allowShort });
  return { known, first: entries[0]?.token ?? '' };
}

type Fetch = (request: Request) => Promise<Response>;

/** Calls the app without a connection, so that a `fetch` or timers replaced by the test do not matter. */
function createQuery(fetch: Fetch, token: string): TestService['query'] {
  return async <Row>(endpoint: string, parameters: Readonly<Record<string, TestValue>> = {}) => {
    const path = `/api/endpoints/query/${encodeURIComponent(endpoint)}`;
    const headers = { 'x-api-key': token, 'content-type': 'application/json' };
    const body = JSON.stringify(parameters);
    const response = await fetch(
      new Request(`http://localhost${path}`, { method: 'POST', headers, body }),
    );
    const answer = (await response.json()) as
      | { readonly result: Row[] }
      // With some presets, `error` is only the message.
      | { readonly error: RefusalError | string };
    if ('error' in answer) {
      throw typeof answer.error === 'string' ? new Error(answer.error) : new Refusal(answer.error);
    }
    return answer.result;
  };
}

type Resetting = Omit<Writing, 'declared'> & { readonly clock: TestClock };

function createReset({ data, follower, clock, work }: Resetting): TestService['reset'] {
  return () => {
    clock.reset();
    return work.inTurn(async () => {
      data.clear();
      await follower.restart();
    });
  };
}

interface Writing {
  readonly data: DataFolder;
  readonly follower: Follower;
  readonly declared: OpenedSources['declared'];
  readonly work: Work;
}

function createWriteAll(writing: Writing): TestService['writeAll'] {
  const { data, follower, declared, work } = writing;
  const names = declared.flatMap(({ name, aliases = [] }) => [name, ...aliases]);
  const add = async (written: readonly Written[]): Promise<void> => {
    const files = written.map(({ source, records }) => data.write(source, records));
    try {
      await follower.refresh();
      for (const [index, { source }] of written.entries()) {
        const report = follower.current().files.find((each) => each.file === files[index]);
        const { badLines = 0, faults = [] } = report ?? {};
        const lines = faults.map(({ line, message }) => `${source}: record ${line}: ${message}`);
        if (badLines > 0) throw new SetupError(lines);
      }
    } catch (error) {
      for (const file of files) data.remove(file);
      await follower.refresh();
      throw error;
    }
  };
  return async (bySource) => {
    // Copy the records now, because the test may change them later.
    const written = Object.entries(bySource).map(([source, records]) => {
      if (!names.includes(source)) {
        const expected = `expected one of ${names.join(', ')}${didYouMean(source, names)}`;
        throw new Error(`Unknown source: ${source}; ${expected}`);
      }
      return { source, records: [...records] };
    });
    await work.inTurn(() => add(written.filter(({ records }) => records.length > 0)));
  };
}

interface Written {
  readonly source: string;
  readonly records: readonly (object | string)[];
}
