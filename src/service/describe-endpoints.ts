import type { Catalog } from '../endpoint/catalog.js';
import type { Endpoint } from '../endpoint/endpoint.js';
import { parametersWithin, type Scope } from '../endpoint/scope.js';
import { type TableSchema, tableSchema } from '../types/table-schema.js';
import type { ServedData, Serving } from './serving.js';

/** What a caller can know of an endpoint. */
export interface EndpointDescription
  extends Pick<
    Endpoint,
    'name' | 'id' | 'parameters' | 'maxRows' | 'sandbox' | 'redactPii' | 'sql'
  > {
  readonly cacheSeconds: number;
  /** The columns of its own query. */
  readonly schema: TableSchema;
  /** The tables that a caller's query may read; none if the endpoint takes no queries. */
  readonly tables: readonly TableDescription[];
}

/** A table that a caller's query may read. */
export interface TableDescription {
  readonly name: string;
  readonly schema: TableSchema;
  /** The table that it is another name of. */
  readonly aliasOf?: string;
}

/** Describes the endpoints that exist for a token, in order of their names. */
export type DescribeEndpoints = (scope: Scope) => Promise<readonly EndpointDescription[]>;

/** Describes the endpoints of a catalog over the logs that are served. */
export function createDescribeEndpoints({
  catalog,
  serving,
}: {
  readonly catalog: Pick<Catalog, 'endpoints'>;
  readonly serving: Pick<Serving, 'use'>;
}): DescribeEndpoints {
  return (scope) =>
    serving.use(async (data) =>
      catalog.endpoints
        .filter(({ name }) => scope.endpoints?.has(name) ?? true)
        .toSorted((a, b) => (a.name < b.name ? -1 : 1))
        .map((endpoint) => describe(endpoint, data))
        .map((one) => ({ ...one, parameters: parametersWithin(one.parameters, scope) })),
    );
}

function describe(endpoint: Endpoint, { compiler }: ServedData): EndpointDescription {
  const { name, id, parameters, maxRows, caching, sandbox, redactPii, sql } = endpoint;
  const { columns, tables } = compiler.describe(endpoint);
  const readable = sandbox ? tables : [];
  return {
    ...{ name, id, parameters, maxRows, sandbox, redactPii },
    cacheSeconds: caching.ttlSeconds,
    schema: tableSchema(columns),
    tables: readable.map(({ columns, ...table }) => ({ ...table, schema: tableSchema(columns) })),
    sql,
  };
}
