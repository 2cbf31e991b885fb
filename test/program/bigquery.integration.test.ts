import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ask, metricOf } from '../support/ask-service.js';
import { type StandIn, standInTables, startStandIn } from '../support/bigquery-stand-in.js';
import { makeFolder } from '../support/load-logs.js';
import { acceptance, main } from '../support/paths.js';
import { type Service, startService } from '../support/start-service.js';

const engine = ['--engine', 'bigquery', '--bigquery-tables', standInTables];
const now = ['--now', '2026-03-10T12:00:00Z'];

let standIn: StandIn;
let service: Service;

beforeAll(async () => {
  standIn = await startStandIn({ data: join(acceptance, 'fixtures/basic') });
  service = await startService([...engine, ...now], standIn.environment);
});
afterAll(async () => {
  expect(await service.stop()).toBe(0);
  await standIn.close();
});

/** Runs the command over the stand-in. */
async function run(...args: readonly string[]) {
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, [main, ...args], {
    env: { PATH, HOME, ...standIn.environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [output, errors, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit'),
  ]);
  return { output, errors, code };
}

test('an endpoint that reads another is one statement of BigQuery', async () => {
  const header = '-- @project: string, required\n-- @from: timestamp, required\n--\n';
  const endpoints = makeFolder({
    'in.ner.sql': `-- max-rows: 1\n${header}with edge_logs as (
  select t.id from \`logs.edge_logs\` as t where t.project = @project and t.timestamp >= @from
) select id from edge_logs`,
    'outer.sql': `${header}with edge_logs as (select id from \`in.ner\`) select count(*) as n from edge_logs`,
  });
  const values = ['--param', 'project=acme', '--param', 'from=2026-03-10T00:00:00Z'];
  const asked = ['--endpoints', endpoints, ...values, '--format', 'csv'];
  const before = standIn.jobs.length;
  const inner = await run('query', 'outer', ...engine, ...now, ...asked);
  expect(inner.errors).not.toContain('rror');
  expect(Number(inner.output.split('\n')[1])).toBeGreaterThan(1);
  const statements = standIn.jobs.slice(before).map(({ sql }) => sql);
  expect(statements.some((sql) => sql.includes('@p_from') && sql.includes('edge_logs'))).toBe(true);
});

describe('serve', () => {
  test('answers, and says what was billed', async () => {
    const response = await ask(service, { project: 'acme' });
    expect(response.status).toBe(200);
    expect(response.headers.get('server-timing')).toMatch(/, billed;desc="\d+ bytes"$/);
    expect(Number(response.headers.get('x-result-rows'))).toBeGreaterThan(0);
    const billed = () => metricOf(service, 'engine_billed_bytes_total');
    await expect.poll(billed, { timeout: 60_000 }).toBeGreaterThan(0);
    expect(service.output()).toContain(`the tables ${standInTables} of BigQuery`);
  });

  test('looks for the newest rows in a longer window only if a shorter one has too few', async () => {
    const before = standIn.jobs.length;
    const response = await ask(service, { project: 'nobody' });
    expect(response.headers.get('x-result-note')).toBe(
      'rows before 2026-03-03T12:00:00.000Z were not read',
    );
    const starts = standIn.jobs.slice(before).map(({ body }) => JSON.stringify(body));
    expect(starts).toHaveLength(3);
    expect(starts[0]).toContain('2026-03-10T11:00:00.000Z');
    expect(starts[2]).toContain('2026-03-03T12:00:00.000Z');
  });

  test("takes no caller's query", async () => {
    const response = await ask(service, { project: 'acme', sql: 'select id from edge_logs' });
    expect(response.status).toBe(400);
    expect(await response.text()).toContain('does not take queries of callers');
  });

  test('refuses a start before the longest window', async () => {
    const parameters = { project: 'acme', iso_timestamp_start: '2026-01-01T00:00:00Z' };
    const response = await ask(service, parameters);
    expect(response.status).toBe(400);
    expect(await response.text()).toContain('--bigquery-max-window');
  });

  test('refuses a pattern that is none', async () => {
    const parameters = { project: '(', interval: 'hourly' };
    const response = await ask(service, parameters, { endpoint: 'usage.api-counts' });
    expect(response.status).toBe(400);
    expect(await response.text()).toContain('Cannot parse regular expression');
  });

  test('is not ready while BigQuery refuses the server', async () => {
    const ready = async () => (await fetch(`${service.url}/ready`)).status;
    expect(await ready()).toBe(200);
    standIn.failNext('job', { code: 403, reason: 'accessDenied', message: 'secret words' });
    const response = await ask(service, { project: 'acme' });
    expect(response.status).toBe(500);
    expect(await response.text()).not.toContain('secret words');
    expect(await ready()).toBe(503);
    await ask(service, { project: 'acme' });
    expect(await ready()).toBe(200);
  });
});

describe('other verbs', () => {
  test('query prints rows', async () => {
    const { output, code } = await run(
      ...['query', 'logs.all', ...engine, ...now, '--param', 'project=acme', '--format', 'ndjson'],
    );
    expect(code).toBe(0);
    expect(output.split('\n')[0]).toMatch(/^\{"id":"/);
  });

  test('query says which rows are missing', async () => {
    const { errors, output } = await run(
      ...['query', 'logs.all', ...engine, ...now, '--param', 'project=acme'],
      ...['--bigquery-max-window', '24h'],
    );
    expect(errors).toBe('rows before 2026-03-09T12:00:00.000Z were not read\n');
    expect(output).toContain('"id"');
  });

  test("query prints BigQuery's own message", async () => {
    standIn.failNext('job', { code: 403, reason: 'accessDenied', message: 'Access Denied: jobs' });
    const { errors, code } = await run('query', 'logs.all', ...engine, '--param', 'project=acme');
    expect(errors).toBe('BigQuery accessDenied: Access Denied: jobs\n');
    expect(code).toBe(1);
  });

  test('explain prints the statement, and what it would read', async () => {
    const { output } = await run('explain', 'logs.all', ...engine, ...now);
    expect(output).toContain('FROM `stand-in`.`logs`.`edge_logs` AS t1');
    expect(output).toMatch(/BigQuery would read at most \d+ bytes\n$/);
  });

  test('check prints what each endpoint reads with each set of parameters', async () => {
    const { output, code } = await run('check', ...engine);
    expect(output).toMatch(/^logs\.all \(project=\w+\): \d+ bytes of \d+ without a start time$/m);
    expect(output).toContain('usage.api-counts (interval=daily, project=.)');
    expect(output).toContain('2 endpoints, 0 errors');
    expect(code).toBe(0);
  });

  test('check finds tables whose partitions a start does not skip', async () => {
    const other = await startStandIn({ data: join(acceptance, 'fixtures/basic'), isFlat: true });
    const before = standIn;
    standIn = other;
    const { output, code } = await run('check', ...engine);
    standIn = before;
    await other.close();
    expect(output).toContain(
      'the start time lowers nothing; is the table partitioned by timestamp?',
    );
    expect(code).toBe(1);
  });

  test('ddl prints a statement for each source', async () => {
    const { output } = await run('bigquery', 'ddl', '--bigquery-tables', standInTables);
    expect(output.match(/^CREATE TABLE /gm)).toHaveLength(9);
    expect(output).toContain('CREATE TABLE `stand-in.logs.function_logs` (\n  `project` STRING,');
    expect(output.match(/^PARTITION BY DATE\(timestamp\)$/gm)).toHaveLength(9);
  });
});

describe('a start that fails', () => {
  test.each([
    [['serve', '--engine', 'bigquery'], '--engine bigquery needs --bigquery-tables'],
    [['serve', ...engine, '--data', 'fixtures'], '--data and --engine bigquery exclude each other'],
    [['serve', '--bigquery-tables', standInTables], '--bigquery-tables needs --engine bigquery'],
    [['serve', '--engine', 'bigquery', '--bigquery-tables', 'a.b.c'], 'must be project.dataset'],
    [['bigquery', 'dll', '--bigquery-tables', standInTables], 'Unknown action for bigquery: dll'],
  ])('%j', async (args, line) => {
    const { errors, code } = await run(...args);
    expect(errors).toContain(line);
    expect(code).toBe(2);
  });

  test('names the table that BigQuery does not show', async () => {
    standIn.failNext('table', { code: 403, reason: 'accessDenied', message: 'Access Denied' });
    const { errors, code } = await run('query', 'logs.all', ...engine, '--param', 'project=acme');
    expect(errors).toMatch(/^BigQuery does not show the table stand-in\.logs\.\w+: Access Denied/);
    expect(code).toBe(2);
  });
});
