import { readFileSync } from 'node:fs';
import * as v from 'valibot';
import type { Statement } from '../../engine/engine.js';
import { lazily } from '../../process/lazily.js';
import { packagePath } from '../../process/package-paths.js';
import type { BigQueryApi } from './api.js';
import type { BigQueryRow } from './decode-row.js';
import { schemaColumns, schemaSchema } from './table-schema.js';

/** The maximum cost of a job, and its labels. */
export interface JobOptions {
  /** A query that would read more bytes is refused. */
  readonly maxBytes: number;
  readonly timeoutMs: number;
  /** Labels that tell the payer what the job is for. */
  readonly labels: Readonly<Record<string, string>>;
  /**
   * The location of the tables, such as `EU`; without it, BigQuery may choose any location for a statement that reads
   * no tables.
   */
  readonly location: string | undefined;
}

/** The identity of a job. */
const jobReference = v.object({
  projectId: v.string(),
  jobId: v.string(),
  location: v.optional(v.string()),
});

/** A number of bytes, which the API writes as a string. */
const bytesSchema = v.pipe(v.string(), v.transform(Number));

const rowSchema = v.custom<BigQueryRow>(
  (row) => typeof row === 'object' && row !== null && 'f' in row && Array.isArray(row.f),
);

const pageSchema = v.object({
  jobComplete: v.boolean(),
  jobReference: v.optional(jobReference),
  schema: v.optional(schemaSchema),
  rows: v.optional(v.array(rowSchema), []),
  pageToken: v.optional(v.string()),
  /** Only in the answer to {@link startJob}, if the job has ended by then. */
  totalBytesBilled: v.optional(bytesSchema),
});

/** A part of a job's answer. */
export type JobPage = v.InferOutput<typeof pageSchema>;

/**
 * The maximum time that BigQuery may hold back the first answer about a new job, in milliseconds. The answer names the
 * job, and a job can only be cancelled by its name.
 */
const firstWaitMs = 2000;

/** The maximum time that BigQuery may hold back a later answer about a running job, in milliseconds. */
const waitMs = 10_000;

/** Starts a job; the page has rows if it has ended by then. @throws ApiFailure */
export async function startJob(
  api: BigQueryApi,
  statement: Statement,
  options: JobOptions,
): Promise<JobPage> {
  const { maxBytes, timeoutMs, labels } = options;
  const body = {
    ...queryRequest(statement, options),
    timeoutMs: firstWaitMs,
    maximumBytesBilled: String(maxBytes),
    jobTimeoutMs: String(timeoutMs),
    labels: Object.fromEntries(Object.entries(labels).map(([key, text]) => [key, toLabel(text)])),
  };
  const request = { method: 'POST', path: 'queries', body, isOnce: true } as const;
  return v.parse(pageSchema, await api.send(request));
}

/** @see https://cloud.google.com/bigquery/docs/labels-intro#requirements */
function toLabel(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^a-z0-9_-]/g, '_')
    .slice(0, 63);
}

/** Estimates the bytes that a statement would read; runs and bills nothing. @throws ApiFailure */
export async function dryRun(
  api: BigQueryApi,
  statement: Statement,
  options: Pick<JobOptions, 'location'>,
): Promise<DryRun> {
  const body = { ...queryRequest(statement, options), dryRun: true };
  return v.parse(dryRunSchema, await api.send({ method: 'POST', path: 'queries', body }));
}

const dryRunSchema = v.object({
  totalBytesProcessed: bytesSchema,
  schema: v.pipe(
    schemaSchema,
    v.transform(({ fields }) => schemaColumns(fields)),
  ),
});

/** BigQuery's estimate for a statement that it does not run. */
export type DryRun = v.InferOutput<typeof dryRunSchema>;

/** The next part of a job's answer, once it has ended or {@link waitMs} have passed. @throws ApiFailure */
export async function nextPage(
  api: BigQueryApi,
  before: JobPage,
  maxRows: number,
): Promise<JobPage> {
  const { jobReference, pageToken } = before;
  const { path, project, query } = jobAddress(before, 'queries');
  const more = {
    timeoutMs: waitMs,
    maxResults: maxRows,
    'formatOptions.useInt64Timestamp': true,
    ...(pageToken !== undefined && { pageToken }),
  };
  const answer = await api.send({ method: 'GET', path, project, query: { ...query, ...more } });
  return { jobReference, ...v.parse(pageSchema, answer) };
}

/** Cancels a job. @throws ApiFailure */
export async function cancelJob(api: BigQueryApi, page: JobPage): Promise<void> {
  await api.send({ method: 'POST', ...jobAddress(page, 'jobs', '/cancel') });
}

const jobSchema = v.object({
  status: v.object({ state: v.string() }),
  statistics: v.object({
    query: v.optional(v.object({ totalBytesBilled: v.optional(bytesSchema) })),
  }),
});

/** The bytes that a job is billed for; undefined while it runs. @throws ApiFailure */
export async function readBill(api: BigQueryApi, page: JobPage): Promise<number | undefined> {
  const answer = await api.send({ method: 'GET', ...jobAddress(page, 'jobs') });
  const { status, statistics } = v.parse(jobSchema, answer);
  return status.state === 'DONE' ? (statistics.query?.totalBytesBilled ?? 0) : undefined;
}

/** The address of a job, or of its answer. */
function jobAddress({ jobReference: job }: JobPage, folder: 'jobs' | 'queries', end = '') {
  if (job === undefined) throw new Error('BigQuery returned a part of an answer without a job');
  const { jobId, projectId: project, location } = job;
  const path = `${folder}/${encodeURIComponent(jobId)}${end}`;
  return { path, project, query: location === undefined ? {} : { location } };
}

/** @see https://cloud.google.com/bigquery/docs/reference/rest/v2/jobs/query#QueryRequest */
function queryRequest(
  { sql, values, types = {}, maxRows, redact = false }: Statement,
  { location }: Pick<JobOptions, 'location'>,
): object {
  return {
    query: redact ? `${redactionText()}${sql}` : sql,
    useLegacySql: false,
    parameterMode: 'NAMED',
    queryParameters: Object.entries(values).map(([name, value]) =>
      queryParameter(name, types[name] ?? 'STRING', value),
    ),
    maxResults: maxRows + 1,
    formatOptions: { useInt64Timestamp: true },
    ...(location !== undefined && { location }),
  };
}

/** Defines the functions that redact personal data, before a statement that calls them. The file is read once. */
const redactionText = lazily(() =>
  readFileSync(packagePath('sql/googlesql/redaction.sql'), 'utf8'),
);

/** Converts a value to a query parameter. A list is passed as a JSON array of strings. */
function queryParameter(name: string, type: string, value: string | null): object {
  const element = /^ARRAY<(\w+)>$/.exec(type)?.[1];
  if (element === undefined) {
    return { name, parameterType: { type }, parameterValue: { value } };
  }
  const texts = value === null ? undefined : v.parse(v.array(v.string()), JSON.parse(value));
  return {
    name,
    parameterType: { type: 'ARRAY', arrayType: { type: element } },
    parameterValue:
      texts === undefined ? {} : { arrayValues: texts.map((text) => ({ value: text })) },
  };
}
