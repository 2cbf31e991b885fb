import { admitSandbox } from './endpoint/admit-sandbox.js';
import { bindStatement } from './endpoint/bind-statement.js';
import type { Catalog } from './endpoint/catalog.js';
import { createCheckPatterns } from './endpoint/check-patterns.js';
import { bindParameters } from './endpoint/parameters.js';
import type { Engine } from './engine/engine.js';
import { ServiceError } from './errors.js';
import type { Compiler, SandboxQuery } from './query/compile.js';
import type { CachedResult, ResultCache } from './result/cache.js';

/** What a caller asks for. */
export interface RunRequest {
  /** A name or an identifier. */
  readonly endpoint: string;
  readonly parameters: ReadonlyMap<string, string>;
  readonly sandbox?: SandboxQuery;
  readonly clock: Clock;
  /** Whether personal data is to be taken out; where the endpoint says so it is, whatever this is. */
  readonly redact: boolean;
  readonly signal: AbortSignal;
  /** Tells callers apart, who take turns. */
  readonly caller: string;
}

/** The instant of a request, `YYYY-MM-DDTHH:MM:SS.ffffff+00:00`, and whether somebody set it. */
export interface Clock {
  readonly now: string;
  readonly fixed: boolean;
}

/** Rows, how old they are, and how long the query took to compile. */
export interface Answer extends CachedResult {
  readonly compileMs: number;
}

/**
 * Answers a request.
 * @throws ServiceError for whatever a caller may see; anything else is a bug
 */
export type RunEndpoint = (request: RunRequest) => Promise<Answer>;

/** What a request meets on its way. */
export interface Services {
  readonly catalog: Catalog;
  readonly compiler: Compiler;
  readonly cache: ResultCache;
  readonly engine: Engine;
  /** Changes with the data under the sources. */
  readonly dataVersion: string;
}

/** The way of a request from its endpoint's name to its rows. */
export function createRunEndpoint(services: Services): RunEndpoint {
  const { catalog, compiler, cache, engine, dataVersion } = services;
  const checkPatterns = createCheckPatterns(engine);

  return async function runEndpoint({ parameters, sandbox, clock, signal, caller, ...request }) {
    const endpoint = catalog.find(request.endpoint);
    admitSandbox(endpoint, sandbox);
    const redact = request.redact || endpoint.redactPii;
    const bindings = bindParameters(endpoint.parameters, parameters);
    await checkPatterns(endpoint.parameters, bindings, { signal, caller });
    const [query, compileMs] = timed(() => compiler.compile(endpoint, sandbox, { redact }));
    const statement = bindStatement(query, bindings, {
      maxRows: endpoint.maxRows,
      now: clock.now,
      redact,
    });
    const { ttlSeconds } = endpoint.caching;
    const cached = await cache.read(
      { statement, ttlSeconds, clockFixed: clock.fixed, dataVersion, signal },
      (stop) => engine.run(statement, { signal: stop, caller }).catch(locateIn(sandbox)),
    );
    return { ...cached, compileMs };
  };
}

/** A query that fails on its data has no line for it, but the parameter it came in. */
function locateIn(sandbox: SandboxQuery | undefined): (error: unknown) => never {
  return (error) => {
    const fault = error instanceof ServiceError ? error.faults[0] : undefined;
    if (sandbox === undefined || fault?.reason !== 'invalidQuery') throw error;
    throw new ServiceError(fault.reason, fault.message, {
      location: sandbox.language,
      cause: error,
    });
  };
}

function timed<T>(work: () => T): readonly [T, number] {
  const start = performance.now();
  const value = work();
  return [value, performance.now() - start];
}
