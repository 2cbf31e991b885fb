import { type Setting, settings, toFlag } from './settings.js';
import { readTopics } from './verb-help.js';

/**
 * A topic is a plain line. Below it are its settings, each with its help, and, indented, the verbs whose flag of the same
 * name differs. A setting names its value only if the name of its kind does not fit.
 */
const text = `
What is read
data DIR: folder with the log files; several, and files, are the same as words, as in log-endpoints serve app.log
  test-server: folder with the log files to start with, which are only read (default: every source is empty)
  demo: new folder for the logs, which stays (default: one that is removed at the end)
endpoints DIR: folder with endpoint files to add to the shipped ones; your file replaces a shipped one of the same name
preset: settings, sources and endpoints for clients of another service: supabase, or a file of your own; flags and variables win
sources DIR: folder with files that declare sources to add to the shipped ones; your file replaces a shipped one of the same name
as source=shape: read the files of a source as this shape, such as pino, or not at all (none); repeatable, or a comma-separated list
timezone: zone of times without an offset in other programs' logs, such as Europe/Berlin (default: UTC)
strict: treat bad input in the log files as fatal
watch: load changes of logs, sources and endpoint files while the server runs
The clock
now ISO: fix the clock of every request at this instant, for tests over old logs
shiftToNow: show every record at a later or earlier time, so that the last one of the logs is always at the instant of the request
allowNowHeader: let the header <prefix>-ENDPOINT-NOW set the clock of a request
The query
param name=value: value of a parameter; repeatable
sql: your own query over the endpoint's tables
lql: your own query, in LQL
redactPii: redact personal data in the result
stage NAME: print only this stage of the compiler, or plan for the engine's plan; an unknown name lists all
Output
format: output format: json, ndjson, csv, arrow, parquet or table
  check: output format: text, json, or github, whose lines GitHub shows beside the files of a pull request
  generate: format of the files: ndjson or parquet
junit FILE: write the results to this file, too, as JUnit XML
quiet: print only the address at the start
logLevel: the least severe lines of the log: info (one line for each request), warn, error or silent (none)
logQueries: log parameter values, the SQL of callers, and error messages, which may quote rows
The server
host: address to listen on
port: port to listen on; 0 picks a free one
explorer on/off: whether / is the explorer, a page to look at the logs in a browser (default: on if --host is a loopback address, otherwise off)
corsOrigin ORIGIN: origin whose pages may call the service; repeatable, or a comma-separated list
exitWithParent: stop, as at SIGTERM, when the process that started this one has ended
Clients of another service
errorStatus 200: answer queries that fail with this status and {"error":"message"}, for clients that expect it (default: the status of the failure)
managementApi: answer at /v1/projects/<project>/analytics/endpoints/<name>, too, as the management API of --preset supabase's service does
headerPrefix: prefix of the service's own request headers
Tokens
allowShortTokens: accept tokens of fewer than 16 characters, with a warning
name: name of a new token, shown in the log
project: restrict a new token to this value of the parameter project
  generate: write records of this project only
  mcp: show the logs of this project only
endpoint NAME: restrict a new token to this endpoint; repeatable, or a comma-separated list
  mcp: offer this endpoint only; repeatable, or a comma-separated list
Language models
mcp on/off: whether language models can use the endpoints at /mcp, with the same tokens
mcpMaxRows: rows of an answer that a language model gets
mcpMaxBytes: size of the rows that a language model gets
Limits
queryTimeout: time limit of a query
compileTimeout: time limit for compiling a caller's query
maxConcurrentQueries: queries that may run at once
maxQueuedQueries: queries that may wait in the queue; more are refused
Resources
memoryLimit: memory limit of each engine process (default: an equal share of half the available memory, at least 256MB); loading uses the same limit (default: half the available memory), but at least 450MB, and more for records of several megabytes
threads: threads of each engine process (default: the number of cores; fewer for small data)
maxResultBytes: size limit of a result
maxBody: size limit of a request body
maxUnsentBytes: total size of responses that slow clients have yet to read; above it the oldest connections are closed
Caches
cacheSize: memory for cached results
queryCache: memory for results of endpoints that do not cache, which answer equal requests until the logs change; 0 for none
newestRows: newest records of each project that are stored as JSON too, so that requests for them take a few milliseconds; 0 for none
maxFields: undeclared fields of a source that get columns or fields of their own; the others are in one STRING of JSON
cacheDir DIR: folder of the disk cache, which speeds up the next start (default: log-endpoints in the user's cache folder)
noDiskCache: do not use the disk cache
Made-up logs
out DIR: folder to write to, new or empty
records: number of records, of all sources together
from ISO: start of the logs, instead of --hours
to ISO: end of the logs, exclusive (default: now)
hours: length of the logs (default: 48)
seed: seed of the random numbers; the same seed, end and flags give the same bytes
projects: number of projects (default: 3, which are bluefin, larkspur and quarry); the n-th has an n-th of the records of the first
incidents: as in the demo: latencies follow the load of the day, and the first project has a login attack, a slow deploy and a burst of errors
source NAME: write only this source; repeatable (default: all nine)
files: write files of this many records, in a folder for each source (default: one file; for parquet, files of at most a million records)
gzip: compress the NDJSON
disorder: delay records by up to this much, so that they are not in order of time
plain: give all records of a source the same shape: never write metadata as an array of one element, or a timestamp as a number
BigQuery
engine: what runs the queries: duckdb, over log files, or bigquery, over tables in Google Cloud
bigqueryTables TABLES: the path of the tables in BigQuery, with {source} in place of a source's name: project.dataset.{source}
bigqueryMaxBytes: the most that one query may be billed for on BigQuery; queries that would read more are refused
bigqueryMaxBytesPerDay: the most that the queries of a token may be billed for on BigQuery in a day (UTC)
bigqueryMaxWindow: how far back queries may read on BigQuery; those without a start time are refused, but for the newest rows; 0 for no limit
bigquerySandbox: run callers' own queries on BigQuery, too; docs/bigquery.md says what that does not protect
`;

const known: Readonly<Record<string, Setting>> = settings;

/** The help of each setting, by topic. */
export const settingHelp = readTopics(text).map(({ topic, lines }) => {
  const [first = [], ...others] = lines.split('\n  ').map((line) => line.split(/: (.*)/));
  const [called = '', help = ''] = first;
  const [name = '', valueName] = called.split(' ');
  const setting = known[name];
  if (setting === undefined) throw new Error(`There is no setting ${name}`);
  const value = setting.kind === 'switch' ? '' : ` ${valueName ?? setting.kind.toUpperCase()}`;
  const of: Readonly<Record<string, string>> = Object.fromEntries(others);
  const differences = Object.entries({ ...setting.of, ...of }).map(
    ([verb, own]) => `${verb}: ${typeof own === 'string' ? own : `default ${own.default}`}`,
  );
  return {
    ...{ topic, name, setting, help },
    /** Its flag, with the name of its value. */
    usage: `--${toFlag(name)}${value}`,
    /** The help for verbs whose flag differs. */
    of,
    /** The help for all verbs. */
    full: [help, ...differences].join('; '),
  };
});

/** Returns the help of a setting. */
export function findSettingHelp(name: string): (typeof settingHelp)[number] {
  const found = settingHelp.find((each) => each.name === name);
  if (found === undefined) throw new Error(`${name} has no help`);
  return found;
}
