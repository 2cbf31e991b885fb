import type { Compiler } from '../compiler/compile.js';
import type { Identifier } from '../compiler/syntax/names.js';
import { ServiceError } from '../errors/errors.js';
import { positionOf } from '../errors/query-fault.js';
import type { Endpoint, Parameter } from './endpoint.js';
import type { FileFault } from './file-fault.js';
import type { ParsedEndpoint } from './parse-endpoint.js';

/** A parsed endpoint with the endpoints that it reads; its faults include those of how it reads them. */
export interface LinkedEndpoint extends ParsedEndpoint {
  /** The table by which it reads each of these endpoints, directly or through others, by their names. */
  readonly tables: ReadonlyMap<string, Identifier>;
}

/**
 * Gives each endpoint the endpoints that its text names as tables, and redaction if one of them has it. What cannot be
 * read, as in a circle, is a fault.
 */
export function linkEndpoints(
  parsed: readonly ParsedEndpoint[],
  compiler: Pick<Compiler, 'otherTables'>,
): readonly LinkedEndpoint[] {
  const byName = new Map(parsed.map((one) => [one.endpoint.name, one]));
  const named = new Map(parsed.map((one) => [one, namedBy(one, byName, compiler)]));
  const linked = parsed.map((one) => link(one, { byName, named }));
  const broken = new Set(
    linked.flatMap(({ endpoint, compilable }) => (compilable ? [] : endpoint.name)),
  );
  return linked.map((one) => {
    const compilable = one.compilable && ![...one.tables.keys()].some((name) => broken.has(name));
    return { ...one, compilable };
  });
}

/** A fault for each endpoint that has none of its own and reads one with faults: neither may run. */
export function faultsOfReads(
  linked: readonly LinkedEndpoint[],
  faults: readonly FileFault[],
): readonly FileFault[] {
  const faulty = new Set(faults.flatMap(({ file, isOfLogs }) => (isOfLogs ? [] : file)));
  return linked.flatMap(({ endpoint, tables }) => {
    if (faulty.has(endpoint.file)) return [];
    const [first] = [...tables].filter(([name]) => faulty.has(`${name}.sql`));
    if (first === undefined) return [];
    const [name, table] = first;
    return [faultAt(endpoint, table, `${endpoint.name} reads ${name}: ${name}.sql has errors`)];
  });
}

interface Links {
  readonly byName: ReadonlyMap<string, ParsedEndpoint>;
  readonly named: ReadonlyMap<ParsedEndpoint, readonly Identifier[]>;
}

/** The endpoints that a text names as tables, each once. */
function namedBy(
  { endpoint }: ParsedEndpoint,
  byName: Links['byName'],
  compiler: Pick<Compiler, 'otherTables'>,
): readonly Identifier[] {
  try {
    const tables = compiler.otherTables(endpoint).filter(({ name }) => byName.has(name));
    const firstOf = (wanted: string) => tables.find(({ name }) => name === wanted);
    return tables.filter((table) => table === firstOf(table.name));
  } catch (error) {
    // The compiler reports it again.
    if (error instanceof ServiceError) return [];
    throw error;
  }
}

function link(one: ParsedEndpoint, links: Links): LinkedEndpoint {
  const { endpoint } = one;
  const ways = waysFrom(one, links);
  const direct = links.named.get(one) ?? [];
  const others = [...ways.keys()].flatMap((name) => links.byName.get(name) ?? []);
  const [, ...circle] = ways.get(endpoint.name) ?? [];
  const inCircle = direct.filter(({ name }) => name === circle[0]);
  const faults = [
    ...inCircle.map((table) => faultAt(endpoint, table, circleText(endpoint.name, circle))),
    ...direct.flatMap((table) => parameterFaults(endpoint, table, links)),
  ];
  const reads = others.map(({ endpoint: { name, sql, allSources = false, parameters } }) => {
    return { name, sql, allSources, parameters };
  });
  const redactPii = endpoint.redactPii || others.some((other) => other.endpoint.redactPii);
  const tables = [...ways].flatMap(([name, [, first]]) =>
    direct.filter((table) => table.name === first).map((table) => [name, table] as const),
  );
  return {
    ...one,
    endpoint: { ...endpoint, redactPii, ...(reads.length > 0 && { reads }) },
    tables: new Map(tables),
    compilable: one.compilable && faults.length === 0,
    faults: [...one.faults, ...faults],
  };
}

/** The endpoints that one reads, each with the names on the way to it; also itself, if that is a circle. */
function waysFrom(one: ParsedEndpoint, { byName, named }: Links) {
  const ways = new Map<string, readonly string[]>();
  const visit = (reader: ParsedEndpoint, way: readonly string[]): void => {
    for (const { name } of named.get(reader) ?? []) {
      const next = byName.get(name);
      if (next === undefined || ways.has(name)) continue;
      ways.set(name, [...way, name]);
      visit(next, [...way, name]);
    }
  };
  visit(one, [one.endpoint.name]);
  return ways;
}

function circleText(name: string, circle: readonly string[]): string {
  return `endpoints read each other in a circle: ${[name, ...circle].join(' -> ')}`;
}

/** The values of the parameters are those of the endpoint that is asked for, so it declares them. */
function parameterFaults(
  endpoint: Endpoint,
  table: Identifier,
  { byName }: Links,
): readonly FileFault[] {
  const inner = byName.get(table.name);
  if (inner === undefined || inner.endpoint.name === endpoint.name) return [];
  const lines = inner.endpoint.sql.split(/\r?\n/);
  return inner.endpoint.parameters.flatMap((needed, index) => {
    const key = needed.name.toLowerCase();
    const own = endpoint.parameters.find(({ name }) => name.toLowerCase() === key);
    if (own !== undefined && typeText(own) === typeText(needed)) return [];
    const line = lines[(inner.parameterLines[index] ?? 1) - 1] ?? '';
    const message =
      own === undefined
        ? `${endpoint.name} reads ${table.name} and must declare its parameter @${needed.name}, too: add the line ${line}`
        : `${endpoint.name} reads ${table.name}, where @${needed.name} is ${typeText(needed)}, not ${typeText(own)}: declare the same type, or rename one of the two`;
    return [faultAt(endpoint, table, message)];
  });
}

function typeText({ type, isList }: Parameter): string {
  return isList ? `array<${type}>` : type;
}

function faultAt({ file, sql }: Endpoint, { at }: Identifier, message: string): FileFault {
  return { file, ...positionOf(sql, at), message };
}
