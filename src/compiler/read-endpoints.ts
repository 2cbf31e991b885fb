import { QueryFault } from '../errors/query-fault.js';
import type { SourceSchema } from '../types/schema.js';
import { addSourceCtes } from './add-source-ctes.js';
import type { StoredParameter } from './parameter-types.js';
import { keepRead, tablesOfBody } from './read-ctes.js';
import type { FindEndpoint } from './resolve/scope.js';
import { parse } from './syntax/syntax.js';
import type { Query } from './syntax/tree.js';

/** A stored query as others read it: as a table, without its limit of rows. */
export interface ReadEndpoint {
  readonly name: string;
  readonly sql: string;
  /** Whether it gets a CTE for every source and alias that it has none for. */
  readonly allSources?: boolean;
  readonly parameters: readonly StoredParameter[];
}

/** A stored query, and the endpoints that it may read as tables, directly or through others. */
export interface Reader extends ReadEndpoint {
  readonly reads?: readonly ReadEndpoint[];
}

/** The sources, by their names in lower case. */
type Sources = Readonly<Record<'sources', ReadonlyMap<string, SourceSchema>>>;

/** The tree of a stored query, with the CTEs of sources and aliases. @throws QueryFault for text that is not a query */
export function parseStored(endpoint: ReadEndpoint, { sources }: Sources): Query {
  return addSourceCtes(parse(endpoint.sql), sources.values(), endpoint);
}

/** The endpoints that a stored query may read, each with the offset of its text if all texts follow one another. */
export function placeReads({ sql, reads = [] }: Reader) {
  let start = sql.length + 1;
  return reads.map((endpoint) => {
    const placed = { endpoint, start };
    start += endpoint.sql.length + 1;
    return placed;
  });
}

/**
 * Finds the endpoints that a stored query reads, and adds their names to `found`; `way` has the names of the endpoints
 * from the reader to the one whose text is read.
 */
export function endpointFinder(
  reader: Reader,
  schemas: Sources & { readonly found: Set<string> },
  way: readonly string[] = [reader.name],
): FindEndpoint {
  return (name, at) => {
    const placed = placeReads(reader).find(({ endpoint }) => endpoint.name === name);
    if (placed === undefined) return undefined;
    const { endpoint, start } = placed;
    const fault = findCircle(name, way) ?? parameterFault(endpoint, reader, way.at(-1));
    if (fault !== undefined) throw new QueryFault(fault, at);
    schemas.found.add(name);
    // The spaces give each node of the statement an offset of its own.
    const sql = endpoint.sql.padStart(start + endpoint.sql.length);
    const tree = parseStored({ ...endpoint, sql }, schemas);
    const query = keepRead(tree, tablesOfBody(tree));
    return { query, findEndpoint: endpointFinder(reader, schemas, [...way, name]) };
  };
}

function findCircle(name: string, way: readonly string[]): string | undefined {
  if (!way.includes(name)) return undefined;
  const circle = [...way.slice(way.indexOf(name)), name].join(' -> ');
  return `Endpoints read each other in a circle: ${circle}`;
}

/**
 * Describes a parameter that `reader`, the requested endpoint, must declare because `read` takes its value from there;
 * `by` is the name of the endpoint that reads it.
 */
function parameterFault(read: ReadEndpoint, reader: Reader, by = ''): string | undefined {
  for (const { name, ...needed } of read.parameters) {
    const own = reader.parameters.find((one) => one.name.toLowerCase() === name.toLowerCase());
    const [type, other] = [typeText(needed), own && typeText(own)];
    if (other === undefined)
      return `${by} reads ${read.name}, which needs @${name}: add "-- @${name}: ${type}, …" to ${by}.sql`;
    if (needed.required && !own?.required && own?.default === undefined)
      return `${by} reads ${read.name}, which requires @${name}: declare it as required in ${by}.sql, too, or with a default`;
    if (other !== type)
      return `${by} reads ${read.name}, where @${name} is ${type}, not ${other}: declare the same type, or rename one of the two`;
  }
  return undefined;
}

function typeText({ type, isList }: Omit<StoredParameter, 'name'>): string {
  return isList ? `array<${type}>` : type;
}
