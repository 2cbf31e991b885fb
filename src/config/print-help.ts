import { flagOf, fullHelp, type Setting, settingOf, settings } from './settings.js';
import type { Verb } from './verbs.js';

/** The text that `--help` prints: of all verbs, or of one with its own flags. */
export function printHelp(verb?: Verb): string {
  const rows = Object.entries<Setting>(settings)
    .filter(([, setting]) => verb === undefined || setting.verbs.includes(verb))
    .map(([name, setting]) => [
      `  --${flagOf(name)}${setting.kind === 'switch' ? '' : ` ${setting.placeholder ?? setting.kind.toUpperCase()}`}`,
      verb === undefined
        ? `${fullHelp(setting)}${defaultOf(setting)} [${setting.verbs.join(' ')}]`
        : `${settingOf(setting, verb).help}${defaultOf(settingOf(setting, verb))}`,
    ]);
  const width = Math.max(...rows.map(([flag = '']) => flag.length));
  const flags = rows.map(([flag = '', help = '']) => `${flag.padEnd(width)}  ${help}`);
  const usage = verb === undefined ? [bare, ...Object.values(usageOf), general] : [usageOf[verb]];
  return [...usage, '', ...notes, '', ...flags].join('\n');
}

const usageOf: Readonly<Record<Verb, string>> = {
  serve: 'log-endpoints serve             answer requests over HTTP',
  demo: 'log-endpoints demo              serve made-up logs that end now and go on',
  mcp: 'log-endpoints mcp               answer a language model over standard input and output',
  query: 'log-endpoints query ENDPOINT    run one endpoint and print its rows',
  explain:
    "log-endpoints explain ENDPOINT  print every stage of the compiler, and the engine's plan",
  check:
    'log-endpoints check             compile every endpoint against the sources; exit code 1 on any fault',
  new: 'log-endpoints new NAME          write a file for a new endpoint',
  generate: 'log-endpoints generate          write made-up logs',
  cache:
    'log-endpoints cache list|clear  list the disk cache, or remove the entries that are not in use',
  tokens: 'log-endpoints tokens new        print a new token as a line for the tokens file',
  'test-server':
    'log-endpoints test-server       serve the records that a test writes to standard input, until that ends',
  bigquery:
    'log-endpoints bigquery ddl      print the statements that create the tables in BigQuery',
};

const bare =
  'log-endpoints PATH…              serve files and folders, or - for standard input, and watch them';

const general = 'log-endpoints [VERB] --help | --version';

const notes = [
  'serve, mcp, query, explain and check take files, folders and - (standard input) as words too: log-endpoints query app.log --sql …',
  'Every flag has an environment variable: --query-timeout is LOG_ENDPOINTS_QUERY_TIMEOUT. Flags win.',
  'Tokens come from LOG_ENDPOINTS_TOKENS (comma-separated) or the file LOG_ENDPOINTS_TOKENS_FILE (one a line, which may restrict its token).',
  'LOG_ENDPOINTS_ID_KEY is a secret of at least 16 characters, with which several machines give the same ids to records without one.',
];

function defaultOf(setting: Setting): string {
  return setting.default === undefined ? '' : ` (default ${setting.default})`;
}
