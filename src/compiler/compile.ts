import { QueryFault } from '../errors/query-fault.js';
import type { SourceSchema } from '../types/schema.js';
import { aliasesIn } from './add-source-ctes.js';
import type * as bound from './bound/bound.js';
import { mapQueries } from './bound/map-expression.js';
import { isRepeatable } from './bound/search.js';
import type { CompiledQuery, DescribedQuery, DescribedTable } from './compiled-query.js';
import { type Parts, splitSources, viewsOfParts } from './duckdb-sql/passes/parts.js';
import { applyPasses } from './duckdb-sql/passes/passes.js';
import { createTrace, type ExplainedQuery, type Trace } from './explain.js';
import { lower } from './lower/lower.js';
import { parseLql } from './lql/lql.js';
import type { LqlScope } from './lql/lql-scope.js';
import { lqlToTree } from './lql/lql-to-tree.js';
import type { Lql } from './lql/lql-tree.js';
import { typesByName } from './parameter-types.js';
import { printPlan } from './print-plan.js';
import { keepRead, tablesNamed, tablesOfBody } from './read-ctes.js';
import { endpointFinder, parseStored, type Reader } from './read-endpoints.js';
import { readableTables } from './readable-tables.js';
import { nameOutput } from './resolve/name-output.js';
import { type Resolved, resolve } from './resolve/resolve.js';
import { completeOrders } from './rewrite/complete-orders.js';
import { type KnownValues, noKnownValues } from './rewrite/fold-constants.js';
import { countLiteral, standaloneCte } from './rewrite/gather.js';
import { newestRowsQuery } from './rewrite/newest-rows.js';
import { holdsOwnRows } from './rewrite/own-project.js';
import { rewrite } from './rewrite/rewrite.js';
import { split } from './rewrite/split.js';
import { confine } from './sandbox/sandbox.js';
import { parse } from './syntax/syntax.js';
import type { Query } from './syntax/tree.js';
import { withPositions } from './with-positions.js';

/** A caller's own query over an endpoint's CTEs. */
export interface SandboxQuery {
  readonly language: 'sql' | 'lql';
  readonly text: string;
}

/** The parts of an endpoint that its queries are compiled from. */
export interface StoredQuery extends Reader {
  readonly maxRows: number;
}

/** The options of compiling a query. */
export interface CompileOptions {
  /** Whether personal data is redacted, both in what a caller's query reads and in every answer. */
  readonly redact: boolean;
  /** The known properties of the parameters' values. Branches that they rule out are not compiled. */
  readonly known?: KnownValues;
}

/** Compiles stored queries, and callers' queries over their CTEs. */
export interface Compiler {
  /** The projects that are the only project of some source: if a parameter is known to be one, no gather is needed. */
  readonly projects: ReadonlySet<string>;
  /** Whether callers may send their own queries, if an endpoint allows it. */
  readonly takesQueries: boolean;
  /**
   * @throws ServiceError `invalidQuery`, `accessDenied` or `resourcesExceeded`, with line and column;
   * `location` is `sql` or `lql` if the error is in the caller's query
   */
  compile(endpoint: StoredQuery, sandbox?: SandboxQuery, options?: CompileOptions): CompiledQuery;
  /** Compiles a query, and keeps the result of each stage; throws as `compile` does. */
  explain(endpoint: StoredQuery, sandbox?: SandboxQuery, options?: CompileOptions): ExplainedQuery;
  /**
   * The columns of a stored query and of its CTEs; empty for each that does not compile with these sources.
   * @throws ServiceError `invalidQuery` if the SQL is not a query
   */
  describe(endpoint: StoredQuery): DescribedQuery;
  /**
   * Compiles a stored query and each of its CTEs, also those that only callers' queries read, so that
   * their faults are found before a caller meets them; throws as `compile` does. Returns the names of the endpoints
   * that it reads, directly or through others.
   */
  check(endpoint: StoredQuery): readonly string[];
}

/** The options of a compiler. */
export interface CompilerOptions {
  /** Set for queries that run on an engine other than DuckDB. */
  readonly target?: CompilerTarget | undefined;
}

