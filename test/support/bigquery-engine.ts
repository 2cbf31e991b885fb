import { join } from 'node:path';
import { type BigQueryApi, openApi } from '../../src/bigquery/engine/api.js';
import {
  type BigQueryEngine,
  type BigQueryOptions,
  createBigQueryPool,
} from '../../src/bigquery/engine/engine.js';
import type { Engine } from '../../src/engine/engine.js';
import { type StandIn, startStandIn } from './bigquery-stand-in.js';
import { acceptance } from './paths.js';

/** Limits that no test reaches by accident. */
export const wideLimits = {
  callers: 1,
  maxConcurrentQueries: 4,
  maxQueuedQueries: 8,
  queryTimeoutMs: 20_000,
  maxResultBytes: 1024 ** 2,
  maxBytes: 1024 ** 3,
  maxBytesPerDay: 1024 ** 4,
  maxWindowMs: 0,
  today: () => '2026-03-10',
  location: () => undefined,
} as const satisfies Omit<BigQueryOptions, 'api'>;

/** The API of a stand-in, through Google's client, which finds it by the environment. */
export async function openStandInApi(
  { environment }: StandIn,
  requestTimeoutMs?: number,
): Promise<BigQueryApi> {
  const before = Object.keys(environment).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, environment);
  try {
    const api = await openApi(requestTimeoutMs);
    // The client reads the credentials when it sends its first request.
    await api.send({ method: 'GET', path: 'datasets/logs/tables/edge_logs', project: 'stand-in' });
    return api;
  } finally {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  }
}

/** An engine over a stand-in of its own, for which the query `SELECT 0 AS n` has no end. */
export async function openStandInEngine(limits: Partial<BigQueryOptions> = {}): Promise<Engine> {
  const standIn = await startStandIn({ data: join(acceptance, 'fixtures/basic'), pageRows: 2 });
  const engine = await openEngine(standIn, limits);
  return {
    ...engine,
    run(statement, options) {
      if (statement.sql === 'SELECT 0 AS n') standIn.failNext('job', 'endless');
      return engine.run(statement, options);
    },
    async close() {
      await engine.close();
      await standIn.close();
    },
  };
}

/** An engine over a stand-in. */
export async function openEngine(
  standIn: StandIn,
  limits: Partial<BigQueryOptions> = {},
): Promise<BigQueryEngine> {
  const api = await openStandInApi(standIn);
  return createBigQueryPool({ ...wideLimits, ...limits, api }).open();
}
