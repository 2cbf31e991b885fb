import type { Limits, SettingKind, SettingValues } from './setting-kinds.js';
import { answering, declaring, generating, loading, running, serving, type Verb } from './verbs.js';

/** A setting: its values, and the verbs that take it. */
export interface Setting extends Limits {
  readonly kind: SettingKind;
  readonly verbs: readonly Verb[];
  /** As a user would write it; a switch is off by default. */
  readonly default?: string;
  /** Overrides for verbs whose flag of the same name differs. */
  readonly of?: { readonly [V in Verb]?: Limits & Pick<Setting, 'default'> };
}

const GB = 1024 ** 3;

/** Every setting, by name: `queryTimeout` is the flag `--query-timeout` and LOG_ENDPOINTS_QUERY_TIMEOUT. */
export const settings = {
  data: { kind: 'text', verbs: [...declaring, 'test-server'] },
  endpoints: { kind: 'text', verbs: [...loading, 'test', 'test-server', 'demo', 'new'] },
  preset: { kind: 'text', verbs: [...declaring, 'test', 'test-server', 'bigquery'] },
  sources: { kind: 'text', verbs: [...declaring, 'test', 'test-server', 'bigquery'] },
  as: { kind: 'list', verbs: [...declaring, 'test', 'test-server'] },
  timezone: { kind: 'zone', verbs: declaring },
  strict: { kind: 'switch', verbs: loading },
  host: { kind: 'text', verbs: serving, default: '127.0.0.1' },
  port: {
    kind: 'count',
    max: 65_535,
    verbs: [...serving, 'test-server'],
    default: '4000',
    of: { 'test-server': { default: '0' } },
  },
  explorer: { kind: 'text', oneOf: ['on', 'off'], verbs: serving },
  mcp: { kind: 'text', oneOf: ['on', 'off'], verbs: serving, default: 'on' },
  mcpMaxRows: { kind: 'count', min: 1, max: 10_000, verbs: answering, default: '100' },
  mcpMaxBytes: { kind: 'size', min: 1024, max: 16 * 1024 ** 2, verbs: answering, default: '32KB' },
  now: { kind: 'instant', verbs: [...running, 'test-server'] },
  shiftToNow: { kind: 'switch', verbs: running },
  allowNowHeader: { kind: 'switch', verbs: ['serve'] },
  errorStatus: { kind: 'text', oneOf: ['200'], verbs: serving },
  managementApi: { kind: 'switch', verbs: serving },
  allowShortTokens: { kind: 'switch', verbs: [...serving, 'test-server'] },
  headerPrefix: { kind: 'text', verbs: serving, default: 'SVC', word: true },
  corsOrigin: { kind: 'origins', verbs: serving },
  param: { kind: 'list', verbs: ['query', 'explain'] },
  sql: { kind: 'text', verbs: ['query', 'explain'] },
  lql: { kind: 'text', verbs: ['query', 'explain'] },
  redactPii: { kind: 'switch', verbs: ['mcp', 'query', 'explain'] },
  stage: { kind: 'text', verbs: ['explain'] },
  format: {
    kind: 'text',
    oneOf: ['json', 'ndjson', 'csv', 'arrow', 'parquet', 'table'],
    verbs: ['query', 'generate', 'check'],
    default: 'json',
    of: {
      check: { oneOf: ['text', 'json', 'github'], default: 'text' },
      generate: { oneOf: ['ndjson', 'parquet'], default: 'ndjson' },
    },
  },
  junit: { kind: 'text', verbs: ['test'] },
  queryTimeout: {
    kind: 'duration',
    min: 10,
    max: 3_600_000,
    verbs: [...running, 'demo'],
    default: '30s',
  },
  compileTimeout: { kind: 'duration', min: 10, max: 60_000, verbs: answering, default: '3s' },
  memoryLimit: { kind: 'size', min: 256 * 1024 ** 2, verbs: [...running, 'demo'] },
  threads: { kind: 'count', min: 1, max: 256, verbs: [...running, 'demo'] },
  maxConcurrentQueries: { kind: 'count', min: 1, max: 64, verbs: answering, default: '4' },
  maxQueuedQueries: { kind: 'count', max: 100_000, verbs: answering, default: '64' },
  maxResultBytes: {
    kind: 'size',
    min: 1024,
    max: GB,
    verbs: [...running, 'demo'],
    default: '32MB',
  },
  maxBody: { kind: 'size', min: 1024, max: GB, verbs: serving, default: '256KB' },
  maxUnsentBytes: { kind: 'size', min: 1024 ** 2, verbs: serving, default: '512MB' },
  cacheSize: { kind: 'size', min: 1024 ** 2, verbs: answering, default: '128MB' },
  queryCache: { kind: 'size', min: 0, verbs: answering, default: '32MB' },
  newestRows: { kind: 'count', max: 10_000, verbs: declaring, default: '300' },
  maxFields: { kind: 'count', max: 10_000, verbs: declaring, default: '2000' },
  cacheDir: { kind: 'text', verbs: [...declaring, 'cache'] },
  noDiskCache: { kind: 'switch', verbs: declaring },
  name: { kind: 'text', verbs: ['tokens'] },
  project: { kind: 'text', verbs: ['tokens', 'generate', 'mcp'] },
  endpoint: { kind: 'list', verbs: ['tokens', 'mcp'] },
  out: { kind: 'text', verbs: ['generate'], default: 'logs' },
  records: { kind: 'count', min: 1, max: 1e12, verbs: generating, default: '20000' },
  from: { kind: 'instant', verbs: ['generate'] },
  to: { kind: 'instant', verbs: ['generate'] },
  hours: { kind: 'count', min: 1, max: 87_840, verbs: generating },
  seed: { kind: 'count', max: 4_294_967_295, verbs: generating, default: '1' },
  projects: { kind: 'count', min: 1, max: 1e7, verbs: generating },
  incidents: { kind: 'switch', verbs: ['generate'] },
  source: { kind: 'list', verbs: ['generate'] },
  files: { kind: 'count', min: 1, max: 1e12, verbs: ['generate'] },
  gzip: { kind: 'switch', verbs: ['generate'] },
  disorder: { kind: 'duration', max: 1e10, verbs: ['generate'], default: '0s' },
  plain: { kind: 'switch', verbs: ['generate'] },
  engine: { kind: 'text', oneOf: ['duckdb', 'bigquery'], verbs: loading, default: 'duckdb' },
  bigqueryTables: { kind: 'text', verbs: [...loading, 'bigquery'] },
  bigqueryMaxBytes: {
    kind: 'size',
    min: 10 * 1024 ** 2,
    max: 1_000_000 * GB,
    verbs: loading,
    default: '10GB',
  },
  bigqueryMaxBytesPerDay: {
    kind: 'size',
    min: 10 * 1024 ** 2,
    max: 1_000_000 * GB,
    verbs: running,
    default: '1024GB',
  },
  bigqueryMaxWindow: { kind: 'duration', max: 87_600 * 3_600_000, verbs: running, default: '168h' },
  bigquerySandbox: { kind: 'switch', verbs: running },
  watch: { kind: 'switch', verbs: ['serve', 'mcp'] },
  exitWithParent: { kind: 'switch', verbs: serving },
  quiet: { kind: 'switch', verbs: serving },
  logLevel: {
    kind: 'text',
    oneOf: ['info', 'warn', 'error', 'silent'],
    verbs: answering,
    default: 'info',
    of: { demo: { default: 'warn' }, mcp: { default: 'warn' } },
  },
  logQueries: { kind: 'switch', verbs: answering },
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
export function verbSetting(setting: Setting, verb: Verb | undefined): Setting {
  return { ...setting, ...(verb && setting.of?.[verb]) };
}

/** Returns a setting's flag, without the leading dashes. */
export function toFlag(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** Returns a setting's environment variable. */
export function toVariable(name: string): string {
  return `LOG_ENDPOINTS_${toFlag(name).toUpperCase().replaceAll('-', '_')}`;
}
