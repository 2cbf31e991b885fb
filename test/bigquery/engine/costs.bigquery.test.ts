import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { BigQuery } from '@google-cloud/bigquery';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ask } from '../../support/ask-service.js';
import type { OpenedTables } from '../../support/bigquery-acceptance.js';
import { createTables, testDataset } from '../../support/bigquery-project.js';
import { acceptance, main } from '../../support/paths.js';
import { type Service, startService } from '../../support/start-service.js';

describe.skipIf(testDataset() === undefined)('on a real project', () => {
  let opened: OpenedTables;
  let service: Service;
  const flags = () => ['--engine', 'bigquery', '--bigquery-tables', opened.tables];

  beforeAll(async () => {
    opened = await createTables(join(acceptance, 'fixtures/basic'));
    const limits = ['--bigquery-max-window', '0', '--bigquery-sandbox', '--query-timeout', '20s'];
    service = await startService([...flags(), ...limits], opened.environment);
  });
  afterAll(async () => {
    await service.stop();
    await opened.close();
  });

  test('a start time lowers what the endpoints read', () => {
    const env = { ...opened.environment };
    const { status, stdout } = spawnSync(process.execPath, [main, 'check', ...flags()], { env });
    expect(String(stdout)).toContain('0 errors');
    expect(status).toBe(0);
  });

  test('a job is cancelled when its caller leaves', async () => {
    const caller = new AbortController();
    const numbers = 'unnest(generate_array(1, 100000))';
    const sql = `select count(*) as n from ${numbers} as a, ${numbers} as b where mod(a * b, 7) = 1`;
    const running = ask(service, { project: 'acme', sql }, { signal: caller.signal });
    await sleep(3_000);
    caller.abort();
    await expect(running).rejects.toThrow();
    const { project: projectId = '' } = testDataset() ?? {};
    const client = new BigQuery({ projectId });
    const isCancelled = async () => {
      const [jobs] = await client.getJobs({ maxResults: 5, allUsers: false });
      return jobs.some(({ metadata }) => metadata.status?.errorResult?.reason === 'stopped');
    };
    await expect.poll(isCancelled, { timeout: 60_000, interval: 1_000 }).toBe(true);
  });
});
