import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { ResultCache } from '../cache/cache.js';
import type { PoolState } from '../engine/engine.js';
import type { Answer } from '../run/run-endpoint.js';
import type { LoadedLogs } from '../start/logs.js';
import { readyBody } from './ready-body.js';

/** The service's metrics for Prometheus. */
export type Metrics = ReturnType<typeof createMetrics>;

/** An answered request. */
export interface CountedRequest {
  /** The name or identifier in the path; an unknown one counts as `unknown`. */
  readonly endpoint?: string | undefined;
  readonly status: number;
  readonly seconds: number;
  /** The origin of the rows; absent if there are none. */
  readonly state?: Answer['state'] | undefined;
}

/** The sources of the metrics. */
export interface MetricsOptions {
  /** The name of an endpoint by its name or identifier; undefined if there is none. */
  readonly endpointName: (nameOrId: string) => string | undefined;
  readonly engineStats: () => Stats;
  readonly compileStats: () => Stats;
  readonly cacheStats: ResultCache['stats'];
  /** The number of open tails. */
  readonly openTails: () => number;
  /** The loaded files. */
  readonly files: () => readonly LoadedFile[];
  /** Whether to add the metrics of this process; only one instance in a process may do so. */
  readonly withProcessMetrics: boolean;
  /** A monotonic clock, in milliseconds. */
  readonly now: () => number;
}

type Stats = Omit<PoolState, 'spare' | 'canStart'>;

type LoadedFile = Pick<LoadedLogs['files'][number], 'source' | 'records' | 'badLines'>;

const prefix = 'log_endpoints_';

/** The interval between samples of the event loop's lag, in milliseconds. Each sample wakes the process. */
const lagMs = 100;

/**
 * Creates the metrics. Their labels are only names of endpoints and sources, so they reveal nothing that a caller
 * sent.
 * @see https://prometheus.io/docs/practices/naming/
 */
export function createMetrics(options: MetricsOptions) {
  const registry = new Registry();
  const count = countRequests(registry, options.endpointName);
  addFigures(registry, options.engineStats, engineFigures);
  addFigures(registry, options.compileStats, compileFigures);
  addFigures(registry, options.cacheStats, cacheFigures);
  addFiles(registry, options.files);
  const tails = { name: 'open_tails', help: 'Open tails of tables' };
  addCollected(registry, tails, (gauge) => gauge.inc(options.openTails()));
  if (options.withProcessMetrics)
    collectDefaultMetrics({ register: registry, prefix, eventLoopMonitoringPrecision: lagMs });
  const headers = { 'content-type': registry.contentType };
  const print = onceASecond(async () => readyBody(await registry.metrics(), headers), options.now);
  return {
    /** Counts an answered request. */
    count,
    /** Returns all metrics in the Prometheus text format, at most a second old. */
    print,
  };
}

/** Returns the last result again within a second, because anyone may ask, without a token. */
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
    // Only known names become labels: callers could invent any number of names.
    const endpoint = endpointName(asked) ?? 'unknown';
    requests.inc({ endpoint, status });
    durations.observe({ endpoint }, seconds);
    if (state !== undefined) answers.inc({ state: state.toLowerCase() });
  };
}

/** A figure: its name, its description, and its key; omitted if it has no value at the start. */
type Figure<K> = readonly [name: string, help: string, key: K];

/** Figures by their keys. */
type Figures<K extends string> = { readonly [key in K]?: number | undefined };

const engineFigures: readonly Figure<keyof Stats>[] = [
  ['queue_length', 'Statements waiting in the queue', 'waiting'],
  ['engine_running', 'Running statements', 'running'],
  ['engine_processes', 'Open engine processes', 'processes'],
  ['engine_billed_bytes_total', 'Bytes that BigQuery billed', 'billedBytes'],
  ['engine_restarts_total', 'Engine processes that were killed or crashed', 'restarts'],
];

const compileFigures: readonly Figure<keyof Stats>[] = [
  ['compile_queue_length', "Callers' queries waiting to be compiled", 'waiting'],
  ['compile_running', "Callers' queries being compiled", 'running'],
  ['compile_restarts_total', 'Compile processes that were killed or crashed', 'restarts'],
];

const cacheFigures: readonly Figure<keyof ReturnType<ResultCache['stats']>>[] = [
  ['cache_entries', 'Cached results', 'entries'],
  ['cache_bytes', 'Memory of the cached results in bytes', 'bytes'],
  ['cache_renewals_total', 'Started renewals', 'renewals'],
  ['cache_failed_renewals_total', 'Failed renewals', 'failedRenewals'],
];

function addFigures<K extends string>(
  registry: Registry,
  stats: () => Figures<K>,
  figures: readonly Figure<K>[],
): void {
  const first = stats();
  for (const [name, help, key] of figures.filter(([, , key]) => first[key] !== undefined)) {
    addCollected(registry, { name, help }, (metric) => metric.inc(stats()[key] ?? 0));
  }
}

function addFiles(registry: Registry, files: MetricsOptions['files']): void {
  const add = (name: string, help: string, key: 'records' | 'badLines') =>
    addCollected(registry, { name, help, labelNames: ['source'] }, (gauge) => {
      for (const file of files()) gauge.inc({ source: file.source }, file[key]);
    });
  add('source_records', 'Loaded records', 'records');
  add('source_bad_lines', 'Lines skipped while loading because they are not valid', 'badLines');
}

/** Adds a counter, as its name shows, or a gauge; `count` sets it when metrics are collected. */
function addCollected(
  registry: Registry,
  { name, ...about }: { readonly name: string; readonly help: string; labelNames?: string[] },
  count: (metric: Pick<Gauge, 'inc'>) => void,
): void {
  const options = {
    ...about,
    name: `${prefix}${name}`,
    registers: [registry],
    collect(this: Pick<Gauge, 'reset' | 'inc'>) {
      this.reset();
      count(this);
    },
  };
  if (name.endsWith('_total')) new Counter(options);
  else new Gauge(options);
}
