import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { getRequestListener, type HttpBindings } from '@hono/node-server';
import { type Context, Hono } from 'hono';
import { createBigQueryTarget } from '../../src/bigquery/target/target.js';
import { type Compiler, createCompiler, type StoredQuery } from '../../src/compiler/compile.js';
import { readCommand } from '../../src/config/config.js';
import { bindStatement } from '../../src/endpoint/bind-statement.js';
import { openDuckDbEngine } from '../../src/engine/duckdb/duckdb.js';
import { ServiceError } from '../../src/errors/errors.js';
import { openServices } from '../../src/start/start-up.js';
import type { KnownTime } from '../../src/types/time-window.js';
import type { Type } from '../../src/types/types.js';
import { asTable } from './as-table.js';
import { answerField, storedFields, tableField } from './bigquery-fields.js';
import { withoutFunctions } from './inline-functions.js';
import { type Json, type JsonObject, parseJson } from './json.js';
import { environmentOf, tokenFor } from './stand-in-credentials.js';

/** The tables that the stand-in has, as `--bigquery-tables` names them. */
export const standInTables = 'stand-in.logs.{source}';

/**
 * A failure that the stand-in answers with instead, with a list of reasons if it has one; a connection that it cuts, or on
 * which it is silent; a new job that does not end, or not at once.
 */
export type Fault =
  | { readonly code: number; readonly reason?: string; readonly message: string }
  | 'cut'
  | 'silent'
  | 'endless'
  | 'slow';

/** A request for a token, for a new job, for a part of its answer, for its state, or for the schema of a table. */
export type RequestKind = 'token' | 'job' | 'page' | 'state' | 'table';

/** A job that was asked for. */
export interface AskedJob {
  readonly id: string;
  readonly sql: string;
  readonly body: JsonObject;
  isCancelled: boolean;
}

/** A server that answers as BigQuery's REST API does. */
export interface StandIn {
  /** The variables with which Google's client finds the stand-in, and gets a token from it. */
  readonly environment: Readonly<Record<string, string>>;
  /** All jobs, in order; a dry run is none. */
  readonly jobs: readonly AskedJob[];
  /** The next requests of a kind fail so, in order. */
  failNext(kind: RequestKind, ...faults: readonly Fault[]): void;
  close(): Promise<void>;
}

interface Options {
  /** The folder of the log files that are its tables. */
  readonly data: string;
  /** Rows on a page. */
  readonly pageRows?: number;
  /** Whether its tables have no partitions, so that each query reads all of them. */
  readonly isFlat?: boolean;
  /** The lifetime of a token; one that ends within minutes is renewed before each request. */
  readonly tokenSeconds?: number;
}

/**
 * Starts the stand-in. It runs the GoogleSQL that it receives with this project's own compiler and DuckDB, over the same
 * log files: it shows what reaches BigQuery and what is made of its answers, but nothing about BigQuery itself.
 */
