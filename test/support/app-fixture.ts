import pino from 'pino';
import { createCache } from '../../src/cache/cache.js';
import type { Compiler } from '../../src/compiler/compile.js';
import { compileHere } from '../../src/compiler/compile-sandbox.js';
import type { ExplainedStage } from '../../src/compiler/explain.js';
import { createStatementMemory } from '../../src/compiler/statement-memory.js';
import { type AccessToken, unboundToken } from '../../src/config/tokens.js';
import { createCatalog } from '../../src/endpoint/catalog.js';
import type { Endpoint } from '../../src/endpoint/endpoint.js';
import { duckDbDialect } from '../../src/engine/duckdb/dialect.js';
import type { Engine, Statement } from '../../src/engine/engine.js';
import { ServiceError } from '../../src/errors/errors.js';
import { createApp } from '../../src/http/app.js';
import { createAuthenticate } from '../../src/http/authenticate.js';
import { createInFlight } from '../../src/http/in-flight.js';
import { createMetrics } from '../../src/http/metrics.js';
import type { AppServices } from '../../src/http/service-app.js';
import { servedVersion } from '../../src/run/data-version.js';
import { createDescribeEndpoints } from '../../src/run/describe-endpoints.js';
import { createInspectEndpoint } from '../../src/run/inspect-endpoint.js';
import { createListProjects } from '../../src/run/known-projects.js';
import { createRunEndpoint } from '../../src/run/run-endpoint.js';
import { createServing } from '../../src/run/serving.js';
import { createClock } from './clock.js';
import { createFakeEngine, type FakeAnswer } from './fake-engine.js';

/** A token that the app accepts. */
export const token = 'a-token-of-the-tests';
/** The path of an endpoint that accepts callers' queries and does not cache. */
export const path = '/api/endpoints/query/logs.all';

const stored: Endpoint = {
  name: 'logs.all',
  id: '5d9d7c1e-2b44-4b6f-8c1c-9a7f3f5b6e02',
  maxRows: 1,
  caching: { ttlSeconds: 0, warmSeconds: 0 },
  sandbox: true,
  redactPii: false,
  parameters: [
    { name: 'project', type: 'string', required: true },
    { name: 'limit', type: 'integer', required: false },
    { name: 'pattern', type: 'regexp', required: false },
  ],
  sql: 'select 1',
  file: 'logs.all.sql',
};
const cached: Endpoint = {
  ...stored,
  name: 'cached',
  id: '11111111-2222-4333-8444-555555555555',
  caching: { ttlSeconds: 60, warmSeconds: 0 },
  sandbox: false,
};
const counts: Endpoint = {
  ...stored,
  name: 'usage.api-counts',
  id: '22222222-3333-4444-8555-666666666666',
  caching: { ttlSeconds: 900, warmSeconds: 300 },
  parameters: [{ name: 'project', type: 'regexp', required: true }],
};
const formatted: Endpoint = {
  ...stored,
  name: 'formatted',
  id: '33333333-4444-4555-8666-777777777777',
  parameters: [{ name: 'format', type: 'string', required: true }],
};

const columns = [{ name: 'n', type: { kind: 'INT64' } }] as const;

/** The columns of the query `wide`. */
const wide = Array.from({ length: 100 }, (_, index) => ({
  name: `n${index}`,
  type: columns[0].type,
}));

const compile: Compiler['compile'] = (_endpoint, sandbox) => ({
  sql: sandbox?.text ?? 'stored',
  tables: [],
  steps: [],
  readsOwnRows: false,
  isRepeatable: true,
  parameters: ['project', 'limit'],
  readsClock: true,
  columns: sandbox?.text === 'wide' ? wide : columns,
});

const stages: readonly ExplainedStage[] = [
  { name: 'parse', title: 'as GoogleSQL', text: 'SELECT 1' },
  { name: 'print', title: 'the statement', text: 'select 1' },
];

const compiler: Compiler = {
  projects: new Set(),
  takesQueries: true,
  compile,
  explain: (...query) => ({ query: compile(...query), stages }),
  describe: () => ({ columns, tables: [{ name: 'edge_logs', columns }] }),
  check: () => [],
};

