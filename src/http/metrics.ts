import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Endpoint } from '../endpoint/endpoint.js';
import type { Answer } from '../service/run-endpoint.js';

/** What the service counts of itself, as Prometheus reads it. */
export interface Metrics {
  /** Counts an answered request. */
  count(request: CountedRequest): void;
  /** Everything counted, in the text format. */
  print(): Promise<string>;
  readonly contentType: string;
}

/** A request, as it is counted. */
export interface CountedRequest {
  /** The name or identifier that the caller addressed; whatever is no endpoint's counts as `unknown`. */
  readonly endpoint?: string | undefined;
  readonly status: number;
  readonly seconds: number;
  /** Where the rows came from; absent where there are none. */
  readonly state?: Answer['state'] | undefined;
}

/** What there is to look at. */
export interface MetricsOptions {
  readonly endpoints: readonly Pick<Endpoint, 'name' | 'id'>[];
  readonly engineStats: () => EngineStats;
  readonly compileStats: () => CompileStats;
  readonly cacheStats: () => CacheStats;
  /** What was loaded of each file. */
  readonly files: () => readonly LoadedFile[];
  /** Whether to measure this process, too: once in a process is enough. */
  readonly ofProcess: boolean;
}

/** What an engine has to do. */
export interface EngineStats {
  /** Statements that wait for their turn. */
  readonly waiting: number;
  readonly running: number;
  /** Engine processes that are open; absent where there are none. */
  readonly processes?: number;
  /** Processes that ended otherwise than for want of work, since the start. */
  readonly restarts?: number;
}

/** What the compile workers have to do. */
export interface CompileStats {
  /** Callers' queries that wait for a worker. */
  readonly waiting: number;
  readonly running: number;
  /** Workers that ended by a query's time or memory, or by a crash, since the start. */
  readonly restarts: number;
}

/** What a cache holds, and its renewals since the start. */
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

/** Metrics without any secret: names of endpoints and sources, and numbers. @see https://prometheus.io/docs/practices/naming/ */
export function createMetrics(options: MetricsOptions): Metrics {
  const registry = new Registry();
  const count = countRequests(registry, options.endpoints);
  showEngine(registry, options.engineStats);
  showCompiling(registry, options.compileStats);
  showCache(registry, options.cacheStats);
  showFiles(registry, options.files);
  if (options.ofProcess) collectDefaultMetrics({ register: registry, prefix });
  return { count, print: () => registry.metrics(), contentType: registry.contentType };
}

function countRequests(registry: Registry, endpoints: MetricsOptions['endpoints']) {
  const names = new Set(endpoints.map(({ name }) => name));
  const byId = new Map(endpoints.map(({ name, id }) => [id, name]));
  const requests = new Counter({
    name: `${prefix}requests_total`,
    help: 'Requests that were answered, by endpoint and status; unknown is whatever is no endpoint',
    labelNames: ['endpoint', 'status'],
    registers: [registry],
  });
  const durations = new Histogram({
    name: `${prefix}request_duration_seconds`,
    help: 'How long requests took, by endpoint',
    labelNames: ['endpoint'],
    buckets: [0.001, 0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers: [registry],
  });
  const answers = countAnswers(registry);
  // To find the numbers of some labels takes longer than to count one up.
  const ofRequest = remembered((endpoint, status) => requests.labels(endpoint, status));
  const ofDuration = remembered((endpoint) => durations.labels(endpoint));
  const ofState = remembered((state) => answers.labels(state));
  return ({ endpoint: asked = '', status, seconds, state }: CountedRequest): void => {
    // Only names of ours are labels: callers could make up any number of them.
    const endpoint = names.has(asked) ? asked : (byId.get(asked.toLowerCase()) ?? 'unknown');
    ofRequest(endpoint, String(status)).inc();
    ofDuration(endpoint, '').observe(seconds);
    if (state !== undefined) ofState(state.toLowerCase(), '').inc();
  };
}

/** What was made for two labels, once. */
function remembered<T>(make: (one: string, other: string) => T) {
  const made = new Map<string, T>();
  return (one: string, other: string): T => {
    const key = `${one}\n${other}`;
    const known = made.get(key) ?? make(one, other);
    made.set(key, known);
    return known;
  };
}

function countAnswers(registry: Registry): Counter<'state'> {
  const answers = new Counter({
    name: `${prefix}cache_answers_total`,
    help: 'Answers with rows, by where those came from',
    labelNames: ['state'],
    registers: [registry],
  });
  for (const state of ['hit', 'miss', 'stale', 'bypass']) answers.inc({ state }, 0);
  return answers;
}

function showEngine(registry: Registry, stats: () => EngineStats): void {
  const has = stats();
  showNow(registry, 'queue_length', 'Statements that wait for an engine', () => stats().waiting);
  showNow(registry, 'engine_running', 'Statements that run', () => stats().running);
  if (has.processes !== undefined) {
    const processes = () => stats().processes ?? 0;
    showNow(registry, 'engine_processes', 'Engine processes that are open', processes);
  }
  if (has.restarts === undefined) return;
  const help = 'Engine processes that ended otherwise than for want of work';
  showTotal(registry, 'engine_restarts_total', help, () => stats().restarts ?? 0);
}

function showCompiling(registry: Registry, stats: () => CompileStats): void {
  const waiting = "Callers' queries that wait to be compiled";
  showNow(registry, 'compile_queue_length', waiting, () => stats().waiting);
  const running = "Callers' queries that are being compiled";
  showNow(registry, 'compile_running', running, () => stats().running);
  const restarts = "Compile workers that ended by a query's time or memory, or by a crash";
  showTotal(registry, 'compile_restarts_total', restarts, () => stats().restarts);
}

function showCache(registry: Registry, stats: () => CacheStats): void {
  showNow(registry, 'cache_entries', 'Results that are kept', () => stats().entries);
  showNow(registry, 'cache_bytes', 'Memory of what is kept', () => stats().bytes);
  showTotal(registry, 'cache_renewals_total', 'Renewals that began', () => stats().renewals);
  const failed = () => stats().failedRenewals;
  showTotal(registry, 'cache_failed_renewals_total', 'Renewals that failed', failed);
}

function showFiles(registry: Registry, files: MetricsOptions['files']): void {
  const show = (name: string, help: string, take: (file: LoadedFile) => number) =>
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
  show('source_records', 'Records that were loaded', ({ records }) => records);
  show('source_bad_lines', 'Lines that were left out', ({ badLines }) => badLines);
}

function showNow(registry: Registry, name: string, help: string, value: () => number): void {
  new Gauge({
    name: `${prefix}${name}`,
    help,
    registers: [registry],
    collect() {
      this.set(value());
    },
  });
}

/** A number that only grows, and is counted elsewhere. */
function showTotal(registry: Registry, name: string, help: string, value: () => number): void {
  new Counter({
    name: `${prefix}${name}`,
    help,
    registers: [registry],
    collect() {
      this.reset();
      this.inc(value());
    },
  });
}
