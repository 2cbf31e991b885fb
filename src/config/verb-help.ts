import type { Verb } from './verbs.js';

/** What `--help` says of a verb. */
export interface VerbHelp {
  /** The verb and its words: `query ENDPOINT`. */
  readonly usage: string;
  readonly does: string;
  /** Commands to start from, without the name of the program. */
  readonly examples: readonly string[];
}

/** The verbs by what they are for. */
export const verbGroups = {
  Serve: ['serve', 'demo', 'mcp'],
  Ask: ['query', 'explain'],
  'Write and check': ['new', 'check', 'test-server'],
  'Data and access': ['generate', 'cache', 'tokens', 'bigquery'],
} as const satisfies Readonly<Record<string, readonly Verb[]>>;

/** The help of each verb. */
export const verbHelp: Readonly<Record<Verb, VerbHelp>> = {
  serve: {
    usage: 'serve',
    does: 'answer requests over HTTP',
    examples: ['serve --data logs --watch', 'serve app.log --port 0 --quiet'],
  },
  demo: {
    usage: 'demo',
    does: 'serve made-up logs that end now and go on',
    examples: ['demo', 'demo --records 200000 --hours 24'],
  },
  mcp: {
    usage: 'mcp',
    does: 'answer a language model over standard input and output',
    examples: ['mcp --data logs --watch', 'mcp app.log --redact-pii'],
  },
  query: {
    usage: 'query ENDPOINT',
    does: 'run one endpoint and print its rows; with --sql or --lql it is logs.all',
    examples: [
      "query app.log --sql 'select level, count(*) as n from app group by level'",
      'query logs.all --data logs --param project=acme --format table',
      'query logs.all --data logs --format parquet > rows.parquet',
    ],
  },
  explain: {
    usage: 'explain ENDPOINT',
    does: "print every stage of the compiler, and the engine's plan",
    examples: ["explain app.log --sql 'select count(*) from app' --stage plan"],
  },
  new: {
    usage: 'new NAME',
    does: 'write a file for a new endpoint',
    examples: ['new errors.by-path --endpoints my-endpoints'],
  },
  check: {
    usage: 'check',
    does: 'compile every endpoint over the sources; exit code 1 on any error',
    examples: [
      'check --data logs --endpoints my-endpoints',
      'check --endpoints my-endpoints --format github',
    ],
  },
  'test-server': {
    usage: 'test-server',
    does: 'serve the records that a test writes to standard input, until that ends',
    examples: ['test-server --endpoints my-endpoints --now 2026-03-10T12:00:00Z'],
  },
  generate: {
    usage: 'generate',
    does: 'write made-up logs',
    examples: ['generate --out logs --records 1000 --to 2026-03-10T12:00:00Z --seed 7'],
  },
  cache: {
    usage: 'cache list|clear',
    does: 'list the disk cache, or remove the entries that are not in use',
    examples: ['cache list', 'cache clear'],
  },
  tokens: {
    usage: 'tokens new',
    does: 'print a new token as a line for the tokens file',
    examples: ['tokens new --name grafana --project acme >> tokens'],
  },
  bigquery: {
    usage: 'bigquery ddl',
    does: 'print the statements that create the tables in BigQuery',
    examples: ["bigquery ddl --bigquery-tables 'my-project.logs.{source}'"],
  },
};