/** Options that differ between tests. */
export interface Options extends Partial<AppServices> {
  readonly run?: Engine['run'];
  /** The size of the results that are kept for endpoints that do not cache; none by default. */
  readonly maxKeptBytes?: number;
  /** Accepted in addition to the two unrestricted ones. */
  readonly tokens?: readonly AccessToken[];
}

/** One row more than the limit; an invalid pattern is refused. */
function answerTo({ values }: Statement): FakeAnswer {
  const { p_pattern } = values;
  if (p_pattern === '(') return new ServiceError('invalidQuery', 'missing )');
  return ['{"n":9007199254740993,"s":"é"}', '{}'];
}

/** An app over a fake engine, with a clock that stands still; `statements` records what it ran. */
export function createFixture(options: Options = {}) {
  const { run, logQueries = false, tokens = [], maxKeptBytes = 0, ...more } = options;
  const statements: Statement[] = [];
  const lines: string[] = [];
  const clock = createClock();
  const fake = createFakeEngine(answerTo);
  const engine: Engine = {
    dialect: duckDbDialect,
    run: async (statement, options) => {
      statements.push(statement);
      return (run ?? fake.run)(statement, options);
    },
    close: fake.close,
  };
  const compileText = createStatementMemory().over([], compileHere(compiler));
  const serving = createServing({
    compiler,
    compile: compileText,
    engine,
    sources: [],
    version: '1',
  });
  const catalog = createCatalog([stored, cached, counts, formatted]);
  const cache = createCache({
    maxKeptBytes,
    maxBytes: 1_000_000,
    now: clock.now,
    dataVersion: (reads) => servedVersion({ serving, catalog }, reads),
    spare: () => 4,
    schedule: clock.schedule,
    onRenewalFailure: () => {},
  });
  const inFlight = createInFlight();
  const app = createApp({
    inspectEndpoint: createInspectEndpoint({ catalog, serving }),
    describeEndpoints: createDescribeEndpoints({ catalog, serving }),
    listProjects: createListProjects({ serving }),
    runEndpoint: createRunEndpoint({
      catalog,
      cache,
      serving,
      now: () => `renewed at ${clock.now()}`,
    }),
    authenticate: createAuthenticate(
      [unboundToken('another-known-token'), unboundToken(token), ...tokens],
      clock.now,
    ),
    inFlight,
    log: pino({}, { write: (line: string) => lines.push(line) }),
    metrics: createMetrics({
      endpointName: catalog.findName,
      engineStats: () => ({ running: 1, waiting: 2, processes: 3, restarts: 4 }),
      compileStats: () => ({ running: 1, waiting: 5, restarts: 6 }),
      cacheStats: cache.stats,
      openTails: () => 0,
      files: () => [
        { source: 'edge_logs', records: 10, badLines: 1 },
        { source: 'edge_logs', records: 5, badLines: 2 },
      ],
      withProcessMetrics: false,
      now: clock.now,
    }),
    maxBodyBytes: 1024,
    corsOrigins: [],
    headerPrefix: 'SVC',
    allowNowHeader: false,
    now: () => Date.parse('2026-03-10T12:00:00Z'),
    logQueries,
    canRun: () => true,
    reload: async () => {},
    isWatched: false,
    fixedNow: undefined,
    mcp: undefined,
    tails: undefined,
    failsWith200: false,
    hasManagementApi: false,
    ...more,
  });
  const send = (url: string, init: RequestInit = {}) =>
    app.request(url, { ...init, headers: { 'x-api-key': token, ...init.headers } });
  return { app, send, inFlight, statements, lines, wait: clock.wait };
}

interface ErrorObject {
  readonly code: number;
  readonly message: string;
  readonly errors: readonly [{ readonly reason: string; readonly location?: string }];
}

/** The error object of a refusal. */
export async function errorOf(response: Response) {
  const body: unknown = await response.json();
  return (body as { readonly error: ErrorObject }).error;
}
