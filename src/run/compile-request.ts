import { admitSandbox } from '../endpoint/admit-sandbox.js';
import type { Endpoint } from '../endpoint/endpoint.js';
import { knownValues } from '../endpoint/known-values.js';
import { bindParameters } from '../endpoint/parameters.js';
import { bindScope } from '../endpoint/scope.js';
import type { CheckPatterns } from './check-patterns.js';
import type { RunRequest } from './run-request.js';
import type { ServedData } from './serving.js';

/** A request to a known endpoint. */
interface RequestToCompile {
  readonly endpoint: Endpoint;
  readonly request: Omit<RunRequest, 'clock' | 'endpoint'>;
  readonly checkPatterns: CheckPatterns;
  /** Whether to return the results of the compiler's stages. */
  readonly explains?: boolean;
}

/**
 * Binds a request's parameters and compiles its query.
 * @throws ServiceError for an error in the parameters or the query
 */
export async function compileRequest(
  { compiler, compile, engine }: ServedData,
  { endpoint, request, checkPatterns, explains = false }: RequestToCompile,
) {
  const { sandbox, parameters: given, signal, caller, scope } = request;
  const { parameters } = endpoint;
  admitSandbox(endpoint, sandbox);
  const redact = request.redact || endpoint.redactPii;
  const bindings = bindParameters(parameters, bindScope(parameters, given, scope));
  const labels = { endpoint: endpoint.name, ...request.labels };
  await checkPatterns(parameters, bindings, { ...request, engine, labels });
  const known = knownValues(parameters, bindings, compiler.projects);
  const options = { redact, known, signal, caller, scope: scope.key, explains };
  return { ...(await compile(endpoint, sandbox, options)), bindings, redact };
}
