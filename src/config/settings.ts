import { bigQuerySettings } from './bigquery-settings.js';
import { cacheSettings } from './cache-settings.js';
import { generateSettings } from './generate-settings.js';
import type { Limits, SettingKind, SettingValues } from './setting-kinds.js';
import { answering, declaring, loading, running, serving, type Verb } from './verbs.js';

/** A setting: its values, its help, and the verbs that take it. */
export interface Setting extends Limits {
  readonly kind: SettingKind;
  /** The name of the value in `--help`; by default its kind. */
  readonly placeholder?: string;
  readonly help: string;
  readonly verbs: readonly Verb[];
  /** As a user would write it; a switch is off by default. */
  readonly default?: string;
  /** Overrides for verbs whose flag of the same name differs. */
  readonly of?: { readonly [V in Verb]?: Limits & Partial<Pick<Setting, 'help' | 'default'>> };
}

const GB = 1024 ** 3;

/** Every setting, by name: `queryTimeout` is the flag `--query-timeout` and LOG_ENDPOINTS_QUERY_TIMEOUT. */
export const settings = {
  data: {
    kind: 'text',
    placeholder: 'DIR',
    verbs: [...declaring, 'test-server'],
    help: 'folder with the log files; several, and files, are the same as words, as in log-endpoints serve app.log',
    of: {
      'test-server': {
        help: 'folder with the log files to start with, which are only read (default: every source is empty)',
      },
      demo: {
        help: 'new folder for the logs, which stays (default: one that is removed at the end)',
      },
    },
  },
  endpoints: {
    kind: 'text',
    placeholder: 'DIR',
    verbs: [...loading, 'test', 'test-server', 'demo', 'new'],
    help: 'folder with endpoint files to add to the shipped ones; your file replaces a shipped one of the same name',
  },
  preset: {
    kind: 'text',
    verbs: [...declaring, 'test', 'test-server', 'bigquery'],
    help: 'settings, sources and endpoints for clients of another service: supabase, or a file of your own; flags and variables win',
  },
  sources: {
    kind: 'text',
    placeholder: 'DIR',
    verbs: [...declaring, 'test', 'test-server', 'bigquery'],
    help: 'folder with files that declare sources to add to the shipped ones; your file replaces a shipped one of the same name',
  },
  as: {
    kind: 'list',
    placeholder: 'source=shape',
    verbs: [...declaring, 'test', 'test-server'],
    help: 'read the files of a source as this shape, such as pino, or not at all (none); repeatable, or a comma-separated list',
  },
  timezone: {
    kind: 'zone',
    verbs: declaring,
    help: "zone of times without an offset in other programs' logs, such as Europe/Berlin (default: UTC)",
  },
  strict: {
    kind: 'switch',
    verbs: loading,
    help: 'treat bad input in the log files as fatal',
  },
  host: { kind: 'text', verbs: serving, default: '127.0.0.1', help: 'address to listen on' },
  port: {
    kind: 'count',
    max: 65_535,
    verbs: [...serving, 'test-server'],
    default: '4000',
    help: 'port to listen on; 0 picks a free one',
    of: { 'test-server': { default: '0' } },
  },
  explorer: {
    kind: 'text',
    oneOf: ['on', 'off'],
    placeholder: 'on/off',
    verbs: serving,
    help: 'whether / is the explorer, a page to look at the logs in a browser (default: on if --host is a loopback address, otherwise off)',
  },
  mcp: {
    kind: 'text',
    oneOf: ['on', 'off'],
    placeholder: 'on/off',
    verbs: serving,
    default: 'on',
    help: 'whether language models can use the endpoints at /mcp, with the same tokens',
  },
  mcpMaxRows: {
    kind: 'count',
    min: 1,
    max: 10_000,
    verbs: answering,
    default: '100',
    help: 'rows of an answer that a language model gets',
  },
  mcpMaxBytes: {
    kind: 'size',
    min: 1024,
    max: 16 * 1024 ** 2,
    verbs: answering,
    default: '32KB',
    help: 'size of the rows that a language model gets',
  },
  now: {
    kind: 'instant',
    placeholder: 'ISO',
    verbs: [...running, 'test-server'],
    help: 'fix the clock of every request at this instant, for tests over old logs',
  },
  shiftToNow: {
    kind: 'switch',
    verbs: running,
    help: 'show every record at a later or earlier time, so that the last one of the logs is always at the instant of the request',
  },
  allowNowHeader: {
    kind: 'switch',
    verbs: ['serve'],
    help: 'let the header <prefix>-ENDPOINT-NOW set the clock of a request',
  },
  errorStatus: {
    kind: 'text',
    oneOf: ['200'],
    placeholder: '200',
    verbs: serving,
    help: 'answer queries that fail with this status and {"error":"message"}, for clients that expect it (default: the status of the failure)',
  },
  managementApi: {
    kind: 'switch',
    verbs: serving,
    help: "answer at /v1/projects/<project>/analytics/endpoints/<name>, too, as the management API of --preset supabase's service does",
  },
  allowShortTokens: {
    kind: 'switch',
    verbs: [...serving, 'test-server'],
    help: 'accept tokens of fewer than 16 characters, with a warning',
  },
  headerPrefix: {
    kind: 'text',
    verbs: serving,
    default: 'SVC',
    word: true,
    help: "prefix of the service's own request headers",
  },
  corsOrigin: {
    kind: 'origins',
    placeholder: 'ORIGIN',
    verbs: serving,
    help: 'origin whose pages may call the service; repeatable, or a comma-separated list',
  },
  param: {
    kind: 'list',
    placeholder: 'name=value',
    verbs: ['query', 'explain'],
    help: 'value of a parameter; repeatable',
  },
  sql: {
    kind: 'text',
    verbs: ['query', 'explain'],
    help: "your own query over the endpoint's tables",
  },
  lql: {
    kind: 'text',
    verbs: ['query', 'explain'],
    help: 'your own query, in LQL',
  },
  redactPii: {
    kind: 'switch',
    verbs: ['mcp', 'query', 'explain'],
    help: 'redact personal data in the result',
  },
  stage: {
    kind: 'text',
    placeholder: 'NAME',
    verbs: ['explain'],
    help: "print only this stage of the compiler, or plan for the engine's plan; an unknown name lists all",
  },
  format: {
    kind: 'text',
    oneOf: ['json', 'ndjson', 'csv', 'arrow', 'parquet', 'table'],
    verbs: ['query', 'generate', 'check'],
    default: 'json',
    help: 'output format: json, ndjson, csv, arrow, parquet or table',
    of: {
      check: {
        oneOf: ['text', 'json', 'github'],
        default: 'text',
        help: 'output format: text, json, or github, whose lines GitHub shows beside the files of a pull request',
      },
      generate: {
        oneOf: ['ndjson', 'parquet'],
        default: 'ndjson',
        help: 'format of the files: ndjson or parquet',
      },
    },
  },
  junit: {
    kind: 'text',
    placeholder: 'FILE',
    verbs: ['test'],
    help: 'write the results to this file, too, as JUnit XML',
  },
  queryTimeout: {
    kind: 'duration',
    min: 10,
    max: 3_600_000,
    verbs: [...running, 'demo'],
    default: '30s',
    help: 'time limit of a query',
  },
  compileTimeout: {
    kind: 'duration',
    min: 10,
    max: 60_000,
    verbs: answering,
    default: '3s',
    help: "time limit for compiling a caller's query",
  },
  memoryLimit: {
    kind: 'size',
    min: 256 * 1024 ** 2,
    verbs: [...running, 'demo'],
    help: 'memory limit of each engine process (default: an equal share of half the available memory, at least 256MB); loading uses the same limit (default: half the available memory), but at least 450MB, and more for records of several megabytes',
  },
  threads: {
    kind: 'count',
    min: 1,
    max: 256,
    verbs: [...running, 'demo'],
    help: 'threads of each engine process (default: the number of cores; fewer for small data)',
  },
  maxConcurrentQueries: {
    kind: 'count',
    min: 1,
    max: 64,
    verbs: answering,
    default: '4',
    help: 'queries that may run at once',
  },
  maxQueuedQueries: {
    kind: 'count',
    max: 100_000,
    verbs: answering,
    default: '64',
    help: 'queries that may wait in the queue; more are refused',
  },
  maxResultBytes: {
    kind: 'size',
    min: 1024,
    max: GB,
    verbs: [...running, 'demo'],
    default: '32MB',
    help: 'size limit of a result',
  },
  maxBody: {
    kind: 'size',
    min: 1024,
    max: GB,
    verbs: serving,
    default: '256KB',
    help: 'size limit of a request body',
  },
  maxUnsentBytes: {
    kind: 'size',
    min: 1024 ** 2,
    verbs: serving,
    default: '512MB',
    help: 'total size of responses that slow clients have yet to read; above it the oldest connections are closed',
  },
  ...cacheSettings,
  name: {
    kind: 'text',
    verbs: ['tokens'],
    help: 'name of a new token, shown in the log',
  },
  project: {
    kind: 'text',
    verbs: ['tokens', 'generate', 'mcp'],
    help: 'restrict a new token to this value of the parameter project',
    of: {
      generate: { help: 'write records of this project only' },
      mcp: { help: 'show the logs of this project only' },
    },
  },
  endpoint: {
    kind: 'list',
    placeholder: 'NAME',
    verbs: ['tokens', 'mcp'],
    help: 'restrict a new token to this endpoint; repeatable, or a comma-separated list',
    of: { mcp: { help: 'offer this endpoint only; repeatable, or a comma-separated list' } },
  },
  ...generateSettings,
  ...bigQuerySettings,
  watch: {
    kind: 'switch',
    verbs: ['serve', 'mcp'],
    help: 'load changes of logs, sources and endpoint files while the server runs',
  },
  exitWithParent: {
    kind: 'switch',
    verbs: serving,
    help: 'stop, as at SIGTERM, when the process that started this one has ended',
  },
  quiet: {
    kind: 'switch',
    verbs: serving,
    help: 'print only the address at the start',
  },
  logLevel: {
    kind: 'text',
    oneOf: ['info', 'warn', 'error', 'silent'],
    verbs: answering,
    default: 'info',
    help: 'the least severe lines of the log: info (one line for each request), warn, error or silent (none)',
    of: { demo: { default: 'warn' }, mcp: { default: 'warn' } },
  },
  logQueries: {
    kind: 'switch',
    verbs: answering,
    help: 'log parameter values, the SQL of callers, and error messages, which may quote rows',
  },
} as const satisfies Record<string, Setting>;