export async function startStandIn(options: Options): Promise<StandIn> {
  const { data, pageRows = 40, isFlat = false, tokenSeconds = 3600 } = options;
  const run = await openRunner(data, isFlat);
  const jobs: AskedJob[] = [];
  const results = new Map<string, Promise<Answer>>();
  const ended = new Set<string>();
  const faults: Record<RequestKind, Fault[]> = {
    token: [],
    job: [],
    page: [],
    state: [],
    table: [],
  };
  const app = new Hono<{ Bindings: HttpBindings; Variables: { isSlow?: boolean } }>();
  app.use(async (context, next) => {
    const fault = faults[kindOf(context.req.path)].shift();
    if (fault === 'slow') context.set('isSlow', true);
    if (fault === undefined || fault === 'slow') return next();
    if (fault === 'cut') context.env.incoming.socket.destroy();
    if (fault === 'cut' || fault === 'silent') return new Promise(() => {});
    return fault === 'endless' ? startEndless(context) : failure(context, fault);
  });
  async function startEndless(context: Pick<Context, 'req' | 'json'>) {
    const job = addJob(await context.req.json());
    return context.json(unfinished(job));
  }
  function addJob(body: JsonObject): AskedJob {
    const job = { id: randomUUID(), sql: String(body['query']), body, isCancelled: false };
    jobs.push(job);
    return job;
  }
  const rowsOnPage = (asked: Json | undefined) => Math.min(pageRows, Number(asked ?? pageRows));
  app.post('/token', (context) => context.json(tokenFor(tokenSeconds)));
  app.post('/projects/:project/queries', async (context) => {
    const body: JsonObject = await context.req.json();
    const job = body['dryRun'] === true ? undefined : addJob(body);
    try {
      const bytes = await run.bytesOf(body);
      if (job === undefined) {
        return context.json({ jobComplete: true, ...dryRunOf(run.columnsOf(body), bytes) });
      }
      if (bytes > Number(body['maximumBytesBilled'])) return failure(context, overLimit);
      const result = run.answer(body);
      results.set(job.id, result);
      const end = () => ended.add(job.id);
      result.then(end, end);
      const answer = context.get('isSlow') ? undefined : await within(body['timeoutMs'], result);
      if (answer === undefined) return context.json(unfinished(job));
      return context.json(firstPageOf(job, answer, rowsOnPage(body['maxResults'])));
    } catch (error) {
      return failure(context, toFault(error));
    }
  });
  app.get('/projects/:project/queries/:job', async (context) => {
    const job = jobs.find(({ id }) => id === context.req.param('job'));
    if (job === undefined) return failure(context, notFound('job'));
    try {
      const answer = await within(context.req.query('timeoutMs'), results.get(job.id));
      if (answer === undefined) return context.json(unfinished(job));
      const from = Number(context.req.query('pageToken') ?? 0);
      const count = rowsOnPage(context.req.query('maxResults'));
      return context.json(pageOf(job, answer, from, count));
    } catch (error) {
      return failure(context, toFault(error));
    }
  });
  app.get('/projects/:project/jobs/:job', (context) => {
    const job = jobs.find(({ id }) => id === context.req.param('job'));
    if (job === undefined) return failure(context, notFound('job'));
    const isDone = ended.has(job.id) || job.isCancelled;
    const totalBytesProcessed = String(billedBytes);
    const query = { totalBytesProcessed, totalBytesBilled: String(billedBytes) };
    const statistics = isDone ? { totalBytesProcessed, query } : {};
    const status = { state: isDone ? 'DONE' : 'RUNNING' };
    return context.json({ jobReference: referenceOf(job), status, statistics });
  });
  app.post('/projects/:project/jobs/:job/cancel', (context) => {
    for (const job of jobs) if (job.id === context.req.param('job')) job.isCancelled = true;
    return context.json({ kind: 'bigquery#jobCancelResponse' });
  });
  app.get('/projects/:project/datasets/:dataset/tables/:table', (context) => {
    const source = run.sources.find(({ name }) => name === context.req.param('table'));
    if (source === undefined) return failure(context, notFound('table'));
    const fields = source.columns.map((column) => tableField(column));
    return context.json({ schema: { fields }, location: 'EU' });
  });
  const server = createServer(getRequestListener(app.fetch));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    environment: environmentOf(`http://127.0.0.1:${port}`),
    jobs,
    failNext: (kind, ...more) => faults[kind].push(...more),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await run.close();
    },
  };
}

function kindOf(path: string): RequestKind {
  if (path === '/token') return 'token';
  if (path.includes('/tables/')) return 'table';
  if (path.includes('/jobs/')) return 'state';
  return /\/queries\/./.test(path) ? 'page' : 'job';
}

const overLimit: Exclude<Fault, string> = {
  code: 400,
  reason: 'bytesBilledLimitExceeded',
  message: 'Query exceeded limit for bytes billed',
};

function notFound(what: string): Exclude<Fault, string> {
  return { code: 404, reason: 'notFound', message: `Not found: ${what}` };
}

