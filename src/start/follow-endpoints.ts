import { isDeepStrictEqual } from 'node:util';
import type { Logger } from 'pino';
import { createCompiler } from '../compiler/compile.js';
import {
  compileEndpoints,
  type EndpointFile,
  type EndpointFolder,
  type LiveCatalog,
  readEndpointFiles,
} from '../endpoint/catalog.js';
import type { Endpoint } from '../endpoint/endpoint.js';
import { printFileFault } from '../endpoint/file-fault.js';
import { SetupError } from '../errors/errors.js';
import type { Serving } from '../run/serving.js';
import { compareByName } from './compare-by-name.js';
import type { LoadedLogs } from './logs.js';
import { leastData } from './start-up.js';

/** The inputs of the refresh of endpoints. */
export interface EndpointRefreshOptions {
  readonly catalog: LiveCatalog;
  /** Returns the current folders of the endpoint files; of files with the same name, the first one counts. */
  readonly folders: (declared: LoadedLogs['declared']) => readonly EndpointFolder[];
  readonly serving: Pick<Serving, 'use'>;
  readonly log: Logger;
}

/**
 * Serves new and changed endpoint files, and no longer serves removed ones. A file with errors keeps its old version.
 * When the declared sources have changed, compiles every file again. Rejects if any file has errors, which are
 * logged.
 */
export type RefreshEndpoints = (declared: LoadedLogs['declared']) => Promise<void>;

/**
 * Creates the refresh of endpoint files that are already being served, over the sources that they were compiled for.
 */
export function createRefreshEndpoints(
  options: EndpointRefreshOptions,
  first: LoadedLogs['declared'],
): RefreshEndpoints {
  const { log } = options;
  const update = createUpdate(options);
  let problems: readonly string[] = [];
  let last = first;
  return async (declared) => {
    const again = declared !== last || problems.length > 0;
    const now = await update(again, declared).catch(setupProblems);
    last = declared;
    for (const problem of now) if (!problems.includes(problem)) log.error({ problem }, 'endpoints');
    if (problems.length > 0 && now.length === 0) log.info('the endpoint files have no errors');
    problems = now;
    if (now.length > 0) throw new SetupError(now);
  };
}

/** @throws any error that is not about the files */
function setupProblems(error: unknown): readonly string[] {
  if (error instanceof SetupError) return error.lines;
  throw error;
}

/** Updates the catalog if the files have changed, or always when `again` is true; returns the faults, a line each. */
function createUpdate({ catalog, folders, serving, log }: EndpointRefreshOptions) {
  let last = joinTexts(catalog.endpoints.map(({ file, sql }) => ({ file, text: sql })));
  return (again: boolean, declared: LoadedLogs['declared']): Promise<readonly string[]> =>
    serving.use(async ({ compiler, sources }) => {
      const { files } = readEndpointFiles(folders(declared));
      if (!again && joinTexts(files) === last) return [];
      const others = leastData({ declared, sources }).map((each) => createCompiler(each));
      const compiled = compileEndpoints(files, compiler, others);
      const { endpoints } = compiled;
      const faults = compiled.faults.filter(({ isOfLogs }) => !isOfLogs);
      for (const fault of compiled.faults.filter(({ isOfLogs }) => isOfLogs)) {
        log.warn({ problem: printFileFault(fault) }, 'endpoints');
      }
      const faulty = new Set(faults.map(({ file }) => file));
      const next = files.flatMap(({ file }) =>
        (faulty.has(file) ? catalog.endpoints : endpoints).filter((one) => one.file === file),
      );
      const shared = sharedIds(next);
      if (shared.length === 0) replace(catalog, next, log);
      last = joinTexts(files);
      return [...faults.map(printFileFault), ...shared];
    });
}

/** Joins the files in order of their names. */
function joinTexts(files: readonly EndpointFile[]): string {
  return JSON.stringify(files.map(({ file, text }) => [file, text]).sort());
}

/**
 * Returns the ids of several endpoints: the new version of one file may have the id that the old version of another,
 * with errors, still has.
 */
function sharedIds(endpoints: readonly Endpoint[]): readonly string[] {
  return endpoints.flatMap(({ id, file }, index) => {
    const first = endpoints.slice(0, index).find((other) => other.id === id)?.file;
    return first === undefined ? [] : [`${file}: id ${id} is also the id of ${first} as served`];
  });
}

function replace(catalog: LiveCatalog, next: readonly Endpoint[], log: Logger): void {
  const isSame = (one: Endpoint, other: Endpoint) =>
    one.sql === other.sql && isDeepStrictEqual(one.reads, other.reads);
  const changes = compareByName(catalog.endpoints, next, isSame);
  if (Object.values(changes).every((names) => names.length === 0)) return;
  catalog.replace(next);
  log.info(changes, 'endpoints');
}
