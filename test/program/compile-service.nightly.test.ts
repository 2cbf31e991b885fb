import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ask, metricOf } from '../support/ask-service.js';
import { many } from '../support/bombs.js';
import { fixtures } from '../support/paths.js';
import { send } from '../support/send-bomb.js';
import { type Service, startService, token } from '../support/start-service.js';

const other = 'another-token-of-the-tests-01234';
const LOG_ENDPOINTS_TOKENS = `${token},${other}`;
const flags = ['--data', fixtures, '--now', '2026-03-10T12:00:00Z'];

const columns = many(1_000, (i) => `to_json_string(t) as c${i}`);
const longest = 55_000;

/** Queries that take long to compile, whether accepted or refused; each index gives another text. */
const expensive: readonly ((index: number) => string)[] = [
  (index) => `select ${columns}, ${index} as x from edge_logs t`,
  (index) => {
    const zone = "timestamp'2026-01-01 00:00:00 Asia/Tokyo'";
    return `select array_length([${many(Math.floor(longest / 45), () => zone)}]) + ${index} as n`;
  },
];

async function reasonOf(response: Response) {
  const { error } = (await response.json()) as {
    readonly error: {
      readonly message: string;
      readonly errors: readonly [{ readonly reason: string; readonly location?: string }];
    };
  };
  return { message: error.message, ...error.errors[0] };
}

describe('queries that take long to compile', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService([...flags, '--compile-timeout', '1m'], { LOG_ENDPOINTS_TOKENS });
    // The first query of each caller is slower.
    for (const key of [token, other]) await ask(service, { sql: 'select 0 as n' }, { token: key });
  });
  afterAll(() => service.stop());

  test.each(['dry-run', 'explain'])(
    '%s compiles in a worker, and finds the same faults',
    async (flag) => {
      const ofSql = (sql: string) => ask(service, { sql, [flag]: 'true' });
      const answer = await ofSql('select 1 as n, metadata from edge_logs');
      const { schema, stages } = (await answer.json()) as {
        readonly schema: { readonly fields: readonly { readonly fields?: readonly unknown[] }[] };
        readonly stages?: readonly { readonly name: string }[];
      };
      const [n, metadata] = schema.fields;
      expect(n).toEqual({ name: 'n', type: 'INT64', mode: 'NULLABLE' });
      expect(metadata).toMatchObject({ name: 'metadata', type: 'STRUCT', mode: 'REPEATED' });
      expect(metadata?.fields).toContainEqual(expect.objectContaining({ name: 'request' }));
      expect(stages?.some(({ name }) => name === 'print')).toBe(flag === 'explain' || undefined);
      expect((await ofSql('select mesage from edge_logs')).status).toBe(400);
    },
  );

  test.each(expensive.map((text) => [text(0).slice(0, 40), text] as const))(
    'do not delay other callers: %s',
    async (_, text) => {
      const ended: string[] = [];
      const asked = Array.from({ length: 8 }, async (__, index) => {
        await (await ask(service, { sql: text(index) })).text();
        ended.push('expensive');
      });
      const answer = await ask(service, { sql: 'select 1 as n' }, { token: other });
      ended.push('cheap');
      expect(answer.status).toBe(200);
      await Promise.all(asked);
      // The expensive queries, sent first, take turns in one worker. On the server's thread all would end first.
      expect(ended.indexOf('cheap')).toBeLessThan(4);
    },
  );
});

describe('the time limit for compiling', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService([...flags, '--compile-timeout', '60ms']);
  });
  afterAll(() => service.stop());

  test('refuses a query that exceeds it, and the next one is answered', async () => {
    const refused = await ask(service, { sql: expensive[0]?.(0) ?? '' });
    expect(refused.status).toBe(504);
    const { message, reason, location } = await reasonOf(refused);
    expect({ reason, location }).toEqual({ reason: 'timeout', location: 'sql' });
    expect(message).toContain('60 ms (--compile-timeout)');
    const next = () => send(service, { sql: 'select 1 as n' }).then(({ status }) => status);
    await expect.poll(next, { timeout: 60_000 }).toBe(200);
    const restarts = () => metricOf(service, 'compile_restarts_total');
    await expect.poll(restarts, { timeout: 60_000 }).toBeGreaterThan(0);
  });

  test('does not apply to stored queries', async () => {
    expect((await ask(service, {})).status).toBe(200);
  });
});

test('a short query that compiles to too large a statement is refused', async () => {
  const service = await startService([...flags, '--compile-timeout', '1m']);
  try {
    const long = `concat(id, '${'x'.repeat(50_000)}')`;
    const sql = `select ${long} as a from edge_logs group by id having ${many(300, (i) => `a = '${i}'`, ' or ')}`;
    const { reason, message } = await reasonOf(await ask(service, { sql }));
    expect(reason).toBe('resourcesExceeded');
    expect(message).toContain('compiles to a statement of more than');
  } finally {
    await service.stop();
  }
});