function failure(
  context: Pick<Context, 'json'>,
  { code, reason, message }: Exclude<Fault, string>,
) {
  const errors = reason === undefined ? {} : { errors: [{ reason, message, domain: 'global' }] };
  const error = { code, message, ...errors, status: statuses[code] ?? 'INTERNAL' };
  return context.json({ error }, code as 400);
}

const statuses: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  503: 'UNAVAILABLE',
};

function toFault(error: unknown): Exclude<Fault, string> {
  if (!(error instanceof ServiceError)) {
    return { code: 400, reason: 'invalidQuery', message: `Stand-in: ${String(error)}` };
  }
  return { code: 400, reason: 'invalidQuery', message: error.message };
}

/** The rows of a job, and their columns. */
interface Answer {
  readonly rows: readonly Json[];
  readonly columns: readonly { readonly name: string; readonly type: Type }[];
}

/** The bytes that every job is billed for: the least that BigQuery bills. */
const billedBytes = 10 * 1024 ** 2;

/** Waits for a promise at most `ms` milliseconds, ten seconds by default; undefined if it takes longer, or without a promise. */
function within<T>(
  ms: unknown,
  promise: Promise<T> | undefined,
): Promise<T | undefined> | undefined {
  return promise && Promise.race([promise, sleep(Number(ms ?? 10_000), undefined, { ref: false })]);
}

/** A dry run is no job, and its reference names none. */
function dryRunOf(columns: Answer['columns'], bytes: number): object {
  return {
    jobReference: { projectId: 'stand-in', location: 'EU' },
    schema: { fields: columns.map(answerField) },
    totalBytesProcessed: String(bytes),
    totalBytesBilled: '0',
  };
}

function unfinished(job: AskedJob): object {
  return { jobComplete: false, jobReference: referenceOf(job) };
}

function referenceOf({ id }: AskedJob): object {
  return { projectId: 'stand-in', jobId: id, location: 'EU' };
}

function pageOf(job: AskedJob, { rows, columns }: Answer, from: number, count: number): object {
  const end = from + count;
  const own = rows.slice(from, end);
  return {
    jobComplete: true,
    jobReference: referenceOf(job),
    schema: { fields: columns.map(answerField) },
    totalRows: String(rows.length),
    ...(own.length > 0 && {
      rows: own.map((row) => ({ f: cellsOf(Object.values(row ?? {}), columns) })),
    }),
    ...(end < rows.length && { pageToken: String(end) }),
    totalBytesProcessed: String(billedBytes),
  };
}

/** Only the answer to a new job says what it is billed for. */
function firstPageOf(job: AskedJob, answer: Answer, count: number): object {
  return { ...pageOf(job, answer, 0, count), totalBytesBilled: String(billedBytes) };
}

function cellsOf(values: readonly Json[], fields: readonly { readonly type: Type }[]): object[] {
  return fields.map(({ type }, index) => ({ v: cellOf(values[index] ?? null, type) }));
}

function cellOf(value: Json, type: Type): unknown {
  if (type.kind === 'ARRAY') {
    const elements = Array.isArray(value) ? value : [];
    return elements.map((element: Json) => ({ v: cellOf(element, type.element) }));
  }
  if (value === null) return null;
  if (type.kind === 'STRUCT') return { f: cellsOf(Object.values(value), storedFields(type)) };
  return String(value);
}

const firstDay = '0001-01-01';

