import { describe, expect, test } from 'vitest';
import { readCommand, takeTokens } from '../../src/config/config.js';
import { printHelp } from '../../src/config/print-help.js';
import { settings } from '../../src/config/settings.js';
import { unboundToken } from '../../src/config/tokens.js';
import { SetupError } from '../../src/errors/errors.js';

function linesOf(work: () => unknown): readonly string[] {
  try {
    work();
  } catch (error) {
    if (error instanceof SetupError) return error.lines;
    throw error;
  }
  throw new Error('nothing was refused');
}

function settingsOf(argv: readonly string[], environment = {}) {
  const command = readCommand(argv, environment);
  if (!('settings' in command)) throw new Error(`no settings for ${command.verb}`);
  return command.settings;
}

test('the defaults', () => {
  expect(settingsOf(['serve'])).toEqual({
    disorder: 0,
    gzip: false,
    host: '127.0.0.1',
    incidents: false,
    out: 'logs',
    plain: false,
    port: 4000,
    records: 20_000,
    seed: 1,
    shiftToNow: false,
    strict: false,
    allowNowHeader: false,
    allowShortTokens: false,
    managementApi: false,
    headerPrefix: 'SVC',
    redactPii: false,
    format: 'json',
    queryTimeout: 30_000,
    maxConcurrentQueries: 4,
    maxQueuedQueries: 64,
    maxResultBytes: 32 * 1024 ** 2,
    maxBody: 256 * 1024,
    maxUnsentBytes: 512 * 1024 ** 2,
    compileTimeout: 3_000,
    cacheSize: 128 * 1024 ** 2,
    newestRows: 300,
    maxFields: 2000,
    queryCache: 32 * 1024 ** 2,
    exitWithParent: false,
    quiet: false,
    logLevel: 'info',
    logQueries: false,
    noDiskCache: false,
    watch: false,
    mcp: 'on',
    mcpMaxRows: 100,
    mcpMaxBytes: 32 * 1024,
    engine: 'duckdb',
    bigqueryMaxBytes: 10 * 1024 ** 3,
    bigqueryMaxBytesPerDay: 1024 ** 4,
    bigqueryMaxWindow: 168 * 3_600_000,
    bigquerySandbox: false,
  });
});

test.each<[readonly string[], Record<string, string>, object]>([
  [['--port', '5000'], { LOG_ENDPOINTS_PORT: '6000' }, { port: 5000 }],
  [['--port=5000'], {}, { port: 5000 }],
  [['--port', '1', '--port', '2'], {}, { port: 2 }],
  [[], { LOG_ENDPOINTS_PORT: '6000' }, { port: 6000 }],
  [[], { LOG_ENDPOINTS_PORT: '' }, { port: 4000 }],
  [['--strict'], {}, { strict: true }],
  [['--strict=false'], { LOG_ENDPOINTS_STRICT: 'true' }, { strict: false }],
  [[], { LOG_ENDPOINTS_ALLOW_NOW_HEADER: 'true' }, { allowNowHeader: true }],
  [['--query-timeout', '500ms'], {}, { queryTimeout: 500 }],
  [['--query-timeout', '2m'], {}, { queryTimeout: 120_000 }],
  [['--max-unsent-bytes', '1MB'], {}, { maxUnsentBytes: 1024 ** 2 }],
  [['--memory-limit', '1GB'], {}, { memoryLimit: 1024 ** 3 }],
  [['--memory-limit', '1gib'], {}, { memoryLimit: 1024 ** 3 }],
  [['--query-cache', '0'], {}, { queryCache: 0 }],
  [['--newest-rows', '0'], {}, { newestRows: 0 }],
  [['--max-fields', '10'], {}, { maxFields: 10 }],
  [['--now', '2026-03-10T12:00:00Z'], {}, { now: '2026-03-10T12:00:00.000000+00:00' }],
  [
    ['--cors-origin', 'https://a.example', '--cors-origin', 'http://b:8080'],
    {},
    { corsOrigin: ['https://a.example', 'http://b:8080'] },
  ],
  [
    [],
    { LOG_ENDPOINTS_CORS_ORIGIN: 'https://a.example, http://b' },
    { corsOrigin: ['https://a.example', 'http://b'] },
  ],
  [[], { LOG_ENDPOINTS_TOKENS: 'x', LOG_ENDPOINTS_TOKENS_FILE: 'y', OTHER: 'z' }, {}],
])('%j with %j', (argv, environment, expected) => {
  expect(settingsOf(['serve', ...argv], environment)).toMatchObject(expected);
});

