import { compileTraced, type TimedQuery, timed } from '../compiler/compile-sandbox.js';
import { admitSandbox } from '../endpoint/admit-sandbox.js';
import type { Bindings, Endpoint } from '../endpoint/endpoint.js';
import { knownValues } from '../endpoint/known-values.js';
import { bindParameters } from '../endpoint/parameters.js';
import { bindScope } from '../endpoint/scope.js';
import type { CheckPatterns } from './check-patterns.js';
import type { RunRequest } from './run-request.js';
import type { ServedData } from './serving.js';

/** A request to an endpoint that has been found. */
interface RequestToCompile {
  readonly endpoint: Endpoint;
  readonly request: Omit<RunRequest, 'clock' | 'endpoint'>;
  readonly checkPatterns: CheckPatterns;
  /** Whether the results of the compiler's stages are wanted. */
  readonly explains?: boolean;
}

/** A compiled request. */
interface CompiledRequest extends TimedQuery {
  readonly bindings: Bindings;
  readonly redact: boolean;
}

/**
 * Binds a request's parameters and compiles its query. Stored queries compile on the server's thread: they are trusted,
 * and usually compiled already. To explain one takes as long as the first time each time, so that is done in the caller's
 * turn.
 * @throws ServiceError for a fault in the parameters or the query
 */
export async function compileRequest(
  { compiler, compileSandbox, engine }: ServedData,
  { endpoint, request, checkPatterns, explains = false }: RequestToCompile,
): Promise<CompiledRequest> {
  const { sandbox, parameters: given, signal, caller, scope } = request;
  const { parameters } = endpoint;
  admitSandbox(endpoint, sandbox);
  const redact = request.redact || endpoint.redactPii;
  const bindings = bindParameters(parameters, bindScope(parameters, given, scope));
  const labels = { endpoint: endpoint.name, ...request.labels };
  await checkPatterns(parameters, bindings, { ...request, engine, labels });
  const known = knownValues(parameters, bindings, compiler.projects);
  const options = { redact, known, signal, caller, scope: scope.key, explains };
  const compiled =
    sandbox === undefined && !explains
      ? timed(() => compileTraced(compiler, { endpoint, sandbox, options }))
      : await compileSandbox(endpoint, sandbox, options);
  return { ...compiled, bindings, redact };
}