/** Runs GoogleSQL over log files. */
async function openRunner(data: string, isFlat: boolean) {
  const stored = ['query', 'logs.all', '--data', data, '--no-disk-cache'];
  const command = readCommand([...stored, '--query-timeout', '3m'], {});
  if (!('settings' in command)) throw new Error('no settings');
  const services = await openServices(command.settings, openDuckDbEngine);
  const sources = services.logs.sources.map(asTable);
  const compiler = createCompiler(sources);
  const target = createBigQueryTarget({ tables: standInTables, sandbox: false });
  const planner = createCompiler(sources, { target });
  const compile = (body: JsonObject) => {
    const { parameters, bindings, now } = readParameters(body['queryParameters']);
    const stored = { name: nameOf(parameters), sql: sqlOf(body), maxRows: 100_000, parameters };
    return { query: compiler.compile(stored), bindings, now };
  };
  return {
    sources,
    /** As if each record had a kilobyte, and a partition of its own. */
    async bytesOf(body: JsonObject): Promise<number> {
      const start = isFlat ? firstDay : startOf(body, planner);
      const read = sources.filter(({ name }) => String(body['query']).includes(`.\`${name}\``));
      const counts = read.map(
        ({ name }) =>
          `(select count(*) from \`logs.${name}\` where timestamp > timestamp '${start}')`,
      );
      const sql = `select ${['0', ...counts].join(' + ')} as n`;
      const query = compiler.compile({ name: 'bytes', sql, maxRows: 1, parameters: [] });
      const statement = bindStatement(query, {}, { maxRows: 1, now: '' });
      const result = await services.engine.run(statement, { signal: new AbortController().signal });
      return 1024 * Number(/\d+/.exec(Buffer.from(result.body).toString().slice(5))?.[0]);
    },
    columnsOf: (body: JsonObject) => compile(body).query.columns,
    async answer(body: JsonObject): Promise<Answer> {
      const { query, bindings, now } = compile(body);
      const statement = bindStatement(query, bindings, { maxRows: 100_000, now });
      const { signal } = new AbortController();
      const result = await services.engine.run({ ...statement, readsOwnRows: true }, { signal });
      const rows = parseJson(Buffer.from(result.body).toString()) as readonly Json[];
      return { rows, columns: query.columns };
    },
    close: () => services.serving.close(),
  };
}

const parameterTypes: Readonly<Record<string, StoredQuery['parameters'][number]['type']>> = {
  BOOL: 'boolean',
  DATE: 'date',
  FLOAT64: 'number',
  INT64: 'integer',
  STRING: 'string',
  TIMESTAMP: 'timestamp',
};

function readParameters(given: Json | undefined) {
  const list = (Array.isArray(given) ? given : []) as readonly {
    readonly name: string;
    readonly parameterType: {
      readonly type: string;
      readonly arrayType?: { readonly type: string };
    };
    readonly parameterValue: {
      readonly value?: string | null;
      readonly arrayValues?: readonly { readonly value: string }[];
    };
  }[];
  const parameters = list.map(({ name, parameterType: { type, arrayType } }) => {
    const own = parameterTypes[arrayType?.type ?? type] ?? 'string';
    return { name, type: own, ...(arrayType && { isList: true }) };
  });
  const values = list.map(({ name, parameterValue: { value, arrayValues } }) => {
    const texts = arrayValues?.map((one) => one.value);
    return [name, texts === undefined ? (value ?? null) : JSON.stringify(texts)] as const;
  });
  return { parameters, bindings: Object.fromEntries(values), now: '' };
}

/** The compiler keeps what it compiled by name and text, but the same text may come with other parameters. */
function nameOf(parameters: StoredQuery['parameters']): string {
  return JSON.stringify(parameters);
}

function sqlOf(body: JsonObject): string {
  return withoutFunctions(String(body['query']).replaceAll('`stand-in`.`logs`.', '`logs`.'));
}

/** From when on a query reads; the first day if some read has no start that the compiler knows. */
function startOf(body: JsonObject, planner: Compiler): string {
  const { parameters, bindings } = readParameters(body['queryParameters']);
  const stored = { name: nameOf(parameters), sql: sqlOf(body), maxRows: 1, parameters };
  const { window } = planner.compile(stored);
  const starts = window?.kind === 'bounded' ? window.starts : [];
  const textOf = (base: Exclude<KnownTime['base'], 'now'>) =>
    'time' in base ? base.time : (bindings[base.parameter] ?? '');
  const instant = ({ base, msBefore }: KnownTime) =>
    base === 'now' ? Number.NaN : Date.parse(textOf(base).replace(' ', 'T')) - msBefore;
  const each = starts
    .filter((times) => times.length > 0)
    .map((times) => Math.max(...times.map(instant)));
  return each.length === 0 ? firstDay : new Date(Math.min(...each)).toISOString();
}