/** The name of a setting. */
export type SettingName = keyof typeof settings;

/** The value of every setting; undefined if it is not set and has no default. */
export type Settings = {
  readonly [N in SettingName]:
    | SettingValues[(typeof settings)[N]['kind']]
    | ((typeof settings)[N] extends { readonly default: string } | { readonly kind: 'switch' }
        ? never
        : undefined);
} & {
  /** The key for the ids of records without one. Set only in the environment, because a flag would reveal it. */
  readonly idKey: string | undefined;
  /** The files and folders on the command line; `-` is standard input. */
  readonly paths?: readonly string[];
  /** The file that holds the data from standard input. */
  readonly piped?: string;
  /** Whether to take the next free port if the given one is in use. */
  readonly anyPort?: boolean;
};

/** Returns a setting with the overrides of a verb. */
export function settingOf(setting: Setting, verb: Verb | undefined): Setting {
  return { ...setting, ...(verb && setting.of?.[verb]) };
}

/** Returns the full help of a setting, with the differences between verbs. */
export function fullHelp({ help, of = {} }: Setting): string {
  const others = Object.entries(of).map(
    ([verb, own]) => `${verb}: ${own.help ?? `default ${own.default}`}`,
  );
  return [help, ...others].join('; ');
}

/** Returns a setting's flag, without the leading dashes. */
export function flagOf(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** Returns a setting's environment variable. */
export function variableOf(name: string): string {
  return `LOG_ENDPOINTS_${flagOf(name).toUpperCase().replaceAll('-', '_')}`;
}
