import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readCommand } from '../../src/config/config.js';
import { unbound } from '../../src/endpoint/scope.js';
import { openDuckDbEngine } from '../../src/engine/duckdb/duckdb.js';
import { createDescribeEndpoints } from '../../src/run/describe-endpoints.js';
import { createRunEndpoint } from '../../src/run/run-endpoint.js';
import { createFollowTable } from '../../src/run/tail.js';
import { openServices } from '../../src/start/start-up.js';
import { idKey, makeFolder } from '../support/load-logs.js';

// Lines that share an instant come in several changes of the file: the tail has each once, in the order of a query.

/** Four lines of one instant, without ids, and as many of another project. */
function tie(at: number, batch: number): string {
  const lines = ['acme', 'evil'].flatMap((project) =>
    [3, 1, 0, 2].map((n) =>
      JSON.stringify({
        timestamp: `2026-03-10T12:00:0${at}Z`,
        project,
        event_message: `${project} ${batch} ${n}`,
        metadata: { request: { method: 'GET' } },
      }),
    ),
  );
  return `${lines.join('\n')}\n`;
}

test('a tail of tied lines', async () => {
  const data = makeFolder({ 'edge_logs.ndjson': tie(0, 0) });
  const flags = ['--data', data, '--no-disk-cache', '--threads', '1'];
  const command = readCommand(['serve', ...flags, '--now', '2026-03-10T14:00:00Z'], {
    LOG_ENDPOINTS_ID_KEY: idKey,
  });
  if (command.verb !== 'serve') throw new Error('not the verb');
  const services = await openServices(command.settings, openDuckDbEngine);
  const runEndpoint = createRunEndpoint(services);
  const describeEndpoints = createDescribeEndpoints(services);
  const follow = createFollowTable({ ...services, describeEndpoints, runEndpoint });
  const stop = new AbortController();
  const request = {
    endpoint: 'logs.all',
    parameters: new Map([['project', 'acme']]),
    clock: { now: '2026-03-10T14:00:00.000000+00:00', fixed: true },
    redact: false,
    signal: stop.signal,
    caller: '1',
    scope: unbound,
  };
  const events = follow({ ...request, source: 'edge_logs', filter: '', from: undefined });
  const messages: string[] = [];
  const printed: string[] = [];
  expect((await events.next()).value).toMatchObject({ rows: [], hasGap: false });
  for (const [at, batch] of [
    [0, 1],
    [1, 2],
    [1, 3],
    [0, 4],
  ] as const) {
    const next = events.next();
    appendFileSync(join(data, 'edge_logs.ndjson'), tie(at, batch));
    const logs = await services.allLogs.reload();
    if (logs === undefined) throw new Error('nothing has changed');
    await services.serving.replace(await services.openData(logs));
    const { value } = await next;
    expect(value?.hasGap).toBe(false);
    const rows = (value?.rows ?? []).map((row) => JSON.parse(row));
    expect(rows).toHaveLength(4);
    messages.push(...rows.map((row) => row.event_message));
    printed.push(...(value?.rows ?? []));
  }
  stop.abort();
  await events.return();
  expect(messages.toSorted()).toEqual(
    [1, 2, 3, 4].flatMap((batch) => [0, 1, 2, 3].map((n) => `acme ${batch} ${n}`)),
  );
  // Each change has its rows in the order of the whole table.
  const text = 'f:edge_logs s:*';
  const sandbox = { language: 'lql', text } as const;
  const { result } = await runEndpoint({
    ...request,
    signal: AbortSignal.timeout(30_000),
    sandbox,
    maxRows: 200,
  });
  const all = JSON.parse(Buffer.from(result.body).toString()).map((row: { id: string }) => row.id);
  for (let from = 0; from < printed.length; from += 4) {
    const ids = printed.slice(from, from + 4).map((row) => JSON.parse(row).id);
    expect(ids.toReversed()).toEqual(all.filter((id: string) => ids.includes(id)));
  }
  await services.serving.close();
}, 60_000);
