import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Compiler } from '../../src/compiler/compile.js';
import { readCommand } from '../../src/config/config.js';
import { bindStatement } from '../../src/endpoint/bind-statement.js';
import { openDuckDbEngine } from '../../src/engine/duckdb/duckdb.js';
import type { ExplainingEngine } from '../../src/engine/engine.js';
import { type OpenedServices, openServices } from '../../src/start/start-up.js';
import { acceptance } from '../support/paths.js';
import { withoutWall } from '../support/unwalled.js';

// The first leak, as reported: if the statistics show that no record of any project meets a comparison, the
// engine plans an empty result and never evaluates the division by zero below it. So whether the query
// fails reveals the greatest value of another project: 45899 belongs to globex.
let opened: OpenedServices<ExplainingEngine>;

beforeAll(async () => {
  const command = readCommand(
    ['query', 'logs.all', '--data', join(acceptance, 'fixtures/basic')],
    {},
  );
  if (command.verb !== 'query') throw new Error('not the verb');
  opened = await openServices(command.settings, openDuckDbEngine);
});
afterAll(() => opened.engine.close());

const bindings = { project: 'initech', iso_timestamp_start: null, iso_timestamp_end: null };

async function outcome(compiler: Compiler, threshold: number): Promise<string> {
  const text = `select count(*) n from (
    select c.asn a, div(1, s.status_code - s.status_code) e from edge_logs
    cross join unnest(metadata) m cross join unnest(m.response) s cross join unnest(m.request) r
    cross join unnest(r.cf) c limit 100) where a > ${threshold} and e = 1`;
  const endpoint = opened.catalog.find('logs.all');
  const query = compiler.compile(endpoint, { language: 'sql', text });
  const options = { maxRows: endpoint.maxRows, now: '2026-03-10T12:00:00.000000+00:00' };
  const statement = bindStatement(query, bindings, options);
  const { signal } = new AbortController();
  return opened.engine.run(statement, { signal }).then(
    ({ body }) => Buffer.from(body).toString(),
    (error: unknown) => String(error),
  );
}

test('no threshold reveals the greatest value of another project', async () => {
  const { compiler } = opened;
  expect(await outcome(compiler, 45_898)).toBe(await outcome(compiler, 45_899));
});

test('without the wall, a threshold reveals it', async () => {
  const compiler = withoutWall(opened.compiler);
  expect(await outcome(compiler, 45_898)).not.toBe(await outcome(compiler, 45_899));
});
