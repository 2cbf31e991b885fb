import { printStages, type StageName } from '../compiler/explain.js';
import type { Endpoint } from '../endpoint/endpoint.js';
import { type Given, onlyText } from '../endpoint/given.js';
import { ServiceError } from '../errors/errors.js';
import { tableSchema } from '../types/table-schema.js';
import { createCheckPatterns } from './check-patterns.js';
import { compileRequest } from './compile-request.js';
import type { Services } from './run-endpoint.js';
import type { RunRequest } from './run-request.js';

/**
 * Compiles a request with `dry-run=true` or `explain=true` instead of running it; undefined for any other request.
 * @throws ServiceError for the errors that a run would find before its statement starts
 */
export type InspectEndpoint = ReturnType<typeof createInspectEndpoint>;

/** The result of compiling a query without running it. */
export type Inspection = NonNullable<Awaited<ReturnType<InspectEndpoint>>>;

/** The parameters with which a caller asks for an inspection, unless the endpoint declares them itself. */
const flags = ['dry-run', 'explain'] as const;

/**
 * The stages whose results reveal nothing about the stored logs. Later stages depend on how all projects' records are
 * stored, for example on whether another project exists.
 */
const storageFree: ReadonlySet<StageName> = new Set(['lql', 'parse', 'confine']);

/** Creates the inspection of a catalog's endpoints. */
export function createInspectEndpoint({ catalog, serving }: Pick<Services, 'catalog' | 'serving'>) {
  const checkPatterns = createCheckPatterns();
  return async (request: RunRequest) => {
    if (!flags.some((name) => request.parameters.has(name))) return undefined;
    return serving.use(async (data) => {
      const endpoint = catalog.find(request.endpoint, request.scope);
      const [isDryRun, explains] = flags.map((name) => readFlag(name, endpoint, request));
      if (!isDryRun && !explains) return undefined;
      const task = { endpoint, request, checkPatterns, explains: explains === true };
      const { query, stages, compileMs, waitMs } = await compileRequest(data, task);
      const isBound = request.scope.project !== undefined;
      const visible = stages?.filter(({ name }) => !isBound || storageFree.has(name));
      return {
        /** The columns of the answer. */
        schema: tableSchema(query.columns),
        /** The results of the compiler's stages, and how to print them; undefined unless they were asked for. */
        explanation: visible && { stages: visible, print: () => printStages(visible) },
        compileMs,
        /** The time that the query waited in the compile queue, in milliseconds. */
        waitMs,
      };
    });
  };
}

/** @throws ServiceError `invalid` unless it is `true`, `false` or absent */
function readFlag(
  name: (typeof flags)[number],
  { parameters: declared }: Endpoint,
  { parameters }: Pick<RunRequest, 'parameters'>,
): boolean {
  if (declared.some((one) => one.name.toLowerCase() === name)) return false;
  const given: Given = parameters.get(name) ?? '';
  const text = onlyText(given)?.toLowerCase();
  if (text === 'true') return true;
  if (text === 'false' || text === '') return false;
  const message = `Invalid value for parameter ${name}: must be true or false`;
  throw new ServiceError('invalid', message, { location: name });
}
