import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Opened, openServices } from '../src/cli/open-services.js';
import { readCommand } from '../src/config.js';
import { bindStatement } from '../src/endpoint/bind-statement.js';
import type { Endpoint } from '../src/endpoint/endpoint.js';
import { openDuckDbEngine } from '../src/engine/duckdb-engine.js';
import type { Statement } from '../src/engine/engine.js';
import { ServiceError } from '../src/errors.js';
import { confine } from '../src/query/confine.js';
import { encodeRows } from '../src/query/encode.js';
import { lower } from '../src/query/lower-query.js';
import { nameOutput } from '../src/query/name-output.js';
import { parse } from '../src/query/parse.js';
import { print } from '../src/query/print.js';
import { readsOf } from '../src/query/reads-of.js';
import { resolve } from '../src/query/resolve.js';
import { scalar } from '../src/query/type.js';
import { type CanaryFolder, canariesIn, makeCanaryFolder } from './support/canary-service.js';
import { root } from './support/paths.js';

// A filter in a CTE is no barrier: without a fence the engine asks a caller's own expressions of
// other projects' rows too, and their failures tell what those hold. With it no answer and no message
// is another where the others' rows are not there at all.
interface Side {
  readonly folder: CanaryFolder;
  readonly opened: Opened;
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
    const { json } = await opened.engine.run(statement, { signal });
    return Buffer.from(json).toString();
  } catch (error) {
    if (error instanceof ServiceError) return `${error.faults[0].reason}: ${error.message}`;
    return `internal: ${error instanceof Error ? error.cause : error}`;
  }
}

function fenced(side: Side, text: string): Promise<string> {
  return answer(side, (endpoint) => {
    const query = side.opened.compiler.compile(endpoint, { language: 'sql', text });
    return bindStatement(query, bindings, { maxRows: endpoint.maxRows, now });
  });
}

/** As the compiler compiles a caller's query, but that no CTE is fenced. */
function unfenced(side: Side, text: string): Promise<string> {
  return answer(side, (endpoint) => {
    const { sources } = side.opened.logs;
    const parameters = new Map(
      endpoint.parameters.map(({ name, type }) => [
        name,
        scalar(type === 'timestamp' ? 'TIMESTAMP' : 'STRING'),
      ]),
    );
    const byName = new Map(sources.map((source) => [source.name, source]));
    const stored = resolve(parse(endpoint.sql), { sources: byName, parameters, ctes: [] });
    const tables = stored.ctes.map(({ name }) => name);
    const tree = confine(parse(text), { tables, parameters });
    const own = nameOutput(resolve(tree, { sources: undefined, parameters, ctes: stored.ctes }));
    const { maxRows } = endpoint;
    const whole = { ...own, ctes: [...stored.ctes, ...own.ctes] };
    const statement = encodeRows(
      lower(whole, { maxRows: maxRows + 1, redact: false }),
      own.columns,
      { maxRows, redact: false },
    );
    const reads = readsOf(statement);
    const query = {
      sql: print(statement),
      tables: [...reads.tables].sort(),
      // As the messages quoted values before there were fences.
      readsOwnRows: true,
      parameters: [...parameters.keys()].filter((name) => reads.parameters.has(`p_${name}`)),
      readsClock: reads.parameters.has('now'),
      columns: [],
    };
    return bindStatement(query, bindings, { maxRows, now });
  });
}

const { expressions, places, sources } = JSON.parse(
  readFileSync(join(root, 'test/fence/forms.json'), 'utf8'),
) as Readonly<Record<'expressions' | 'places' | 'sources', readonly string[]>>;

/** Each place with a quarter of the failing expressions, another for the next; the sources in turn. */
const forms = places.map((place, row) => {
  const queries = expressions.flatMap((expression, column) => {
    const table = sources[(row + column) % sources.length] ?? '';
    const sql = place.replaceAll('{e}', () => expression).replaceAll('{t}', table);
    return (row + column) % 4 === 0 ? [sql] : [];
  });
  return [place, queries] as const;
});

describe('with the fence no answer tells of other rows', () => {
  test.each(forms)('%s', async (_place, queries) => {
    const wrong: string[] = [];
    for (const sql of queries) {
      const [one, other] = [await fenced(withOthers, sql), await fenced(alone, sql)];
      const isClean = one === other && canariesIn(one).length === 0;
      // BigQuery has no sub-selects over tables in ON.
      const isRefused = one.includes('Unsupported subquery');
      if (!isClean || !(isRefused || one.startsWith('[')))
        wrong.push(`${sql}\n  ${one}\n  ${other}`);
    }
    expect(wrong).toEqual([]);
  });
});

test('without the fence some do, so that this test can fire', async () => {
  const leaks: string[] = [];
  for (const sql of forms.flatMap(([, queries]) => queries)) {
    const [one, other] = [await unfenced(withOthers, sql), await unfenced(alone, sql)];
    if (one !== other) leaks.push(sql);
  }
  expect(leaks.length).toBeGreaterThan(2);
}, 60_000);
