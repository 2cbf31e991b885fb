import { expect, test } from 'vitest';
import { runTestServer } from '../../src/cli/test-server.js';
import { readCommand, takeTokenEntries } from '../../src/config/config.js';

const settingsOf = (argv: readonly string[]) => {
  const command = readCommand(['test-server', '--now', '2026-03-10T12:00:00Z', ...argv], {});
  if (!('settings' in command)) throw new Error('test-server has no settings');
  return command.settings;
};
const usualTokens = takeTokenEntries({
  LOG_ENDPOINTS_TOKENS: 'a-token-of-the-test, another-one-of-it',
});

interface Start {
  readonly argv: readonly string[];
  readonly tokens: typeof usualTokens;
}

interface Address {
  readonly url: string;
  readonly token: string;
}

/** Stands for the end of the input. */
const end = '\0';

type Send = (line: string) => Promise<unknown>;

/** Runs a server over lines, each sent after the answer to the one before, half a line at a time. */
async function withServer(
  use: (send: Send, address: Address) => Promise<void>,
  { argv, tokens }: Start = { argv: [], tokens: usualTokens },
): Promise<void> {
  const { push, pull } = createQueue<string>();
  const answers = createQueue<string>();
  const print = async (text: string) => answers.push(text);
  const running = runTestServer({
    settings: settingsOf(argv),
    tokens,
    input: untilEnd(pull),
    print,
  });
  const address: Address = JSON.parse(await answers.pull());
  await use(async (line) => {
    const half = Math.floor(line.length / 2);
    push(line.slice(0, half));
    push(`${line.slice(half)}\n`);
    return JSON.parse(await answers.pull());
  }, address);
  push(end);
  await running;
}

async function* untilEnd(pull: () => Promise<string>): AsyncGenerator<string> {
  for (let chunk = await pull(); chunk !== end; chunk = await pull()) yield chunk;
}

function createQueue<T>() {
  const items: T[] = [];
  let wake = () => {};
  return {
    push(item: T): void {
      items.push(item);
      wake();
    },
    async pull(): Promise<T> {
      while (items.length === 0) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      return items.shift() as T;
    },
  };
}

test('a process in another language writes, sets the clock and resets; rows are asked over HTTP', async () => {
  await withServer(async (send, { url, token }) => {
    expect(token).toBe('a-token-of-the-test');
    const query = async (sql: string, key = token) => {
      const parameters = new URLSearchParams({ project: 'p', sql });
      const path = `${url}/api/endpoints/query/logs.all?${parameters}`;
      return (await fetch(path, { headers: { 'x-api-key': key } })).text();
    };
    const fields =
      '"timestamp":"2026-03-10T12:00:00Z","project":"p","metadata":{"n":9007199254740993}';
    const line = `{"write":{"edge_logs":[{"id":"a",${fields}},{"id":"b\u2028",${fields}}],"db_logs":[{"id":"c",${fields}}]}}`;
    expect(await send(line)).toEqual({});
    expect(
      await query(
        'select sum(m.n) as n from edge_logs cross join unnest(metadata) as m',
        'another-one-of-it',
      ),
    ).toBe('{"result":[{"n":18014398509481986}]}');
    const ids = 'select id from edge_logs union all select id from db_logs order by id';
    expect(JSON.parse(await query(ids)).result).toEqual([
      { id: 'a' },
      { id: 'b\u2028' },
      { id: 'c' },
    ]);
    const order = { query: 'logs.all', parameters: { project: 'p', sql: ids } };
    expect(await send(JSON.stringify(order))).toEqual({
      result: [{ id: 'a' }, { id: 'b\u2028' }, { id: 'c' }],
    });
    expect(await send('{"setNow":"2030-01-01T00:00:00Z"}')).toEqual({});
    expect(await query('select extract(year from current_timestamp()) as y')).toContain('2030');
    expect(await send('{"reset":true}')).toEqual({});
    expect(await query(ids)).toBe('{"result":[]}');
    expect(await query('select extract(year from current_timestamp()) as y')).toContain('2026');
  });
});

test('what cannot be done is answered with the reason, and the next line is read', async () => {
  await withServer(async (send) => {
    for (const [line, reason] of [
      ['{"reset":tru}', 'JSON'],
      ['', 'JSON'],
      ['{"rset":true}', 'a line must be {"write"'],
      ['{"reset":true,"setNow":null}', 'a line must be {"write"'],
      ['{"write":{"edge_log":[{}]}}', 'did you mean edge_logs?'],
      ['{"write":{"edge_logs":[{"id":"a"}]}}', 'record 1: timestamp: missing'],
      ['{"query":"logs.al"}', 'logs.al'],
      ['{"query":"logs.all","parameters":{"project":"p","sql":"selec 1"}}', 'selec'],
      ['{"setNow":"noon"}', 'not an ISO 8601 timestamp: noon'],
    ] as const) {
      expect(await send(line)).toEqual({ error: expect.stringContaining(reason) });
    }
    expect(await send('{"setNow":null}')).toEqual({});
    // Of a line that cannot be done, nothing is done.
    const good = `{"timestamp":"2026-03-10T12:00:00Z","project":"p"}`;
    for (const line of [
      `{"write":{"edge_logs":[${good}],"db_logs":[{"id":"a"}]}}`,
      `{"write":{"edge_logs":[${good}],"db_log":[${good}]}}`,
    ]) {
      expect(await send(line)).toHaveProperty('error');
    }
    const sql = 'select count(*) as n from edge_logs';
    const count = { query: 'logs.all', parameters: { project: 'p', sql } };
    expect(await send(JSON.stringify(count))).toEqual({ result: [{ n: 0 }] });
  });
});

test('a preset, shapes and short tokens are those of a server', async () => {
  const argv = ['--preset', 'supabase', '--as', 'api=pino', '--allow-short-tokens'];
  const logged = { time: '2026-03-10T12:00:00Z', level: 30, msg: 'hello' };
  const parameters = { project: 'default', sql: 'select event_message from api' };
  const run = async (send: Send, { token }: Address) => {
    expect(token).toBe('short');
    expect(await send(JSON.stringify({ write: { api: [logged], postgres_logs: [] } }))).toEqual({});
    expect(await send(JSON.stringify({ query: 'logs.all', parameters }))).toEqual({
      result: [{ event_message: 'hello' }],
    });
    const failing = { query: 'logs.all', parameters: { ...parameters, sql: 'select x' } };
    expect(await send(JSON.stringify(failing))).toEqual({
      error: expect.stringContaining('x'),
    });
  };
  await withServer(run, {
    argv,
    tokens: takeTokenEntries({ LOG_ENDPOINTS_TOKENS: 'short' }, true),
  });
});

test('a token with faults is refused by the name of its variable', () => {
  expect(() => takeTokenEntries({ LOG_ENDPOINTS_TOKENS: 'short' })).toThrow(
    'LOG_ENDPOINTS_TOKENS: token 1: a token must have at least 16 characters',
  );
});