/** An engine other than DuckDB. */
export interface CompilerTarget {
  readonly options: TargetOptions;
  /** Compiles a rewritten statement. */
  compile(statement: ResolvedStatement, redact: boolean): CompiledQuery;
}

/** The options of a target, with which another process can open it, too. */
export interface TargetOptions {
  /** The path of the sources' tables, with `{source}` in place of a source's name: `project.dataset.{source}`. */
  readonly tables: string;
  /** Whether callers may send their own queries. */
  readonly sandbox: boolean;
}

const withoutOptions: CompileOptions = { redact: false };

/** Creates a compiler over these sources. */
export function createCompiler(
  sources: readonly SourceSchema[],
  { target }: CompilerOptions = {},
): Compiler {
  const schemas: Schemas = {
    target,
    sources: new Map(sources.map((source) => [source.name.toLowerCase(), source])),
    parts: splitSources(sources),
  };
  return {
    projects: new Set(sources.flatMap(({ onlyProject = [] }) => onlyProject)),
    takesQueries: target?.options.sandbox ?? true,
    compile: (endpoint, sandbox, { redact, known = noKnownValues } = withoutOptions) =>
      compileText({ endpoint, sandbox }, { redact, known }, schemas),
    explain(endpoint, sandbox, { redact, known = noKnownValues } = withoutOptions) {
      const trace = createTrace();
      const query = compileText({ endpoint, sandbox }, { redact, known, trace }, schemas);
      return { query, stages: trace.stages };
    },
    describe: (endpoint) => withPositions({ endpoint }, () => describeStored(endpoint, schemas)),
    check: (endpoint) => checkCtes(endpoint, schemas),
  };
}

/** The properties of the stored data that the stages use. */
interface Schemas {
  /** By their names in lower case. */
  readonly sources: ReadonlyMap<string, SourceSchema>;
  readonly parts: Parts;
  readonly target: CompilerTarget | undefined;
}

/** A resolved stored query, and the names of the endpoints that it reads. */
type ResolvedStored = Resolved & { readonly reads: readonly string[] };

/** A query to compile: the endpoint's own, or a caller's over its CTEs. */
interface CompileRequest {
  readonly endpoint: StoredQuery;
  readonly sandbox?: SandboxQuery | undefined;
}

interface StageOptions extends Required<CompileOptions> {
  /** Receives the results of the stages, which then do not come from a cache. */
  readonly trace?: Trace | undefined;
}

/** Runs all stages: parse -> confine -> resolve -> rewrite -> split -> lower -> passes -> print. */
function compileText(
  request: CompileRequest,
  options: StageOptions,
  schemas: Schemas,
): CompiledQuery {
  return withPositions(request, () => {
    const statement =
      request.sandbox === undefined
        ? resolveStored(request, options, schemas)
        : resolveSandbox(request.sandbox, request, { ...options, schemas });
    return compileStatement(statement, options, schemas);
  });
}

/** A resolved statement of an endpoint. */
export interface ResolvedStatement extends Resolved {
  readonly endpoint: StoredQuery;
  /** The CTEs of the endpoint that a caller's query may read; undefined for a stored query. */
  readonly stored?: readonly bound.Cte[];
  /** The stored CTEs that are read in place instead of gathered, because all their rows are the caller's own. */
  readonly inPlace: readonly bound.Cte[];
}

/** A stored query, without the CTEs that only callers read: parse -> resolve. */
function resolveStored(
  { endpoint }: CompileRequest,
  { trace }: Pick<StageOptions, 'trace'>,
  schemas: Schemas,
): ResolvedStatement {
  const tree = parseStored(endpoint, schemas);
  trace?.parsed(tree);
  const named = resolveTree(endpoint, keepRead(tree, tablesOfBody(tree)), schemas);
  trace?.resolved(named.query);
  return { ...named, endpoint, inPlace: [] };
}

