import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ServiceError, SetupError } from '../errors.js';
import type { Compiler } from '../query/compile.js';
import { lex } from '../query/lex.js';
import { didYouMean } from '../query/suggest.js';
import type { Endpoint } from './endpoint.js';
import { type FileFault, printFileFault } from './file-fault.js';
import { type ParsedEndpoint, parseEndpoint, uuidForm } from './parse-endpoint.js';

/** All stored queries. */
export interface Catalog {
  readonly endpoints: readonly Endpoint[];
  /**
   * The endpoint of an identifier (where the text is a UUID, in any letter case) or of a name.
   * @throws ServiceError `notFound`, with the name nearest to it
   */
  find(nameOrId: string): Endpoint;
}

/** The endpoints of a folder, and everything that is wrong with them. */
export interface EndpointFiles {
  readonly endpoints: readonly Endpoint[];
  /** In order of file, line and column. Where there are any, no endpoint may be run. */
  readonly faults: readonly FileFault[];
}

/**
 * Reads every `.sql` file of a folder and compiles it.
 * @throws SetupError where the folder cannot be read or has no such file
 */
export function readEndpoints(folder: string, compiler: Compiler): EndpointFiles {
  const parsed = readFiles(folder).map(({ file, text }) => parseEndpoint(file, text));
  if (parsed.length === 0) throw new SetupError([`No endpoint file (*.sql) in ${folder}`]);
  const faults = [
    ...parsed.flatMap((one) => [...one.faults, ...compileFaults(one, compiler)]),
    ...sharedFaults(parsed, 'id'),
    ...sharedFaults(parsed, 'name'),
  ];
  return {
    endpoints: parsed.map(({ endpoint }) => endpoint),
    faults: faults.toSorted(inOrder),
  };
}

/**
 * The catalog of a folder.
 * @throws SetupError with every fault of every file, a line each: `file:line:column: message`
 */
export function openCatalog(folder: string, compiler: Compiler): Catalog {
  const { endpoints, faults } = readEndpoints(folder, compiler);
  if (faults.length > 0) throw new SetupError(faults.map(printFileFault));
  return createCatalog(endpoints);
}

/** A catalog of endpoints that are known to be good. */
export function createCatalog(endpoints: readonly Endpoint[]): Catalog {
  const byId = new Map(endpoints.map((endpoint) => [endpoint.id, endpoint]));
  const byName = new Map(endpoints.map((endpoint) => [endpoint.name, endpoint]));
  return {
    endpoints,
    find(nameOrId) {
      const found = uuidForm.test(nameOrId)
        ? byId.get(nameOrId.toLowerCase())
        : byName.get(nameOrId);
      if (found === undefined) throw notFound(nameOrId, [...byName.keys()]);
      return found;
    },
  };
}

function notFound(asked: string, names: readonly string[]): ServiceError {
  // A longer text is nobody's slip of the keyboard, and comparing it costs its length.
  const hint = asked.length > 100 ? '' : didYouMean(asked, names);
  return new ServiceError('notFound', `Endpoint not found: ${asked.slice(0, 100)}${hint}`);
}

function readFiles(folder: string): readonly { file: string; text: string }[] {
  try {
    const files = readdirSync(folder).filter((file) => file.endsWith('.sql'));
    return files.sort().map((file) => ({ file, text: readFileSync(join(folder, file), 'utf8') }));
  } catch (error) {
    throw new SetupError([`Cannot read the endpoints' folder ${folder}: ${reason(error)}`]);
  }
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function compileFaults(parsed: ParsedEndpoint, compiler: Compiler): readonly FileFault[] {
  const { endpoint, parameterLines, compilable } = parsed;
  const { file, parameters } = endpoint;
  if (!compilable) return [];
  try {
    compiler.compile(endpoint);
    const used = parametersRead(endpoint.sql);
    return parameters.flatMap(({ name }, index) => {
      const message = `parameter declared but not used: @${name}`;
      return used.has(name.toLowerCase())
        ? []
        : [{ file, line: parameterLines[index] ?? 1, column: 4, message }];
    });
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return error.faults.map(({ line = 1, column = 1, message }) => ({
      file,
      line,
      column,
      message,
    }));
  }
}

// By the text and not by what was compiled: only a caller's query may read a CTE, and with it a parameter.
function parametersRead(sql: string): ReadonlySet<string> {
  const tokens = lex(sql).filter(({ kind }) => kind === 'parameter');
  return new Set(tokens.map(({ value }) => value.toLowerCase()));
}

function sharedFaults(parsed: readonly ParsedEndpoint[], key: 'id' | 'name'): readonly FileFault[] {
  const firsts = new Map<string, string>();
  return parsed.flatMap(({ endpoint }) => {
    const { file } = endpoint;
    const value = endpoint[key];
    const first = firsts.get(value);
    firsts.set(value, first ?? file);
    if (value === '' || first === undefined) return [];
    return [{ file, line: 1, column: 1, message: `${key} ${value} is also that of ${first}` }];
  });
}

function inOrder(left: FileFault, right: FileFault): number {
  return (
    left.file.localeCompare(right.file) || left.line - right.line || left.column - right.column
  );
}
