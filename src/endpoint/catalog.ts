import { isUtf8 } from 'node:buffer';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Compiler } from '../compiler/compile.js';
import { lex, type Token } from '../compiler/syntax/lex.js';
import { ServiceError, SetupError, shortName, withSetupError } from '../errors/errors.js';
import { QueryFault } from '../errors/query-fault.js';
import { didYouMean } from '../errors/suggest.js';
import { digestText } from '../process/digest.js';
import type { Endpoint } from './endpoint.js';
import { type FileFault, printFileFault } from './file-fault.js';
import { type ParsedEndpoint, parseEndpoint, uuidForm } from './parse-endpoint.js';
import { type CallerScope, unbound } from './scope.js';

/** The endpoints of the service. */
export type Catalog = Omit<LiveCatalog, 'replace'>;

/** A catalog whose endpoints can be replaced. */
export type LiveCatalog = ReturnType<typeof createCatalog>;

/** A folder of endpoint files, or the contents of such files by name. */
export type EndpointFolder =
  | string
  | { readonly where: string; readonly endpoints: ReadonlyMap<string, string> };

/** An endpoint file as it was read. */
export interface EndpointFile {
  /** Its base name. */
  readonly file: string;
  /** Undefined if the file is not UTF-8. */
  readonly text: string | undefined;
}

/**
 * Reads and compiles every `.sql` file of the folders. `others` compile over schemas with fewer of the logged fields
 * and types; the last one has most of the names. If an endpoint compiles over one of them, the logs cause its errors.
 * @throws SetupError if a folder cannot be read or has no such file
 */
export function readEndpoints(
  folders: readonly EndpointFolder[],
  compiler: Compiler,
  others: readonly Compiler[] = [],
) {
  const read = readEndpointFiles(folders);
  const [empty] = folders.filter((folder) => listFiles(folder).length === 0);
  if (typeof empty === 'string') throw new SetupError([`No endpoint file (*.sql) in ${empty}`]);
  return { ...read, ...compileEndpoints(read.files, compiler, others) };
}

/**
 * Parses and compiles endpoint files, as {@link readEndpoints} does. The faults are in order of file, line and column;
 * an endpoint whose file has some must not run.
 */
export function compileEndpoints(
  files: readonly EndpointFile[],
  compiler: Compiler,
  others: readonly Compiler[] = [],
) {
  const parsed = files.flatMap(({ file, text }) =>
    text === undefined ? [] : [parseEndpoint(file, text)],
  );
  const all = parsed.map(({ endpoint }) => endpoint);
  const checked = parsed.map((one) => {
    const { reads, faults } = checkEndpoint(one, all, [compiler, ...others]);
    return withReads({ ...one, faults: [...one.faults, ...faults] }, reads, all);
  });
  const own = distinct([
    ...files
      .filter(({ text }) => text === undefined)
      .map(({ file }) => ({ file, line: 1, column: 1, message: 'the file is not UTF-8' })),
    ...checked.flatMap((one) => [...one.faults, ...unusedParameters(one)]),
    ...sharedIds(parsed),
  ]);
  const faults = [...own, ...faultsOfReads(checked, own)];
  return {
    endpoints: checked.map(({ endpoint }): Endpoint => {
      return { ...endpoint, sandbox: endpoint.sandbox && compiler.takesQueries };
    }),
    faults: faults.toSorted(
      (one, other) =>
        one.file.localeCompare(other.file) || one.line - other.line || one.column - other.column,
    ),
  };
}

/**
 * Reads every `.sql` file of the folders. If several folders have a file of the same name, the first folder wins; a
 * warning names both.
 * @throws SetupError if a folder cannot be read
 */
export function readEndpointFiles(folders: readonly EndpointFolder[]) {
  const winners = new Map<string, EndpointFolder>();
  const warnings: string[] = [];
  for (const folder of folders) {
    for (const file of listFiles(folder)) {
      const first = winners.get(file);
      if (first === undefined) winners.set(file, folder);
      // No warning for a preset, which is chosen to replace endpoints.
      else if (typeof first === 'string')
        warnings.push(`${filePlace(first, file)} replaces ${filePlace(folder, file)}`);
    }
  }
  const files = [...winners].map(([file, folder]): EndpointFile => {
    return { file, text: readText(folder, file) };
  });
  return { files, warnings };
}