/** Resolves the stored query, or only the CTEs and the body that `tree` contains. */
function resolveTree(endpoint: StoredQuery, tree: Query, { sources }: Schemas): ResolvedStored {
  const found = new Set<string>();
  const findEndpoint = endpointFinder(endpoint, { sources, found });
  const parameters = typesByName(endpoint.parameters);
  const { query, nextId } = resolve(tree, { sources, findEndpoint, parameters, ctes: [] });
  return { query: nameOutput(query), nextId, reads: [...found] };
}

/** A body that reads nothing, so that only the CTEs before it are resolved. */
const noBody = parse('select 1').body;

/** Resolves the CTEs of a stored query that are read under these names. */
function resolveEndpointCtes(endpoint: StoredQuery, names: ReadonlySet<string>, schemas: Schemas) {
  const { ctes, at } = keepRead(parseStored(endpoint, schemas), names);
  const tree: Query = { kind: 'query', ctes, body: noBody, orderBy: [], at };
  return resolveTree(endpoint, tree, schemas);
}

function describeStored(endpoint: StoredQuery, schemas: Schemas): DescribedQuery {
  const tree = parseStored(endpoint, schemas);
  const aliases = aliasesIn(tree);
  const tables = tree.ctes.map(({ name: { name } }): DescribedTable => {
    const read = () => resolveEndpointCtes(endpoint, new Set([name.toLowerCase()]), schemas).query;
    const columns = orEmpty(() => readableTables(read()).tables.at(-1)?.columns ?? []);
    const aliasOf = aliases.get(name);
    return { name, columns, ...(aliasOf !== undefined && { aliasOf }) };
  });
  return { columns: orEmpty(() => resolveStored({ endpoint }, {}, schemas).query.columns), tables };
}

/** Returns the result of `read`, or an empty list if it throws a QueryFault. */
function orEmpty<T>(read: () => readonly T[]): readonly T[] {
  try {
    return read();
  } catch (fault) {
    if (fault instanceof QueryFault) return [];
    throw fault;
  }
}

/** Resolves a caller's query: parse -> confine -> resolve. */
function resolveSandbox(
  sandbox: SandboxQuery,
  { endpoint }: CompileRequest,
  { redact, known, trace, schemas }: StageOptions & { readonly schemas: Schemas },
): ResolvedStatement {
  const tables = parseStored(endpoint, schemas).ctes.map(({ name }) => name.name);
  const parameters = typesByName(endpoint.parameters);
  const parsed = parseSandbox(sandbox, { endpoint, tables }, { trace, schemas });
  const tree = confine(parsed, { tables, parameters });
  const { query: stored, nextId: firstId } = withPositions({ endpoint }, () =>
    resolveEndpointCtes(endpoint, tablesNamed(tree), schemas),
  );
  const { ctes } = stored;
  trace?.confined(tree, ctes);
  const { query, nextId } = resolve(tree, { sources: undefined, parameters, ctes, firstId });
  const own = nameOutput(query);
  trace?.resolved(own);
  const inPlace = redact ? [] : ctes.filter((cte) => holdsOwnRows(cte.query, known));
  const whole = { ...own, ctes: [...ctes, ...own.ctes] };
  return { query: whole, nextId, endpoint, stored: ctes, inPlace };
}

/** Compiles a statement of either kind: rewrite, then the stages of its engine. */
function compileStatement(
  statement: ResolvedStatement,
  options: StageOptions,
  { parts, target }: Schemas,
): CompiledQuery {
  const { trace, known, redact } = options;
  const query = rewrite(statement.query, known, trace?.rewritten);
  const rewritten = { ...statement, query };
  if (target === undefined) return compileForDuckDb(rewritten, options, parts);
  // Compiling for DuckDB finds errors that a target does not, such as a format that does not fit its values, before
  // anything is billed.
  compileForDuckDb(rewritten, { ...options, trace: undefined }, parts);
  const compiled = target.compile(rewritten, redact);
  trace?.printed(compiled);
  return compiled;
}

