import { bigQuerySettings } from './bigquery-settings.js';
import { cacheSettings } from './cache-settings.js';
import { generateSettings } from './generate-settings.js';
import {
  flagOf,
  fullHelp,
  type Setting,
  type SettingName,
  settingOf,
  settings,
} from './settings.js';
import { verbHelp } from './verb-help.js';
import { loading, type Verb } from './verbs.js';

/** The topic of a help text: a verb, or all flags. */
export type HelpTopic = Verb | 'flags';

/**
 * Returns the output of `--help`: an overview, a verb with its flags, or all flags. No line is longer than 100
 * columns.
 */
export function printHelp(topic?: HelpTopic): string {
  if (topic === undefined) return overview().join('\n');
  if (topic === 'flags')
    return [...notes.flatMap((note) => wrap(note)), ...printFlags()].join('\n');
  const own = verbHelp.filter(({ verb }) => verb === topic);
  return [
    ...own.flatMap(({ usage, does }) => wrap(`log-endpoints ${usage}: ${does}`)),
    ...(loading.some((verb) => verb === topic) ? wrap(pathsNote) : []),
    '\nExamples',
    ...own.flatMap(({ examples }) => examples.map((example) => `  ${example}`)),
    ...printFlags(topic),
  ].join('\n');
}

function overview(): readonly string[] {
  const rows = columns(verbHelp.map(({ usage, does }) => [usage, does]));
  const isFirst = (index: number) => verbHelp[index]?.group !== verbHelp[index - 1]?.group;
  return [
    'log-endpoints runs BigQuery SQL over log files, and serves stored queries over HTTP.\n',
    'log-endpoints PATH…    serve files and folders, or - for standard input, and watch them',
    'log-endpoints VERB     do one of these:',
    ...rows.map((row, index) => (isFirst(index) ? `${verbHelp[index]?.group}\n${row}` : row)),
    '\nExamples',
    '  log-endpoints app.log',
    "  log-endpoints query app.log --sql 'select level, count(*) as n from app group by level'",
    '  log-endpoints check --data logs --endpoints my-endpoints',
    '\nThe flags that matter most',
    ...columns(mainFlags.map((name) => [`--${usageOf(name)}`, shortHelp(settings[name])])),
    'More: log-endpoints help VERB, log-endpoints help flags, log-endpoints --version',
  ];
}

const mainFlags: readonly SettingName[] = [
  ...(['data', 'endpoints', 'as', 'watch', 'port'] as const),
  ...(['param', 'sql', 'lql', 'format', 'now'] as const),
];

/** Returns the help up to its first semicolon. */
function shortHelp(setting: Setting): string {
  return `${setting.help.split('; ')[0]}${defaultNote(setting)}`;
}

/** The flags by topic. */
const flagGroups = {
  'What is read': ['data', 'as', 'timezone', 'sources', 'endpoints', 'preset', 'strict', 'watch'],
  'The clock': ['now', 'shiftToNow', 'allowNowHeader'],
  'The query': ['param', 'sql', 'lql', 'redactPii', 'stage'],
  Output: ['format', 'junit', 'quiet', 'logLevel', 'logQueries'],
  'The server': ['host', 'port', 'explorer', 'corsOrigin', 'exitWithParent'],
  'Clients of another service': ['headerPrefix', 'errorStatus', 'managementApi'],
  Tokens: ['name', 'project', 'endpoint', 'allowShortTokens'],
  'Language models': ['mcp', 'mcpMaxRows', 'mcpMaxBytes'],
  Limits: ['queryTimeout', 'compileTimeout', 'maxConcurrentQueries', 'maxQueuedQueries'],
  Resources: ['maxResultBytes', 'maxBody', 'maxUnsentBytes', 'threads', 'memoryLimit'],
  Caches: Object.keys(cacheSettings),
  'Made-up logs': Object.keys(generateSettings),
  BigQuery: Object.keys(bigQuerySettings),
} satisfies Readonly<Record<string, readonly string[]>>;

function printFlags(verb?: Verb): readonly string[] {
  const all = Object.entries<Setting>(settings).filter(
    ([, setting]) => verb === undefined || setting.verbs.includes(verb),
  );
  return Object.entries<readonly string[]>(flagGroups).flatMap(([title, names]) => {
    const own = all.filter(([name]) => names.includes(name));
    if (own.length === 0) return [];
    return ['', title, ...columns(own.map(([name, setting]) => flagRow(name, setting, verb)))];
  });
}

function flagRow(name: string, setting: Setting, verb?: Verb): Row {
  const own = settingOf(setting, verb);
  const help = verb === undefined ? fullHelp(setting) : own.help;
  const takers = verb === undefined ? ` [${setting.verbs.join(' ')}]` : '';
  return [`--${usageOf(name, own)}`, `${help}${defaultNote(own)}${takers}`];
}

function usageOf(name: string, { kind, placeholder }: Setting = settings[name as SettingName]) {
  return `${flagOf(name)}${kind === 'switch' ? '' : ` ${placeholder ?? kind.toUpperCase()}`}`;
}

function defaultNote(setting: Setting): string {
  return setting.default === undefined ? '' : ` (default ${setting.default})`;
}

const pathsNote =
  'Files, folders and - (standard input) may be words, too: log-endpoints query app.log --sql …';

const notes = [
  pathsNote,
  'Every flag has an environment variable: --query-timeout is LOG_ENDPOINTS_QUERY_TIMEOUT. Flags win.',
  'log-endpoints.json in the current folder has defaults of flags; it is a preset (see --preset).',
  'Tokens come from LOG_ENDPOINTS_TOKENS (comma-separated) or the file LOG_ENDPOINTS_TOKENS_FILE (one a line, which may restrict its token).',
  'LOG_ENDPOINTS_ID_KEY is a secret of at least 16 characters, with which several machines give the same ids to records without one.',
];

type Row = readonly [left: string, right: string];

/** Prints two columns; long texts wrap within the right one. */
function columns(rows: readonly Row[]): readonly string[] {
  const width = Math.max(...rows.map(([left]) => left.length)) + 4;
  return rows.flatMap(([left, right]) =>
    wrap(right, width).map((line, index) =>
      index > 0 ? line : `  ${left}`.padEnd(width) + line.trimStart(),
    ),
  );
}

/** Wraps a text to lines of at most 100 columns with this indent. */
function wrap(text: string, indent = 0): readonly string[] {
  const form = new RegExp(`(.{1,${100 - indent}})(?:\\s+|$)`, 'g');
  return [...text.matchAll(form)].map(([, line = '']) => ' '.repeat(indent) + line);
}
