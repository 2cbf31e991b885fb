import type { DuckDBConnection } from '@duckdb/node-api';
import { quoteName, quoteText } from '../../common/quote.js';
import type { SourceSchema } from '../../types/schema.js';
import type { ArrayType, Field, Type } from '../../types/type.js';

type Path = readonly string[];

/**
 * Finds, for each record stored as a struct, the scalars below it that are set wherever the record
 * is there, so that a query can ask for one such column in place of the whole record. Where other
 * records of the source are stored already, as in `base`, they are those that were found there too.
 */
export async function findPresence(
  connection: DuckDBConnection,
  schema: SourceSchema,
  base?: SourceSchema,
): Promise<SourceSchema> {
  const paths = schema.columns.flatMap((column) => pathsOf(column, []));
  const counts = await countValues(connection, schema.name, paths);
  const found = schema.columns.map((column) => mark(column, [], counts));
  return {
    ...schema,
    columns: base === undefined ? found : keepKnown(found, base.columns, { parent: [], counts }),
  };
}

/** The paths of a field and of all below it that are stored, and not inside a list. */
function pathsOf({ name, type, stored }: Field, parent: Path): readonly Path[] {
  if (!stored) return [];
  const path = [...parent, name];
  return [path, ...fieldsOf(type).flatMap((field) => pathsOf(field, path))];
}

function fieldsOf(type: Type): readonly Field[] {
  const isOne = type.kind === 'ARRAY' && type.layout === 'struct';
  return isOne && type.element.kind === 'STRUCT' ? type.element.fields : [];
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
  return new Map(paths.map((path, place) => [JSON.stringify(path), Number(row[place] ?? 0)]));
}

/** The value at a path, of which no part is inside a list. */
export function valueSql([column = '', ...fields]: Path): string {
  return fields.reduce(
    (of, name) => `struct_extract(${of}, ${quoteText(name)})`,
    quoteName(column),
  );
}

function mark(field: Field, parent: Path, counts: ReadonlyMap<string, number>): Field {
  const { type } = field;
  const path = [...parent, field.name];
  if (type.kind !== 'ARRAY' || type.element.kind !== 'STRUCT' || fieldsOf(type).length === 0) {
    return field;
  }
  const fields = type.element.fields.map((inner) => mark(inner, path, counts));
  const presence = presenceOf(field, parent, counts).map((found) => found.slice(path.length));
  return withPresence(field, { ...type, element: { ...type.element, fields } }, presence);
}

function withPresence(field: Field, type: ArrayType, presence: readonly Path[]): Field {
  return { ...field, type: presence.length === 0 ? type : { ...type, notNullWitnesses: presence } };
}

/** The paths of the scalars that are set as often as the record is there, the shortest first. */
function presenceOf(record: Field, parent: Path, counts: ReadonlyMap<string, number>) {
  const count = countOf([...parent, record.name], counts);
  const scalars = scalarsOf(record, parent).filter((path) => countOf(path, counts) === count);
  return count === 0 ? [] : scalars.toSorted((a, b) => a.length - b.length);
}

function scalarsOf({ name, type, stored }: Field, parent: Path): readonly Path[] {
  if (!stored) return [];
  const path = [...parent, name];
  if (type.kind !== 'ARRAY') return [path];
  return fieldsOf(type).flatMap((field) => scalarsOf(field, path));
}

/** The fields with what the known ones say of their presence, where it is true of these records too. */
function keepKnown(
  fields: readonly Field[],
  known: readonly Field[],
  { parent, counts }: Keeping,
): readonly Field[] {
  return fields.map((field) => {
    const { type } = field;
    const before = known.find(({ name }) => name === field.name)?.type;
    if (type.kind !== 'ARRAY' || type.element.kind !== 'STRUCT') return field;
    const path = [...parent, field.name];
    const inside = before === undefined ? [] : fieldsOf(before);
    const inner = keepKnown(type.element.fields, inside, { parent: path, counts });
    const { notNullWitnesses: _, ...rest } = type;
    const presence = (before?.kind === 'ARRAY' && before.notNullWitnesses) || [];
    const isTrue = (known: Path) => countOf([...path, ...known], counts) === countOf(path, counts);
    const kept = { ...rest, element: { ...type.element, fields: inner } };
    return withPresence(field, kept, presence.filter(isTrue));
  });
}

interface Keeping {
  readonly parent: Path;
  readonly counts: ReadonlyMap<string, number>;
}

function countOf(path: Path, counts: ReadonlyMap<string, number>): number {
  return counts.get(JSON.stringify(path)) ?? 0;
}
