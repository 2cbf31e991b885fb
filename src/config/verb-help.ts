import { isVerb } from './verbs.js';

/** A group is a plain line, its verbs have a colon, and examples are indented. */
const text = `
Serve
serve: answer requests over HTTP
  log-endpoints serve --data logs --watch
demo: serve made-up logs that end now and go on
  log-endpoints demo --records 200000 --hours 24
mcp: answer a language model over standard input and output
  log-endpoints mcp --data logs --watch
Ask
query ENDPOINT: run one endpoint and print its rows; with --sql or --lql it is logs.all
  log-endpoints query app.log --sql 'select level, count(*) as n from app group by level'
explain ENDPOINT: print every stage of the compiler, and the engine's plan
  log-endpoints explain app.log --sql 'select count(*) from app' --stage plan
Write and check
new NAME: write a file for a new endpoint
  log-endpoints new errors.by-path --endpoints my-endpoints
check: compile every endpoint over the sources; exit code 1 on any error
  log-endpoints check --data logs --endpoints my-endpoints --format github
test PATH…: run the tests of files and folders, by default those beside the endpoints
  log-endpoints test my-endpoints --junit results.xml
test-server: serve the records that a test writes to standard input, until that ends
  log-endpoints test-server --endpoints my-endpoints --now 2026-03-10T12:00:00Z
Data and access
generate: write made-up logs
  log-endpoints generate --out logs --records 1000 --to 2026-03-10T12:00:00Z --seed 7
cache list|clear: list the disk cache, or remove the entries that are not in use
  log-endpoints cache list
tokens new: print a new token as a line for the tokens file
  log-endpoints tokens new --name grafana --project acme >> tokens
bigquery ddl: print the statements that create the tables in BigQuery
  log-endpoints bigquery ddl --bigquery-tables 'my-project.logs.{source}'
`;

/** The help of each verb, in order; `usage` is the verb with its arguments, `group` the title above it. */
export const verbHelp = readTopics(text).flatMap(({ topic: group, lines }) => {
  const [usage = '', does = '', ...examples] = lines.split(/: |\n {2}/);
  const verb = usage.split(' ')[0] ?? '';
  return isVerb(verb) ? [{ verb, group, usage, does, examples }] : [];
});

/** Splits text into its entries, each with the topic above it: a topic begins with a capital, an entry does not. */
export function readTopics(text: string) {
  const parts = text.split(/\n(?=[A-Z])/).slice(1);
  return parts.flatMap((part) => {
    const [topic = '', ...entries] = part.trimEnd().split(/\n(?=[a-z])/);
    return entries.map((lines) => ({ topic, lines }));
  });
}
