import type { SourceSchema } from '../types/schema.js';
import { addSourceCtes } from './add-source-ctes.js';
import { freeTables } from './free-tables.js';
import { keepRead, tablesOfBody } from './read-ctes.js';
import { placeReads, type ReadEndpoint, type Reader } from './read-endpoints.js';
import { findSource } from './resolve/resolve-from.js';
import type { Identifier } from './syntax/names.js';
import { parse } from './syntax/syntax.js';
import type { Query } from './syntax/tree.js';

/** The sources, by their names in lower case. */
interface Sources {
  readonly sources: ReadonlyMap<string, SourceSchema>;
}

/** The tree of a stored query, with the CTEs of sources and aliases. @throws QueryFault for a text that is no query */
export function parseStored(endpoint: ReadEndpoint, { sources }: Sources): Query {
  return addSourceCtes(parse(endpoint.sql), sources.values(), endpoint);
}

/** The same tree without the CTEs that only callers read. @throws QueryFault for a text that is no query */
function parseAnswer(endpoint: ReadEndpoint, schemas: Sources): Query {
  const tree = parseStored(endpoint, schemas);
  return keepRead(tree, tablesOfBody(tree));
}

/** The trees of the endpoints that a stored query reads, by name. @throws QueryFault for a text that is no query */
export function parseReads(endpoint: Reader, schemas: Sources): ReadonlyMap<string, Query> {
  return new Map(placeReads(endpoint).map((one) => [one.name, parseAnswer(one, schemas)]));
}

/**
 * The tables that a stored query names in one part and that are neither CTEs nor sources.
 * @throws QueryFault for a text that is no query
 */
export function findOtherTables(endpoint: ReadEndpoint, schemas: Sources): readonly Identifier[] {
  const named = freeTables(parseStored(endpoint, schemas)).flatMap(({ path }) =>
    path.length === 1 ? path : [],
  );
  return named.filter(({ name }) => findSource(name, schemas.sources) === undefined);
}