/**
 * Reads the catalog of the folders, and the warnings of {@link readEndpoints}. An endpoint that does not compile
 * because of the logs is another warning: only its own requests fail.
 * @throws SetupError with all other errors of all files, one line each: `file:line:column: message`
 */
export function openCatalog(
  folders: readonly EndpointFolder[],
  compiler: Compiler,
  others: readonly Compiler[] = [],
): { readonly catalog: LiveCatalog; readonly warnings: readonly string[] } {
  const { endpoints, faults, warnings } = readEndpoints(folders, compiler, others);
  const own = faults.filter(({ isOfLogs }) => !isOfLogs);
  if (own.length > 0) throw new SetupError(own.map(printFileFault));
  return {
    catalog: createCatalog(endpoints),
    warnings: [...warnings, ...faults.map(printFileFault)],
  };
}

/** Creates a catalog of endpoints without errors. */
export function createCatalog(first: readonly Endpoint[]) {
  let now = createIndex(first);
  const lookUp = (nameOrId: string) =>
    uuidForm.test(nameOrId) ? now.byId.get(nameOrId.toLowerCase()) : now.byName.get(nameOrId);
  return {
    get endpoints(): readonly Endpoint[] {
      return now.endpoints;
    },
    /** A version that differs for every set of endpoint files. */
    get version(): string {
      return now.version;
    },
    /**
     * Finds an endpoint by its identifier (if `nameOrId` is a UUID, ignoring case) or by its name.
     * Endpoints out of scope do not exist, not even in suggestions.
     * @throws ServiceError `notFound`, suggesting the nearest name
     */
    find(nameOrId: string, { endpoints: within }: CallerScope = unbound): Endpoint {
      const found = lookUp(nameOrId);
      const exists = (name: string) => within === undefined || within.has(name);
      if (found !== undefined && exists(found.name)) return found;
      const hint = didYouMean(nameOrId, [...now.byName.keys()].filter(exists));
      throw new ServiceError('notFound', `Endpoint not found: ${shortName(nameOrId)}${hint}`);
    },
    /** Returns the name of an endpoint by its identifier or name; undefined if there is none. */
    findName: (nameOrId: string) => lookUp(nameOrId)?.name,
    replace(endpoints: readonly Endpoint[]): void {
      now = createIndex(endpoints);
    },
  };
}

function createIndex(endpoints: readonly Endpoint[]) {
  return {
    endpoints,
    version: digestText(JSON.stringify(endpoints)),
    byId: new Map(endpoints.map((endpoint) => [endpoint.id, endpoint])),
    byName: new Map(endpoints.map((endpoint) => [endpoint.name, endpoint])),
  };
}

/** Lists the names of the endpoint files in a folder, in order. */
function listFiles(folder: EndpointFolder): readonly string[] {
  if (typeof folder !== 'string') return [...folder.endpoints.keys()];
  return withSetupError(unreadable(folder), () =>
    readdirSync(folder)
      .filter((file) => file.endsWith('.sql'))
      .sort(),
  );
}

const unreadable = (folder: string) => `Cannot read the folder of endpoint files ${folder}`;

function filePlace(folder: EndpointFolder, file: string): string {
  return typeof folder === 'string' ? join(folder, file) : `${file} of ${folder.where}`;
}

function readText(folder: EndpointFolder, file: string): string | undefined {
  if (typeof folder !== 'string') return folder.endpoints.get(file);
  const bytes = withSetupError(unreadable(folder), () => readFileSync(join(folder, file)));
  // TextDecoder also removes the byte order mark that some editors write.
  return isUtf8(bytes) ? new TextDecoder().decode(bytes) : undefined;
}

/**
 * Separates an endpoint's own errors from errors that the logs cause. If it compiles over none of the other schemas,
 * its own errors are those over the last one, which has no logged types that could hide them.
 */
function checkEndpoint(
  { endpoint, compilable }: ParsedEndpoint,
  reads: readonly Endpoint[],
  [compiler, ...others]: readonly [Compiler, ...Compiler[]],
) {
  if (!compilable) return { reads: [], faults: [] };
  const first = checkOver({ ...endpoint, reads }, compiler);
  if (first.faults.length === 0 || others.length === 0) return first;
  const found = others.map((other) => checkOver({ ...endpoint, reads }, other));
  const good = found.find(({ faults }) => faults.length === 0);
  const own = good?.faults ?? found.at(-1)?.faults ?? [];
  const places = new Set(own.map(placeOfFault));
  const shown = first.faults.map(
    (fault): FileFault =>
      places.delete(placeOfFault(fault)) ? fault : { ...fault, isOfLogs: true },
  );
  shown.push(...own.filter((fault) => places.has(placeOfFault(fault))));
  return { reads: (good ?? first).reads, faults: shown };
}

