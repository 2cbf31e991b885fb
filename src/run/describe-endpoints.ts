import { LRUCache } from 'lru-cache';
import type { Catalog } from '../endpoint/catalog.js';
import type { Endpoint } from '../endpoint/endpoint.js';
import { type CallerScope, parametersWithin } from '../endpoint/scope.js';
import { tableSchema } from '../types/table-schema.js';
import type { ServedData, Serving } from './serving.js';

/** A caller's view of an endpoint. */
export type EndpointDescription = Readonly<ReturnType<typeof describe>>;

/** A table that a caller's query may read; `aliasOf` is the table that it is an alias of. */
export type TableDescription = EndpointDescription['tables'][number];

/**
 * Describes the endpoints that exist for a token, in order of their names. Endpoints that do not compile with the
 * served logs have no columns. The list is the same object until the endpoints or the logs change, so that derived
 * values can be cached with it.
 */
export type DescribeEndpoints = (scope: CallerScope) => Promise<readonly EndpointDescription[]>;

/** The number of scopes whose lists are kept; the least recently used are evicted first. */
const maxScopes = 100;

/** Describes the endpoints of a catalog over the served logs, once for each state of both. */
export function createDescribeEndpoints({
  catalog,
  serving,
}: {
  readonly catalog: Pick<Catalog, 'endpoints' | 'version'>;
  readonly serving: Pick<Serving, 'use'>;
}): DescribeEndpoints {
  const kept = new LRUCache<string, readonly EndpointDescription[]>({ max: maxScopes });
  let compiler: ServedData['compiler'] | undefined;
  let version = '';
  let all: readonly EndpointDescription[] = [];
  const update = (data: ServedData) => {
    // The compiler stays the same while only records change.
    if (data.compiler === compiler && catalog.version === version) return;
    const inOrder = catalog.endpoints.toSorted((a, b) => (a.name < b.name ? -1 : 1));
    all = inOrder.map((endpoint) => describe(endpoint, data));
    [compiler, version] = [data.compiler, catalog.version];
    kept.clear();
  };
  return (scope) =>
    serving.use(async (data) => {
      update(data);
      const described = kept.get(scope.key) ?? within(all, scope);
      kept.set(scope.key, described);
      return described;
    });
}

function within(
  endpoints: readonly EndpointDescription[],
  scope: CallerScope,
): readonly EndpointDescription[] {
  return endpoints
    .filter(({ name }) => scope.endpoints?.has(name) ?? true)
    .map((one) => ({ ...one, parameters: parametersWithin(one.parameters, scope) }));
}

function describe(endpoint: Endpoint, { compiler }: ServedData) {
  const { name, id, parameters, maxRows, caching, sandbox, redactPii, sql } = endpoint;
  const { columns, tables } = compiler.describe(endpoint);
  const readable = sandbox ? tables : [];
  return {
    ...{ name, id, parameters, maxRows, sandbox, redactPii },
    cacheSeconds: caching.ttlSeconds,
    /** The columns of its own query. */
    schema: tableSchema(columns),
    /** The tables that a caller's query may read; none if the endpoint takes no queries. */
    tables: readable.map(({ columns, ...table }) => ({ ...table, schema: tableSchema(columns) })),
    sql,
  };
}
