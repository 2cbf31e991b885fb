import { loading, running } from './verbs.js';

const GB = 1024 ** 3;

/** The settings of BigQuery as the engine. */
export const bigQuerySettings = {
  engine: {
    kind: 'text',
    oneOf: ['duckdb', 'bigquery'],
    verbs: loading,
    default: 'duckdb',
    help: 'what runs the queries: duckdb, over log files, or bigquery, over tables in Google Cloud',
  },
  bigqueryTables: {
    kind: 'text',
    placeholder: 'TABLES',
    verbs: [...loading, 'bigquery'],
    help: "the path of the tables in BigQuery, with {source} in place of a source's name: project.dataset.{source}",
  },
  bigqueryMaxBytes: {
    kind: 'size',
    min: 10 * 1024 ** 2,
    max: 1_000_000 * GB,
    verbs: loading,
    default: '10GB',
    help: 'the most that one query may be billed for on BigQuery; queries that would read more are refused',
  },
  bigqueryMaxBytesPerDay: {
    kind: 'size',
    min: 10 * 1024 ** 2,
    max: 1_000_000 * GB,
    verbs: running,
    default: '1024GB',
    help: 'the most that the queries of a token may be billed for on BigQuery in a day (UTC)',
  },
  bigqueryMaxWindow: {
    kind: 'duration',
    max: 87_600 * 3_600_000,
    verbs: running,
    default: '168h',
    help: 'how far back queries may read on BigQuery; those without a start time are refused, but for the newest rows; 0 for no limit',
  },
  bigquerySandbox: {
    kind: 'switch',
    verbs: running,
    help: "run callers' own queries on BigQuery, too; docs/bigquery.md says what that does not protect",
  },
} as const;