/** Compiles a rewritten statement: complete orders -> split -> lower -> passes -> print. */
function compileForDuckDb(
  { query, nextId, endpoint, stored, inPlace }: ResolvedStatement,
  { redact, trace }: StageOptions,
  parts: Parts,
): CompiledQuery {
  const { maxRows, parameters } = endpoint;
  // A target does not need this: its answers contain no rows of other projects, and the sort would only cost more.
  const rewritten = mapQueries(query, { query: completeOrders });
  if (rewritten !== query) trace?.rewritten('complete orders', rewritten);
  const ctes = { stored: cteIds(stored ?? []), inPlace: cteIds(inPlace) };
  // With a LIMIT, the order is lowered for the number of rows that are used.
  const limited = { limit: countLiteral(maxRows + 1), ...rewritten };
  const plan = split(limited, { ...ctes, maxRows: maxRows + 1, nextId });
  trace?.split(plan);
  const redactAnswer = redact && stored === undefined;
  const lowered = lower(plan, { redactSteps: redact, redactAnswer });
  trace?.lowered(lowered);
  const finished = applyPasses(lowered, { maxRows, redact, parts }, trace?.passed);
  const printed = printPlan(finished, {
    parameters: parameters.map(({ name }) => name),
    inPlace: stored && inPlace.flatMap((cte) => storedTables(cte, parts)),
  });
  const newest = redact ? undefined : newestRowsQuery(rewritten);
  const repeatable = isRepeatable(rewritten);
  const compiled = { ...printed, isRepeatable: repeatable, ...(newest && { newest }) };
  trace?.printed(compiled);
  return compiled;
}

/** Compiles a stored query, and each of its CTEs as a statement that may read the CTEs before it. */
function checkCtes(endpoint: StoredQuery, schemas: Schemas): readonly string[] {
  const options = { redact: false, known: noKnownValues };
  return withPositions({ endpoint }, () => {
    const whole = resolveTree(endpoint, parseStored(endpoint, schemas), schemas);
    const statement = { ...whole, endpoint, inPlace: [] };
    const { ctes } = statement.query;
    compileStatement(statement, options, schemas);
    for (const [index, cte] of ctes.entries()) {
      const alone = standaloneCte(cte, ctes.slice(0, index), statement.nextId);
      compileStatement({ ...statement, ...alone }, options, schemas);
    }
    return whole.reads;
  });
}

function cteIds(ctes: readonly bound.Cte[]): ReadonlySet<number> {
  return new Set(ctes.map(({ id }) => id));
}

/** The stored tables of a CTE that is read in place: its source's view, and the view of each part. */
function storedTables({ query: { body } }: bound.Cte, parts: Parts): readonly string[] {
  if (body.kind !== 'select' || body.from.kind !== 'source') return [];
  const { name } = body.from.source;
  return [name, ...viewsOfParts(parts.get(name))].map((table) => `logs.${table}`);
}

/** An endpoint and the names of its CTEs. */
interface Readable {
  readonly endpoint: StoredQuery;
  readonly tables: readonly string[];
}

/** Parses a caller's query: SQL and LQL become the same kind of tree, so both are confined in the same way. */
function parseSandbox(
  { language, text }: SandboxQuery,
  readable: Readable,
  { trace, schemas }: Pick<StageOptions, 'trace'> & { readonly schemas: Schemas },
): Query {
  if (language === 'sql') {
    const tree = parse(text);
    trace?.parsed(tree);
    return tree;
  }
  const lql = parseLql(text);
  trace?.lql(lql);
  const scope = withPositions(readable, () => scopeFor(lql, readable, schemas));
  const tree = lqlToTree(lql, scope);
  trace?.parsed(tree);
  return tree;
}

/** The tables of the endpoint; only the table that the query reads has columns. */
function scopeFor({ from }: Lql, { endpoint, tables }: Readable, schemas: Schemas): LqlScope {
  const { query } =
    from === undefined
      ? resolveStored({ endpoint }, {}, schemas)
      : resolveEndpointCtes(endpoint, new Set([from.text.toLowerCase()]), schemas);
  const read = readableTables(query);
  const others = tables.map((name) => ({ name, columns: [] }));
  return { ...read, tables: [...others, ...read.tables] };
}