test('the argument of a query, and values that begin with a dash', () => {
  const argv = ['query', 'logs.all', '--sql', '-- x', '--param', 'a=1', '--param=b=-2'];
  expect(readCommand(argv, {})).toMatchObject({
    verb: 'query',
    argument: 'logs.all',
    settings: { sql: '-- x', param: ['a=1', 'b=-2'] },
  });
});

test.each([
  [[], 'help'],
  [['--help'], 'help'],
  [['--version'], 'version'],
  [['-v'], 'version'],
])('%j is %s', (argv, verb) => {
  expect(readCommand(argv, { LOG_ENDPOINTS_PORT: 'x' })).toEqual({ verb });
});

test.each([[['help', 'flags']], [['--help', 'flags']]])('%j is the help of all flags', (argv) => {
  expect(readCommand(argv, {})).toEqual({ verb: 'help', of: 'flags' });
});

test.each([[['check', '--help']], [['--help', 'check']], [['help', 'check']]])(
  '%j is the help of one verb',
  (argv) => {
    expect(readCommand(argv, {})).toEqual({ verb: 'help', of: 'check' });
    const help = printHelp('check');
    expect(help).toContain('log-endpoints check');
    expect(help).toContain('--strict');
    expect(help).not.toContain('--port');
  },
);

test.each<[readonly string[], Record<string, string>, string]>([
  [
    ['serv'],
    {},
    'Unknown verb: serv; expected one of serve, demo, mcp, query, explain, check, test, new, generate, cache, tokens, test-server, bigquery; did you mean serve?',
  ],
  [['serve', '--prot', '1'], {}, 'Unknown flag for serve: --prot; did you mean --port?'],
  [['serve', '-p'], {}, 'Unknown flag for serve: -p'],
  [['serve', '--follow'], {}, 'Unknown flag for serve: --follow'],
  [['serve', '--tokens=x'], {}, 'Unknown flag for serve: --tokens'],
  [
    ['check', '--port=1'],
    {},
    'Unknown flag for check: --port (a flag of serve, demo, test-server)',
  ],
  [['serve', '--port'], {}, 'Flag --port needs a value'],
  [['serve', '--port', 'x'], {}, '--port must be a whole number, from 0 to 65535'],
  [['serve', '--port', '65536'], {}, '--port must be a whole number, from 0 to 65535'],
  [['serve', '--data='], {}, '--data must not be empty'],
  [
    ['serve', '--newest-rows', '2GB'],
    {},
    '--newest-rows must be a whole number without a unit, from 0 to 10000',
  ],
  [['serve', '--strict=yes'], {}, '--strict must be true or false'],
  [['serve', '--now', 'noon'], {}, '--now must be an ISO 8601 timestamp'],
  [['serve', '--header-prefix', 'a b'], {}, '--header-prefix must be letters, digits and dashes'],
  [['serve', 'logs'], {}, 'there is no file or folder logs'],
  [
    ['query'],
    {},
    'query needs the name of an endpoint, such as logs.all, or a query in --sql or --lql',
  ],
  [['cache'], {}, 'cache needs an action: list or clear'],
  [['tokens'], {}, 'tokens needs an action: new'],
  [
    ['tokens', 'new', '--endpoints=a'],
    {},
    'Unknown flag for tokens: --endpoints (a flag of serve, mcp, query, explain, check, test, test-server, demo, new)',
  ],
  [['tokens', 'new', '--project='], {}, '--project must not be empty'],
  [['cache', 'list', 'all'], {}, 'Unknown argument for cache: all'],
  [['query', 'a', 'b'], {}, 'there is no endpoint b; there is no file or folder b'],
  [
    ['query', 'a', '--format', 'xml'],
    {},
    '--format must be one of json, ndjson, csv, arrow, parquet, table',
  ],
  [
    ['serve'],
    { LOG_ENDPOINTS_PROT: '1' },
    'Unknown variable: LOG_ENDPOINTS_PROT; did you mean LOG_ENDPOINTS_PORT?',
  ],
  [
    ['serve'],
    { LOG_ENDPOINTS_TOKEN: 'x' },
    'Unknown variable: LOG_ENDPOINTS_TOKEN; did you mean LOG_ENDPOINTS_TOKENS?',
  ],
  [['serve'], { LOG_ENDPOINTS_STRICT: '1' }, 'LOG_ENDPOINTS_STRICT must be true or false'],
  [
    ['serve'],
    { LOG_ENDPOINTS_MAX_BODY: '1' },
    'LOG_ENDPOINTS_MAX_BODY must be a size such as 128MB, from 1 KB to 1 GB',
  ],
  [
    ['serve', '--query-timeout', '30'],
    {},
    '--query-timeout must be a duration such as 30s, from 10 ms to 1 h',
  ],
])('%j with %j is refused', (argv, environment, line) => {
  expect(linesOf(() => readCommand(argv, environment))).toEqual([line]);
});

