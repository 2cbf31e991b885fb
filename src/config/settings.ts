import type { Limits, SettingKind, SettingValues } from './setting-kinds.js';

/** What the command does. */
export const verbs = ['serve', 'query', 'explain', 'check', 'cache', 'tokens'] as const;

export type Verb = (typeof verbs)[number];

/** One setting: a flag, a variable, and what they may hold. */
export interface Setting extends Limits {
  readonly kind: SettingKind;
  /** What `--help` shows after the flag. */
  readonly shows?: string;
  readonly help: string;
  readonly verbs: readonly Verb[];
  /** As a user would write it. */
  readonly default?: string;
}

const loading = ['serve', 'query', 'explain', 'check'] as const;
const running = ['serve', 'query', 'explain'] as const;
const GB = 1024 ** 3;

/** Every setting, by name: `queryTimeout` is the flag `--query-timeout` and LOG_ENDPOINTS_QUERY_TIMEOUT. */
export const settings = {
  data: { kind: 'text', shows: 'DIR', verbs: loading, help: 'the folder of the log files' },
  endpoints: {
    kind: 'text',
    shows: 'DIR',
    verbs: loading,
    help: 'the folder of the endpoint files, instead of the shipped ones',
  },
  strict: {
    kind: 'switch',
    verbs: loading,
    default: 'false',
    help: 'bad input in the log files is fatal',
  },
  host: { kind: 'text', verbs: ['serve'], default: '127.0.0.1', help: 'the address to listen on' },
  port: {
    kind: 'count',
    most: 65_535,
    verbs: ['serve'],
    default: '4000',
    help: 'the port to listen on; 0 is any free one',
  },
  now: {
    kind: 'instant',
    shows: 'ISO',
    verbs: running,
    help: "the instant of every request's clock, for tests over old logs",
  },
  allowNowHeader: {
    kind: 'switch',
    verbs: ['serve'],
    default: 'false',
    help: 'the header <prefix>-ENDPOINT-NOW sets the clock of its request',
  },
  headerPrefix: {
    kind: 'text',
    verbs: ['serve'],
    default: 'SVC',
    word: true,
    help: "the first part of the service's own request headers",
  },
  corsOrigin: {
    kind: 'origins',
    shows: 'ORIGIN',
    verbs: ['serve'],
    help: 'an origin whose pages may call the service; may be repeated, or a list with commas',
  },
  param: {
    kind: 'list',
    shows: 'name=value',
    verbs: ['query', 'explain'],
    help: 'the value of a parameter; may be repeated',
  },
  sql: {
    kind: 'text',
    shows: 'TEXT',
    verbs: ['query', 'explain'],
    help: "a query of your own over the endpoint's tables",
  },
  lql: {
    kind: 'text',
    shows: 'TEXT',
    verbs: ['query', 'explain'],
    help: 'the same, written in LQL',
  },
  redactPii: {
    kind: 'switch',
    verbs: ['query', 'explain'],
    default: 'false',
    help: 'take personal data out of the answer',
  },
  format: {
    kind: 'text',
    oneOf: ['json', 'ndjson', 'csv', 'table'],
    verbs: ['query'],
    default: 'json',
    help: 'how rows are printed: json, ndjson, csv or table',
  },
  queryTimeout: {
    kind: 'duration',
    least: 10,
    most: 3_600_000,
    verbs: running,
    default: '30s',
    help: 'how long a query may run',
  },
  compileTimeout: {
    kind: 'duration',
    least: 10,
    most: 60_000,
    verbs: ['serve'],
    default: '1s',
    help: "how long a caller's query may take to compile",
  },
  memoryLimit: {
    kind: 'size',
    least: 256 * 1024 ** 2,
    verbs: running,
    help: 'memory of each engine process; by default its share of half of what is available, and at least 256MB; loading may take as much, or else half of what is available, but 450MB at least, and more for records of megabytes',
  },
  threads: {
    kind: 'count',
    least: 1,
    most: 256,
    verbs: running,
    help: 'threads of each engine process; by default the cores',
  },
  maxConcurrentQueries: {
    kind: 'count',
    least: 1,
    most: 64,
    verbs: ['serve'],
    default: '4',
    help: 'queries that run at one time',
  },
  maxQueuedQueries: {
    kind: 'count',
    most: 100_000,
    verbs: ['serve'],
    default: '64',
    help: 'queries that wait for their turn; one more is refused',
  },
  maxResultBytes: {
    kind: 'size',
    least: 1024,
    most: GB,
    verbs: running,
    default: '32MB',
    help: 'the largest answer',
  },
  maxBody: {
    kind: 'size',
    least: 1024,
    most: GB,
    verbs: ['serve'],
    default: '256KB',
    help: 'the largest request body',
  },
  maxUnsentBytes: {
    kind: 'size',
    least: 1024 ** 2,
    verbs: ['serve'],
    default: '512MB',
    help: 'answers that wait for slow readers, all together; above it the oldest lose their connections',
  },
  cacheSize: {
    kind: 'size',
    least: 1024 ** 2,
    verbs: ['serve'],
    default: '128MB',
    help: 'the rows kept for endpoints that cache',
  },
  cacheDir: {
    kind: 'text',
    shows: 'DIR',
    verbs: [...loading, 'cache'],
    help: "where loaded logs are kept for the next start; by default log-endpoints in the user's cache folder",
  },
  noDiskCache: {
    kind: 'switch',
    verbs: loading,
    default: 'false',
    help: 'keep nothing for the next start',
  },
  name: {
    kind: 'text',
    verbs: ['tokens'],
    help: "what the log calls a new token's requests",
  },
  project: {
    kind: 'text',
    verbs: ['tokens'],
    help: "the one value of the parameter project in a new token's requests",
  },
  endpoint: {
    kind: 'list',
    shows: 'NAME',
    verbs: ['tokens'],
    help: 'an endpoint that a new token may ask; may be repeated, or a list with commas',
  },
  watch: {
    kind: 'switch',
    verbs: ['serve'],
    default: 'false',
    help: 'take up what is written to the data folder while the server runs',
  },
  logQueries: {
    kind: 'switch',
    verbs: ['serve'],
    default: 'false',
    help: 'log lines also hold the values of parameters, the SQL of callers, and the messages of failures, which may quote rows',
  },
} as const satisfies Record<string, Setting>;

