import { findSettingHelp, settingHelp } from './setting-help.js';
import { type Setting, verbSetting } from './settings.js';
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
    ...columns(mainFlags.map(shortRow)),
    'More: log-endpoints help VERB, log-endpoints help flags, log-endpoints --version',
  ];
}

const mainFlags = 'data endpoints as watch port param sql lql format now'.split(' ');

type SettingHelp = ReturnType<typeof findSettingHelp>;

/** Returns a row with the help up to its first semicolon. */
function shortRow(name: string): Row {
  const { usage, help, setting } = findSettingHelp(name);
  return [usage, `${help.split('; ')[0]}${defaultNote(setting)}`];
}

function printFlags(verb?: Verb): readonly string[] {
  const all = settingHelp.filter(
    ({ setting }) => verb === undefined || setting.verbs.includes(verb),
  );
  const topics = new Set(all.map(({ topic }) => topic));
  return [...topics].flatMap((topic) => {
    const own = all.filter((each) => each.topic === topic);
    return ['', topic, ...columns(own.map((each) => flagRow(each, verb)))];
  });
}

function flagRow({ setting, usage, help, of, full }: SettingHelp, verb?: Verb): Row {
  const note = defaultNote(verbSetting(setting, verb));
  if (verb === undefined) return [usage, `${full}${note} [${setting.verbs.join(' ')}]`];
  return [usage, `${of[verb] ?? help}${note}`];
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

/** Prints two columns; long text wraps within the right one. */
function columns(rows: readonly Row[]): readonly string[] {
  const width = Math.max(...rows.map(([left]) => left.length)) + 4;
  return rows.flatMap(([left, right]) =>
    wrap(right, width).map((line, index) =>
      index > 0 ? line : `  ${left}`.padEnd(width) + line.trimStart(),
    ),
  );
}

/** Wraps text into lines of at most 100 columns with this indent. */
function wrap(text: string, indent = 0): readonly string[] {
  const form = new RegExp(`(.{1,${100 - indent}})(?:\\s+|$)`, 'g');
  return [...text.matchAll(form)].map(([, line = '']) => ' '.repeat(indent) + line);
}
