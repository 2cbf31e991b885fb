import type { CachedResult, CacheRequest, Compute, ResultCache, Warming } from '../cache/cache.js';
import type { SandboxQuery } from '../compiler/compile.js';
import { type SandboxOptions, type TimedQuery, timed } from '../compiler/compile-sandbox.js';
import { admitSandbox } from '../endpoint/admit-sandbox.js';
import { bindStatement, rebindClock } from '../endpoint/bind-statement.js';
import type { Catalog } from '../endpoint/catalog.js';
import type { Endpoint } from '../endpoint/endpoint.js';
import { knownValues } from '../endpoint/known-values.js';
import { bindParameters } from '../endpoint/parameters.js';
import { bindScope, type Scope } from '../endpoint/scope.js';
import { ServiceError } from '../errors/errors.js';
import { createCheckPatterns } from './check-patterns.js';
import type { ServedData, Serving } from './serving.js';

/** What a caller asks for. */
export interface RunRequest {
  /** A name or an identifier. */
  readonly endpoint: string;
  readonly parameters: ReadonlyMap<string, string>;
  /** The names among those that were given more than once, with different values. */
  readonly conflicts?: ReadonlySet<string>;
  readonly sandbox?: SandboxQuery;
  readonly clock: Clock;
  /** Whether personal data is to be taken out; where the endpoint says so it is, whatever this is. */
  readonly redact: boolean;
  readonly signal: AbortSignal;
  /** Tells callers apart, who take turns. */
  readonly caller: string;
  /** What the caller's token may ask for. */
  readonly scope: Scope;
}

/** The instant of a request, `YYYY-MM-DDTHH:MM:SS.ffffff+00:00`, and whether somebody set it. */
export interface Clock {
  readonly now: string;
  readonly fixed: boolean;
}

/** Rows, how old they are, and how long the query took to compile. */
export interface Answer extends CachedResult {
  readonly compileMs: number;
  /** How long the query waited for its turn to compile, in milliseconds. */
  readonly waitMs: number;
}

/** What is known of a statement that failed; of the time it took, how much was waiting for its turn is not. */
export interface FailedRun {
  readonly compileMs: number;
  readonly runMs: number;
  /** Where its rows would have come from: failures are not kept. */
  readonly cache: CachedResult['state'];
}

/**
 * Answers a request; where its statement fails, `onFailure` hears of it before the caller does.
 * @throws ServiceError for whatever a caller may see; anything else is a bug
 */
export type RunEndpoint = (
  request: RunRequest,
  onFailure?: (failed: FailedRun) => void,
) => Promise<Answer>;

/** What a request meets on its way. */
export interface Services {
  readonly catalog: Catalog;
  readonly cache: ResultCache;
  readonly serving: Serving;
  /** The instant of what no request asks for, in the form of {@link Clock}. */
  readonly now: () => string;
}

/** The way of a request from its endpoint's name to its rows. */
export function createRunEndpoint(services: Services): RunEndpoint {
  const { catalog, cache, serving } = services;
  const checkPatterns = createCheckPatterns();

  return (request, onFailure) => serving.use((data) => runEndpoint(data, request, onFailure));

  async function runEndpoint(
    data: ServedData,
    request: RunRequest,
    onFailure?: (failed: FailedRun) => void,
  ): Promise<Answer> {
    const { engine, version } = data;
    const { sandbox, clock, signal, caller, scope } = request;
    const endpoint = catalog.find(request.endpoint, scope);
    admitSandbox(endpoint, sandbox);
    const redact = request.redact || endpoint.redactPii;
    const parameters = bindScope(endpoint.parameters, request.parameters, scope);
    const bindings = bindParameters(endpoint.parameters, parameters, request.conflicts);
    await checkPatterns(endpoint.parameters, bindings, { engine, signal, caller, scope });
    const known = knownValues(endpoint.parameters, bindings, data.compiler.projects);
    const options = { redact, known, signal, caller, scope: scope.key };
    const { query, compileMs, waitMs } = await compile(data, { endpoint, sandbox, options });
    const statement = bindStatement(query, bindings, {
      maxRows: endpoint.maxRows,
      now: clock.now,
      redact,
    });
    const asked = {
      ...{ statement, dataVersion: version, signal, caller },
      ...{ scope: scope.key, clockFixed: clock.fixed },
    };
    const kept = sandbox === undefined ? storedTerms(endpoint, services, asked) : termsOf(endpoint);
    const start = performance.now();
    try {
      const run: Compute = (stop, onStart) =>
        engine.run(statement, { signal: stop, caller, onStart });
      return { ...(await cache.read({ ...asked, ...kept }, run)), compileMs, waitMs };
    } catch (error) {
      const state = kept.ttlSeconds === 0 ? 'BYPASS' : 'MISS';
      onFailure?.({ compileMs, runMs: performance.now() - start, cache: state });
      // Callers who wrote one query in SQL and in LQL share its run: each is told of their own.
      throw locateIn(sandbox, error);
    }
  }
}

interface ToCompile {
  readonly endpoint: Endpoint;
  readonly sandbox: SandboxQuery | undefined;
  readonly options: SandboxOptions;
}

/** A stored query compiles on the server's thread: its text is trusted, and most often kept. */
async function compile(
  { compiler, compileSandbox }: ServedData,
  { endpoint, sandbox, options }: ToCompile,
): Promise<TimedQuery> {
  if (sandbox !== undefined) return compileSandbox(endpoint, sandbox, options);
  return timed(() => compiler.compile(endpoint, undefined, options));
}

interface Terms {
  readonly endpoint: string;
  readonly ttlSeconds: number;
  readonly warming?: Warming;
}

function termsOf({ name, caching }: Endpoint): Terms {
  return { endpoint: name, ttlSeconds: caching.ttlSeconds };
}

/** A stored query's rows may also be renewed; that lives on without the request, and holds only what is named here. */
function storedTerms(
  endpoint: Endpoint,
  { serving, now }: Services,
  asked: Pick<CacheRequest, 'statement' | 'clockFixed' | 'dataVersion'>,
): Terms {
  const { statement, clockFixed, dataVersion } = asked;
  const { warmSeconds } = endpoint.caching;
  if (warmSeconds === 0) return termsOf(endpoint);
  const renew: Warming['renew'] = (signal) =>
    serving.use(async ({ engine, version }) => {
      if (version !== dataVersion) throw new Error('the data of a renewal is gone');
      return engine.run(clockFixed ? statement : rebindClock(statement, now()), { signal });
    });
  return { ...termsOf(endpoint), warming: { warmSeconds, renew } };
}

/** A query that fails on its data has no line for it, but the parameter it came in. */
function locateIn(sandbox: SandboxQuery | undefined, error: unknown): unknown {
  const fault = error instanceof ServiceError ? error.faults[0] : undefined;
  if (sandbox === undefined || fault?.reason !== 'invalidQuery') return error;
  const place = { location: sandbox.language, cause: error };
  return new ServiceError(fault.reason, fault.message, place);
}