export type SettingName = keyof typeof settings;

/** The value of every setting; undefined where nobody gave one and there is no default. */
export type Settings = {
  readonly [N in SettingName]:
    | SettingValues[(typeof settings)[N]['kind']]
    | ((typeof settings)[N] extends { readonly default: string } ? never : undefined);
};

/** A setting's flag, without its dashes. */
export function flagOf(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** A setting's environment variable. */
export function variableOf(name: string): string {
  return `LOG_ENDPOINTS_${flagOf(name).toUpperCase().replaceAll('-', '_')}`;
}

/** What `--help` prints. */
export function printHelp(): string {
  const rows = Object.entries<Setting>(settings).map(([name, setting]) => [
    `  --${flagOf(name)}${setting.kind === 'switch' ? '' : ` ${setting.shows ?? setting.kind.toUpperCase()}`}`,
    `${setting.help}${defaultOf(setting)} [${setting.verbs.join(' ')}]`,
  ]);
  const width = Math.max(...rows.map(([flag = '']) => flag.length));
  return [...usage, ...rows.map(([flag = '', help = '']) => `${flag.padEnd(width)}  ${help}`)].join(
    '\n',
  );
}

const usage = [
  'log-endpoints serve             answer requests over HTTP',
  'log-endpoints query ENDPOINT    run one endpoint and print its rows',
  'log-endpoints explain ENDPOINT  print every stage of the compiler, and the plan of the engine',
  'log-endpoints check             compile every endpoint against the sources; exit 1 on any fault',
  'log-endpoints cache list|clear  list what is kept of loaded logs, or remove what nobody uses of it',
  'log-endpoints tokens new         print a new token, as a line for the tokens file',
  'log-endpoints --help | --version',
  '',
  'Every flag has a variable: --query-timeout is LOG_ENDPOINTS_QUERY_TIMEOUT. Flags win.',
  'Tokens come from LOG_ENDPOINTS_TOKENS (with commas between) or the file LOG_ENDPOINTS_TOKENS_FILE (a line each, which may bind its token).',
  '',
];

function defaultOf(setting: Setting): string {
  if (setting.default === undefined || setting.kind === 'switch') return '';
  return ` (default ${setting.default})`;
}
