import type { CachedResult, CacheRequest, Compute, ResultCache, Warming } from '../cache/cache.js';
import type { SandboxQuery } from '../compiler/compile.js';
import type { OutputColumn } from '../compiler/compiled-query.js';
import { bindStatement, rebindClock } from '../endpoint/bind-statement.js';
import type { Catalog } from '../endpoint/catalog.js';
import type { Endpoint } from '../endpoint/endpoint.js';
import type { Statement } from '../engine/engine.js';
import { ServiceError } from '../errors/errors.js';
import { createCheckPatterns } from './check-patterns.js';
import { chooseFormat } from './choose-format.js';
import { compileRequest } from './compile-request.js';
import { servedVersion, versionedReads } from './data-version.js';
import { createExplainEmpty } from './explain-empty.js';
import type { RunRequest } from './run-request.js';
import type { ServedData, Serving } from './serving.js';

/** Rows with their age, and how long the query took to compile. */
export interface Answer extends CachedResult {
  /** The endpoint's name. */
  readonly endpoint: string;
  /** The columns of the rows. */
  readonly columns: readonly OutputColumn[];
  readonly compileMs: number;
  /** The time that the query waited in the compile queue, in milliseconds. */
  readonly waitMs: number;
  /**
   * A note, in ASCII, on missing rows or on the likely reason for an empty answer; absent if there is nothing to say.
   */
  readonly note?: string;
}

/** Details of a failed run; `runMs` includes the time in the queue. */
export interface FailedRun {
  readonly compileMs: number;
  readonly runMs: number;
  /** The cache state that a result would have had. */
  readonly cache: CachedResult['state'];
}

/**
 * Runs a request; if its statement fails, `onFailure` is called before the promise rejects.
 * @throws ServiceError for anything a caller may see; any other error is a bug
 */
export type RunEndpoint = (
  request: RunRequest,
  onFailure?: (failed: FailedRun) => void,
) => Promise<Answer>;

/** The services that a request passes through. */
export interface Services {
  readonly catalog: Catalog;
  readonly cache: ResultCache;
  readonly serving: Serving;
  /** The time of a renewal, in the format of {@link Clock}. */
  readonly now: () => string;
}

/**
 * Creates the path of every request: find the endpoint, bind its parameters, compile, bind the values, then read the
 * cache or run.
 */
export function createRunEndpoint(services: Services): RunEndpoint {
  const { catalog, cache, serving } = services;
  const checkPatterns = createCheckPatterns();
  const explainEmpty = createExplainEmpty(catalog);

  return (request, onFailure) =>
    serving.use(async (data) => {
      const endpoint = catalog.find(request.endpoint, request.scope);
      const answer = await runEndpoint(data, endpoint, [request, onFailure]);
      const { rowCount, note: missing } = answer.result;
      const reason = rowCount > 0 ? undefined : await explainEmpty(data, endpoint, request);
      const notes = [missing, reason].filter((note) => note !== undefined);
      return notes.length === 0 ? answer : { ...answer, note: notes.join('; ') };
    });

  async function runEndpoint(data: ServedData, endpoint: Endpoint, call: Parameters<RunEndpoint>) {
    const [request, onFailure] = call;
    const { sandbox, clock, signal, caller, scope } = request;
    const format = request.format === undefined ? 'json' : chooseFormat(request.format, endpoint);
    const compiled = await compileRequest(data, { endpoint, request, checkPatterns });
    const { query, bindings, redact, compileMs, waitMs } = compiled;
    const { now, fixed: clockFixed } = clock;
    const maxRows = Math.min(endpoint.maxRows, request.maxRows ?? endpoint.maxRows);
    const statement = bindStatement(query, bindings, { maxRows, now, redact, format });
    const isRepeatable = query.isRepeatable && (clockFixed || !readsClock(statement));
    const reads = versionedReads(statement, data.engine.dialect);
    const dataVersion = servedVersion({ catalog, serving: data }, reads);
    const cacheable = {
      ...{ statement, isRepeatable, reads, dataVersion, scope: scope.key },
      ...{ clockFixed, signal, caller },
    };
    const { ttlSeconds } = endpoint.caching;
    const warming = sandbox ? undefined : rowsWarming(endpoint, services, cacheable);
    const caching = { endpoint: endpoint.name, ttlSeconds, ...(warming && { warming }) };
    const labels = { endpoint: endpoint.name, ...request.labels };
    const start = performance.now();
    try {
      const run: Compute = (stop, onStart) =>
        data.engine.run(statement, { signal: stop, caller, labels, onStart });
      const rows = await cache.read({ ...cacheable, ...caching }, run);
      return { ...rows, endpoint: endpoint.name, columns: query.columns, compileMs, waitMs };
    } catch (error) {
      const state = ttlSeconds === 0 ? 'BYPASS' : 'MISS';
      onFailure?.({ compileMs, runMs: performance.now() - start, cache: state });
      // Equal queries in SQL and LQL share a run; each caller's error names the caller's own parameter.
      throw locateIn(sandbox, error);
    }
  }
}

function readsClock({ steps = [], values }: Statement): boolean {
  return [values, ...steps.map((step) => step.values)].some((each) => 'now' in each);
}

/**
 * Returns the renewal of the rows of a stored query, if it has one. It outlives the request, so it keeps only what it
 * needs.
 */
function rowsWarming(
  { name, caching: { warmSeconds } }: Endpoint,
  services: Services,
  { statement, clockFixed, reads, dataVersion }: Omit<CacheRequest, 'endpoint' | 'ttlSeconds'>,
): Warming | undefined {
  const { serving, now } = services;
  if (warmSeconds === 0) return undefined;
  const renew: Warming['renew'] = (signal, onStart) =>
    serving.use(async ({ engine }) => {
      if (servedVersion(services, reads) !== dataVersion)
        throw new Error('the data of a renewal is no longer served');
      const current = clockFixed ? statement : rebindClock(statement, now());
      return engine.run(current, { signal, labels: { endpoint: name }, onStart });
    });
  return { warmSeconds, renew };
}

/** Sets the location to the query's parameter, because an error on the data has no line and column. */
function locateIn(sandbox: SandboxQuery | undefined, error: unknown): unknown {
  const fault = error instanceof ServiceError ? error.faults[0] : undefined;
  if (sandbox === undefined || fault?.reason !== 'invalidQuery') return error;
  return new ServiceError(fault.reason, fault.message, {
    location: sandbox.language,
    cause: error,
  });
}