function placeOfFault({ file, line, column }: FileFault): string {
  return `${file}:${line}:${column}`;
}

/** Removes duplicates: a fault of an endpoint is also found in every endpoint that reads it. */
function distinct(faults: readonly FileFault[]): readonly FileFault[] {
  return [...new Map(faults.map((fault) => [JSON.stringify(fault), fault])).values()];
}

/** Adds to an endpoint the endpoints that it reads, and redaction if one of them redacts. */
function withReads(
  { endpoint, ...parsed }: ParsedEndpoint,
  names: readonly string[],
  all: readonly Endpoint[],
): ParsedEndpoint {
  const others = all.filter(({ name }) => names.includes(name) && name !== endpoint.name);
  if (others.length === 0) return { ...parsed, endpoint };
  const reads = others.map(({ name, sql, allSources = false, parameters }) => {
    return { name, sql, allSources, parameters };
  });
  const redactPii = endpoint.redactPii || others.some((other) => other.redactPii);
  return { ...parsed, endpoint: { ...endpoint, reads, redactPii } };
}

/** Returns a fault for each endpoint that has none itself, but reads one with faults: neither may run. */
function faultsOfReads(
  checked: readonly ParsedEndpoint[],
  faults: readonly FileFault[],
): readonly FileFault[] {
  const faulty = new Set(faults.flatMap(({ file, isOfLogs }) => (isOfLogs ? [] : file)));
  return checked.flatMap(({ endpoint: { file, reads = [] } }) => {
    const first = reads.find(({ name }) => faulty.has(`${name}.sql`));
    if (first === undefined || faulty.has(file)) return [];
    const message = `${first.name}.sql, which it reads, has errors`;
    return [{ file, line: 1, column: 1, message }];
  });
}

/** Compiles an endpoint: returns the names of the endpoints that it reads, or its faults with their positions. */
function checkOver(endpoint: Endpoint, compiler: Compiler) {
  try {
    return { reads: compiler.check(endpoint), faults: [] };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    // The printed line begins with file and position, so remove ` in FILE at [line:column]` from the message.
    const faults = error.faults.map(({ file, line = 1, column = 1, message }) => ({
      file: file ?? endpoint.file,
      line,
      column,
      message: message.replace(file ? / in \S+ at \[\d+:\d+\]$/ : / at \[\d+:\d+\]$/, ''),
    }));
    // Its reads are unknown: assume all names in it.
    const named = tryLex(endpoint.sql)?.map(({ value }) => value) ?? [];
    return { reads: [...faults.map(({ file }) => file.replace(/\.sql$/, '')), ...named], faults };
  }
}

function unusedParameters({ endpoint, parameterLines }: ParsedEndpoint): readonly FileFault[] {
  const { file, parameters, sql, reads = [] } = endpoint;
  // Taken from the text rather than from the compiled query, because a CTE and its parameters may be used only by
  // callers.
  const tokens = tryLex([sql, ...reads.map((one) => one.sql)].join('\n'));
  const read = tokens?.filter(({ kind }) => kind === 'parameter');
  const used = new Set(read?.map(({ value }) => value.toLowerCase()));
  return parameters.flatMap(({ name }, index) => {
    if (read === undefined || used.has(name.toLowerCase())) return [];
    const message = `parameter declared but not used: @${name}`;
    return [{ file, line: parameterLines[index] ?? 1, column: 4, message }];
  });
}

/** Returns the tokens of SQL; undefined if it has a syntax error. */
function tryLex(sql: string): readonly Token[] | undefined {
  try {
    return lex(sql);
  } catch (error) {
    // The compiler reports the error.
    if (error instanceof QueryFault) return undefined;
    throw error;
  }
}

function sharedIds(parsed: readonly ParsedEndpoint[]): readonly FileFault[] {
  const firsts = new Map<string, string>();
  return parsed.flatMap(({ endpoint: { id, file }, idLine }) => {
    const first = firsts.get(id);
    firsts.set(id, first ?? file);
    if (id === '' || first === undefined) return [];
    return [{ file, line: idLine, column: 4, message: `id ${id} is also the id of ${first}` }];
  });
}