test.each(['', '*', 'https://a.example/', 'https://A.example', 'a.example', 'https://a.example,'])(
  'the origin %j, which no browser sends, is refused',
  (text) => {
    expect(linesOf(() => readCommand(['serve', '--cors-origin', text], {}))).toEqual([
      '--cors-origin must be a comma-separated list of origins such as https://app.example',
    ]);
  },
);

test('all faults are reported', () => {
  const argv = ['serve', '--x', '--port', 'y'];
  expect(linesOf(() => readCommand(argv, { LOG_ENDPOINTS_Z: '' }))).toHaveLength(3);
});

test.each(Object.keys(settings))('the help names %s', (name) => {
  const flag = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  expect(printHelp('flags')).toMatch(new RegExp(`^  --${flag}\\b`, 'm'));
});

describe('tokens', () => {
  const one = 'a-token-of-the-tests';
  const two = 'another-known-token';

  test('are kept as digests and removed from the environment', () => {
    const environment = { LOG_ENDPOINTS_TOKENS: ` ${one} ,${two},` };
    const from = 'LOG_ENDPOINTS_TOKENS: token';
    expect(takeTokens(environment)).toEqual({
      known: [unboundToken(one, `${from} 1`), unboundToken(two, `${from} 2`)],
    });
    expect(environment).toEqual({});
  });

  test('are generated if none are configured', () => {
    const { known, made = '' } = takeTokens({});
    expect(made).toMatch(/^[\w-]{32}$/);
    expect(known).toEqual([unboundToken(made)]);
    expect(takeTokens({}).made).not.toBe(made);
  });

  test.each([
    [
      { LOG_ENDPOINTS_TOKENS: `${one},fifteen-letters` },
      'LOG_ENDPOINTS_TOKENS: token 2: a token must have',
    ],
    [
      { LOG_ENDPOINTS_TOKENS: 'ein-Schlüssel-mit-Umlaut' },
      'LOG_ENDPOINTS_TOKENS: token 1: a token must have',
    ],
    [
      { LOG_ENDPOINTS_TOKENS: `${one},${two},${one}` },
      'LOG_ENDPOINTS_TOKENS: token 3: the same token as LOG_ENDPOINTS_TOKENS: token 1',
    ],
    [{ LOG_ENDPOINTS_TOKENS_FILE: '/none/here' }, 'LOG_ENDPOINTS_TOKENS_FILE /none/here: ENOENT'],
    [
      { LOG_ENDPOINTS_TOKENS_FILE: '/dev/null' },
      'LOG_ENDPOINTS_TOKENS_FILE /dev/null: it contains no token',
    ],
  ])('%o is refused', (environment, line) => {
    const lines = linesOf(() => takeTokens(environment));
    expect(lines).toEqual([expect.stringContaining(line)]);
    expect(lines.join()).not.toMatch(/fifteen|Schl/);
  });
});
