import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readCommand } from '../../src/config/config.js';
import { bindStatement } from '../../src/endpoint/bind-statement.js';
import type { Endpoint } from '../../src/endpoint/endpoint.js';
import { openDuckDbEngine } from '../../src/engine/duckdb/duckdb.js';
import type { Statement } from '../../src/engine/engine.js';
import { ServiceError } from '../../src/errors/errors.js';
import { type OpenedServices, openServices } from '../../src/start/start-up.js';
import { type CanaryFolder, canariesIn, makeCanaryFolder } from '../support/canary-service.js';
import { withoutWall } from '../support/unwalled.js';
import { wallForms } from '../support/wall-forms.js';

// A filter in a CTE is no barrier: without the wall the engine also evaluates a caller's expressions on
// other projects' rows, and their failures reveal what is in them. With the wall, every answer and every
// message is the same as without the others' rows.
interface Side {
  readonly folder: CanaryFolder;
  readonly opened: OpenedServices;
}
let withOthers: Side;
let alone: Side;

async function open(others: boolean): Promise<Side> {
  const folder = makeCanaryFolder({ withOthers: others });
  const flags = ['--data', folder.data, '--memory-limit', '500MB', '--threads', '1'];
  const command = readCommand(['query', 'logs.all', ...flags], {});
  if (command.verb !== 'query') throw new Error('not the verb');
  return { folder, opened: await openServices(command.settings, openDuckDbEngine) };
}

beforeAll(async () => {
  [withOthers, alone] = [await open(true), await open(false)];
});
afterAll(async () => {
  for (const { folder, opened } of [withOthers, alone]) {
    await opened.engine.close();
    folder.remove();
  }
});

const bindings = { project: 'mine', iso_timestamp_start: null, iso_timestamp_end: null };
const now = '2026-03-10T14:00:00.000000+00:00';

async function answer({ opened }: Side, statementOf: (endpoint: Endpoint) => Statement) {
  try {
    const statement = statementOf(opened.catalog.find('logs.all'));
    const { signal } = new AbortController();
    const { body: json } = await opened.engine.run(statement, { signal });
    return Buffer.from(json).toString();
  } catch (error) {
    if (error instanceof ServiceError) return `${error.faults[0].reason}: ${error.message}`;
    return `internal: ${error instanceof Error ? error.cause : error}`;
  }
}

function walled(side: Side, text: string): Promise<string> {
  return answer(side, (endpoint) => {
    const query = side.opened.compiler.compile(endpoint, { language: 'sql', text });
    return bindStatement(query, bindings, { maxRows: endpoint.maxRows, now });
  });
}

function unwalled(side: Side, text: string): Promise<string> {
  const compiler = withoutWall(side.opened.compiler);
  return answer(side, (endpoint) => {
    const query = compiler.compile(endpoint, { language: 'sql', text });
    // This test is not about whether messages may quote values.
    return {
      ...bindStatement(query, bindings, { maxRows: endpoint.maxRows, now }),
      readsOwnRows: true,
    };
  });
}

describe('with the wall, no answer depends on rows of others', () => {
  test.each(wallForms)('%s', async (_place, queries) => {
    const wrong: string[] = [];
    for (const sql of queries) {
      const [one, other] = [await walled(withOthers, sql), await walled(alone, sql)];
      const isClean = one === other && canariesIn(one).length === 0;
      // BigQuery has no sub-selects over tables in ON.
      const isRefused = one.includes('Unsupported subquery');
      if (!isClean || !(isRefused || one.startsWith('[')))
        wrong.push(`${sql}\n  ${one}\n  ${other}`);
    }
    expect(wrong).toEqual([]);
  });
});

test('without the wall some do, so this test can fail', async () => {
  const leaks: string[] = [];
  for (const sql of wallForms.flatMap(([, queries]) => queries)) {
    const [one, other] = [await unwalled(withOthers, sql), await unwalled(alone, sql)];
    if (one !== other) leaks.push(sql);
  }
  expect(leaks.length).toBeGreaterThan(2);
});
