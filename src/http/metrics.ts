import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Answer } from '../service/run-endpoint.js';

/** The service's metrics for Prometheus. */
export interface Metrics {
  /** Counts an answered request. */
  count(request: CountedRequest): void;
  /** All metrics, in the Prometheus text format, as they were within the last second. */
  print(): Promise<string>;
  readonly contentType: string;
}

/** An answered request. */
export interface CountedRequest {
  /** The name or identifier in the path; one that belongs to no endpoint counts as `unknown`. */
  readonly endpoint?: string | undefined;
  readonly status: number;
  readonly seconds: number;
  /** Where the rows came from; absent if there are none. */
  readonly state?: Answer['state'] | undefined;
}

/** The sources of the metrics. */
export interface MetricsOptions {
  /** The name of an endpoint by its name or identifier; undefined if there is none. */
  readonly endpointName: (nameOrId: string) => string | undefined;
  readonly engineStats: () => EngineStats;
  readonly compileStats: () => CompileStats;
  readonly cacheStats: () => CacheStats;
  /** How many tails are open. */
  readonly openTails: () => number;
  /** The loaded files. */
  readonly files: () => readonly LoadedFile[];
  /** Whether to add the metrics of this process; only one instance in a process may do so. */
  readonly withProcessMetrics: boolean;
  /** A monotonic clock, in milliseconds. */
  readonly now: () => number;
}

/** The load of the engine. */
export interface EngineStats {
  /** Queued statements. */
  readonly waiting: number;
  readonly running: number;
  /** Open engine processes; absent if the engine has none. */
  readonly processes?: number;
  /** Processes that were killed or crashed since the start. */
  readonly restarts?: number;
  /** The bytes that were billed since the start; absent for an engine that bills nothing. */
  readonly billedBytes?: number;
}

/** The load of the compile processes. */
export interface CompileStats {
  /** Callers' queries waiting for a compile process. */
  readonly waiting: number;
  readonly running: number;
  /** Processes that were killed or crashed since the start. */
  readonly restarts: number;
}

/** The cache's contents, and its renewals since the start. */
export interface CacheStats {
  readonly entries: number;
  readonly bytes: number;
  readonly renewals: number;
  readonly failedRenewals: number;
}

interface LoadedFile {
  readonly source: string;
  readonly records: number;
  readonly badLines: number;
}

const prefix = 'log_endpoints_';

/**
 * Creates the metrics. Their labels are names of endpoints and sources only, so they reveal nothing a caller sent.
 * @see https://prometheus.io/docs/practices/naming/
 */
export function createMetrics(options: MetricsOptions): Metrics {
  const registry = new Registry();
  const count = countRequests(registry, options.endpointName);
  addEngine(registry, options.engineStats);
  addCompiling(registry, options.compileStats);
  addCache(registry, options.cacheStats);
  addFiles(registry, options.files);
  addValue(registry, 'open_tails', 'Open tails of tables', options.openTails);
  if (options.withProcessMetrics) collectDefaultMetrics({ register: registry, prefix });
  const print = onceASecond(() => registry.metrics(), options.now);
  return { count, print, contentType: registry.contentType };
}

/** Repeats the last result within a second, since anyone may ask, without a token. */
function onceASecond<T>(work: () => T, now: () => number): () => T {
  let last: { readonly at: number; readonly result: T } | undefined;
  return () => {
    if (last === undefined || now() - last.at >= 1_000) last = { at: now(), result: work() };
    return last.result;
  };
}

function countRequests(registry: Registry, endpointName: MetricsOptions['endpointName']) {
  const requests = new Counter({
    name: `${prefix}requests_total`,
    help: 'Answered requests by endpoint and status; unknown stands for requests to no known endpoint',
    labelNames: ['endpoint', 'status'],
    registers: [registry],
  });
  const durations = new Histogram({
    name: `${prefix}request_duration_seconds`,
    help: 'Duration of requests by endpoint',
    labelNames: ['endpoint'],
    buckets: [0.001, 0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers: [registry],
  });
  const answers = new Counter({
    name: `${prefix}cache_answers_total`,
    help: 'Answers with rows, by cache state',
    labelNames: ['state'],
    registers: [registry],
  });
  for (const state of ['hit', 'miss', 'stale', 'bypass']) answers.inc({ state }, 0);
  return ({ endpoint: asked = '', status, seconds, state }: CountedRequest): void => {
    // Only known names become labels: callers could invent any number of others.
    const endpoint = endpointName(asked) ?? 'unknown';
    requests.inc({ endpoint, status });
    durations.observe({ endpoint }, seconds);
    if (state !== undefined) answers.inc({ state: state.toLowerCase() });
  };
}

function addEngine(registry: Registry, stats: () => EngineStats): void {
  const first = stats();
  addValue(registry, 'queue_length', 'Statements waiting in the queue', () => stats().waiting);
  addValue(registry, 'engine_running', 'Running statements', () => stats().running);
  if (first.processes !== undefined) {
    const processes = () => stats().processes ?? 0;
    addValue(registry, 'engine_processes', 'Open engine processes', processes);
  }
  if (first.billedBytes !== undefined) {
    const billed = () => stats().billedBytes ?? 0;
    addValue(registry, 'engine_billed_bytes_total', 'Bytes that BigQuery billed', billed);
  }
  if (first.restarts === undefined) return;
  const help = 'Engine processes that were killed or crashed';
  addValue(registry, 'engine_restarts_total', help, () => stats().restarts ?? 0);
}

function addCompiling(registry: Registry, stats: () => CompileStats): void {
  const waiting = "Callers' queries waiting to be compiled";
  addValue(registry, 'compile_queue_length', waiting, () => stats().waiting);
  const running = "Callers' queries being compiled";
  addValue(registry, 'compile_running', running, () => stats().running);
  const restarts = 'Compile processes that were killed or crashed';
  addValue(registry, 'compile_restarts_total', restarts, () => stats().restarts);
}

function addCache(registry: Registry, stats: () => CacheStats): void {
  addValue(registry, 'cache_entries', 'Cached results', () => stats().entries);
  addValue(registry, 'cache_bytes', 'Memory of the cached results in bytes', () => stats().bytes);
  addValue(registry, 'cache_renewals_total', 'Started renewals', () => stats().renewals);
  const failed = () => stats().failedRenewals;
  addValue(registry, 'cache_failed_renewals_total', 'Failed renewals', failed);
}

function addFiles(registry: Registry, files: MetricsOptions['files']): void {
  const add = (name: string, help: string, take: (file: LoadedFile) => number) =>
    new Gauge({
      name: `${prefix}${name}`,
      help,
      labelNames: ['source'],
      registers: [registry],
      collect() {
        this.reset();
        for (const file of files()) this.inc({ source: file.source }, take(file));
      },
    });
  add('source_records', 'Loaded records', ({ records }) => records);
  add(
    'source_bad_lines',
    'Lines skipped while loading because they are not valid',
    ({ badLines }) => badLines,
  );
}

/** A counter, by its name, or a gauge, which is read when metrics are collected. */
function addValue(registry: Registry, name: string, help: string, value: () => number): void {
  const options = {
    name: `${prefix}${name}`,
    help,
    registers: [registry],
    collect(this: Pick<Gauge, 'reset' | 'inc'>) {
      this.reset();
      this.inc(value());
    },
  };
  if (name.endsWith('_total')) new Counter(options);
  else new Gauge(options);
}
