import type { DuckDBConnection } from '@duckdb/node-api';
import { quoteName, quoteText } from '../../process/quote.js';
import type { SourceSchema } from '../../types/schema.js';
import { type Field, isRecords, recordFields, type Type } from '../../types/types.js';

type Path = readonly string[];

/**
 * Finds the not-null witnesses of each record that is stored as a struct: the scalars below it that are set wherever
 * the record is. A query can test one such column instead of the whole record, which reads all of its columns. With a
 * `base`, finds only witnesses that also hold for the records stored before.
 */
export async function findWitnesses(
  connection: DuckDBConnection,
  schema: SourceSchema,
  { base, partColumns = schema.columns }: Stored = {},
): Promise<SourceSchema> {
  const paths = countedPaths(partColumns);
  const known = paths.length > 0 ? await countValues(connection, schema.name, paths) : new Map();
  const counts = (path: Path) =>
    known.get(JSON.stringify(path)) ?? (hasPath(partColumns, path) ? undefined : 0);
  const columns = schema.columns.map((column) =>
    mark(column, { parent: [], counts, known: base?.columns }),
  );
  return { ...schema, columns };
}

/** What is stored of a source. */
interface Stored {
  /** The schema of the records that were stored before. */
  readonly base?: SourceSchema | undefined;
  /** The columns of the new table; by default those of the schema. */
  readonly partColumns?: readonly Field[] | undefined;
}

/** Whether a path is stored, inside lists or not. */
function hasPath(fields: readonly Field[], [name, ...rest]: Path): boolean {
  const field = fields.find((one) => one.stored && one.name === name);
  return field !== undefined && (rest.length === 0 || hasPath(recordFields(field.type), rest));
}

/**
 * Returns the paths whose values are counted, shortest first: those of columns that are structs, and of the fields that
 * are stored below them and not inside lists. The more of these paths there are, the fewer are counted, because DuckDB
 * takes longer to count a field of a struct the more fields the struct has, and reads all fields of a record to count it.
 */
export function countedPaths(columns: readonly Field[]): readonly Path[] {
  const structs = columns.filter(({ type }) => structFields(type).length > 0);
  const paths = shortestFirst(structs.flatMap((column) => pathsBelow(column)));
  let cost = 0;
  const isCounted = ({ fields }: PathBelow) => {
    cost += paths.length + fields * readCost;
    return cost <= maxCost;
  };
  return paths.filter(isCounted).map(({ path }) => path);
}

/** The cost of reading a field, if that of finding one field among others is 1. */
const readCost = 25;

/** The limit of the cost of all counted paths: DuckDB then takes a tenth of a second. */
const maxCost = 50_000;

/** A path, and the number of fields at it and below it. */
interface PathBelow {
  readonly path: Path;
  readonly fields: number;
}

function shortestFirst(paths: readonly PathBelow[]): readonly PathBelow[] {
  return paths.toSorted((one, other) => one.path.length - other.path.length);
}

function pathsBelow({ name, type, stored }: Field, areScalars = false): readonly PathBelow[] {
  if (!stored) return [];
  const below = structFields(type).flatMap((field) => pathsBelow(field, areScalars));
  const own = areScalars && type.kind === 'ARRAY' ? [] : [{ path: [], fields: 1 + below.length }];
  return [...own, ...below].map(({ path, fields }) => ({ path: [name, ...path], fields }));
}

/** The fields of a record that is stored as a struct; none for other values. */
function structFields(type: Type): readonly Field[] {
  return type.kind === 'ARRAY' && type.layout === 'struct' ? recordFields(type) : [];
}

async function countValues(
  connection: DuckDBConnection,
  table: string,
  paths: readonly Path[],
): Promise<ReadonlyMap<string, number>> {
  const counts = paths.map((path) => `count(${valueSql(path)})::double`);
  const reader = await connection.runAndReadAll(
    `select ${counts.join(', ')} from out.main.${quoteName(table)}`,
  );
  const row = reader.getRowsJson()[0] ?? [];
  return new Map(paths.map((path, index) => [JSON.stringify(path), Number(row[index] ?? 0)]));
}

/** SQL for the value at a path that crosses no list. */
function valueSql([column = '', ...fields]: Path): string {
  const fieldSql = (of: string, name: string) => `struct_extract(${of}, ${quoteText(name)})`;
  return fields.reduce(fieldSql, quoteName(column));
}

interface Marking {
  readonly parent: Path;
  /** The number of values at a path of the table; undefined if they were not counted. */
  readonly counts: (path: Path) => number | undefined;
  /** The fields of this record in the records stored before; undefined if there are none. */
  readonly known: readonly Field[] | undefined;
}

function mark(field: Field, { parent, counts, known }: Marking): Field {
  const { type, name } = field;
  if (!isRecords(type)) return field;
  const path = [...parent, name];
  const before = known?.find((each) => each.name === name)?.type;
  const inside = known && (before === undefined ? [] : structFields(before));
  const marking = { parent: path, counts, known: inside };
  const fields = type.element.fields.map((inner) => mark(inner, marking));
  const scalars = structFields(type).flatMap((inner) => pathsBelow(inner, true));
  const knownWitnesses = (before?.kind === 'ARRAY' && before.notNullWitnesses) || [];
  const candidates =
    known === undefined ? shortestFirst(scalars).map(({ path }) => path) : knownWitnesses;
  const count = counts(path);
  const isKnown = count !== undefined && (count > 0 || known !== undefined);
  const isWitness = (below: Path) => counts([...path, ...below]) === count;
  const witnesses = isKnown ? candidates.filter(isWitness) : [];
  const marked = { ...type, element: { ...type.element, fields } };
  return {
    ...field,
    type: witnesses.length === 0 ? marked : { ...marked, notNullWitnesses: witnesses },
  };
}
