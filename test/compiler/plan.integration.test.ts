import { DuckDBTypeId } from '@duckdb/node-api';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readCommand } from '../../src/config/config.js';
import { bindStatement } from '../../src/endpoint/bind-statement.js';
import { connectTo, openDuckDbEngine } from '../../src/engine/duckdb/duckdb.js';
import { openDatabase } from '../../src/engine/duckdb/lockdown.js';
import type { ExplainingEngine } from '../../src/engine/engine.js';
import { prepareSelect } from '../../src/engine/verify/verify.js';
import { type OpenedServices, openServices } from '../../src/start/start-up.js';
import { fixtures } from '../support/paths.js';

// Tests of speed by plan instead of time: which data the engine skips, and which work it avoids.
let services: OpenedServices<ExplainingEngine>;

beforeAll(async () => {
  const command = readCommand(['query', 'logs.all', '--data', fixtures], {});
  if (command.verb !== 'query') throw new Error('not the verb');
  services = await openServices(command.settings, openDuckDbEngine);
});
afterAll(() => services.engine.close());

async function planOf(name: string, values: Readonly<Record<string, string | null>>, sql?: string) {
  const endpoint = services.catalog.find(name);
  const sandbox = sql === undefined ? undefined : ({ language: 'sql', text: sql } as const);
  const query = services.compiler.compile(endpoint, sandbox);
  const now = '2026-03-10T12:00:00.000000+00:00';
  const statement = bindStatement(query, values, { maxRows: endpoint.maxRows, now });
  return (await services.engine.explainPlan(statement)).replaceAll(/[│\s]+/g, ' ');
}

/** The columns that the scan reads, without those used only in its filters. */
function columnsIn(plan: string): readonly string[] {
  const [, list = ''] = /Projections: (.*?) (?:Filters:|~|\d)/.exec(plan) ?? [];
  return list.replaceAll(' .', '.').split(' ');
}

/**
 * The type of a prepared statement's first column: INVALID if the engine does not plan the statement before
 * it has the values.
 */
async function preparedType(name: string): Promise<DuckDBTypeId> {
  const { sql } = services.compiler.compile(services.catalog.find(name));
  const limits = { queryTimeoutMs: 60_000, maxResultBytes: 1_000 };
  const { instance, first } = await openDatabase({ ...services.logs, ...limits });
  const connection = await connectTo(instance, first);
  const type = (await prepareSelect(connection, { sql })).columnTypeId(0);
  connection.closeSync();
  instance.closeSync();
  return type;
}

test.each(['logs.all', 'usage.api-counts'])(
  '%s is planned once, with its values, and not when it is prepared',
  async (name) => {
    expect(await preparedType(name)).toBe(DuckDBTypeId.INVALID);
  },
);

const start = '2026-03-10T00:00:00.000000+00:00';
const open = { project: 'bluefin', iso_timestamp_start: null, iso_timestamp_end: null };

describe('logs.all', () => {
  test('the newest records are a top-N; no table is sorted completely', async () => {
    const plan = await planOf('logs.all', open);
    expect(plan).toContain('TOP_N');
    expect(plan).not.toMatch(/ORDER_BY.*ORDER_BY|DELIM_JOIN|UNNEST/);
    expect(plan).toContain("project='bluefin'");
  });

  test('a time window becomes a filter of the scan; without one there is no filter', async () => {
    const bounded = await planOf('logs.all', { ...open, iso_timestamp_start: start });
    expect(bounded).toMatch(/timestamp>'2026-03-10 00 ?:00:00\+00'/);
    const unbounded = await planOf('logs.all', open);
    expect(unbounded).not.toMatch(/timestamp[<>]/);
    expect(unbounded).not.toContain('IS NULL) OR');
  });

  test.each(['function_edge_logs', 'function_logs', 'realtime_logs', 'storage_logs'])(
    '%s are filtered by metadata without a join',
    async (table) => {
      const plan = await planOf('logs.all', open, `select count(*) as n from ${table}`);
      expect(plan).not.toMatch(/JOIN|UNNEST|ORDER_BY/);
    },
  );

  test('a CTE read by GROUP BY is not sorted, and only the used columns are read', async () => {
    const sql = `select r.status_code, count(*) as n from edge_logs
      cross join unnest(metadata) m cross join unnest(m.response) r group by 1`;
    const plan = await planOf('logs.all', open, sql);
    expect(plan).not.toMatch(/ORDER_BY|JOIN|UNNEST/);
    expect(columnsIn(plan)).toEqual(['metadata.response.status_code']);
  });
});

describe('usage.api-counts', () => {
  test('the time window is a filter of the scan, as a constant', async () => {
    const plan = await planOf('usage.api-counts', { project: 'bluefin', interval: 'hourly' });
    expect(plan).toMatch(/timestamp>='2026-03-10 11 ?:00:00\+00'/);
    expect(plan).not.toMatch(/JOIN|UNNEST/);
    const read = ['timestamp', 'metadata.request.path', 'metadata.request.url'];
    expect(columnsIn(plan)).toEqual(read);
  });

  test('no list is built per row to use the bucket twice', () => {
    const { sql } = services.compiler.compile(services.catalog.find('usage.api-counts'));
    expect(sql).not.toMatch(/lambda|list_transform/);
  });

  test('UTC needs no calendar: timezone() is not called', () => {
    const { sql } = services.compiler.compile(services.catalog.find('usage.api-counts'));
    expect(sql).not.toContain('timezone(');
    expect(sql).toContain('make_timestamp(epoch_us(');
  });
});
