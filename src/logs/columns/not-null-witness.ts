import type { DuckDBConnection } from '@duckdb/node-api';
import { quoteName, quoteText } from '../../common/quote.js';
import type { SourceSchema } from '../../types/schema.js';
import type { ArrayType, Field, Type } from '../../types/types.js';

type Path = readonly string[];

/**
 * Finds the not-null witnesses of each record that is stored as a struct: the scalars below it that
 * are set wherever the record is. A query can test one such column instead of the whole record, which
 * reads all of its columns. With a `base`, finds only witnesses that hold for the records stored before
 * too.
 */
export async function findWitnesses(
  connection: DuckDBConnection,
  schema: SourceSchema,
  base?: SourceSchema,
): Promise<SourceSchema> {
  const paths = countedPaths(schema.columns);
  const hasRecords = paths.some((path) => path.length > 1);
  const counts = hasRecords ? await countValues(connection, schema.name, paths) : new Map();
  const found = schema.columns.map((column) => mark(column, [], counts));
  return {
    ...schema,
    columns: base === undefined ? found : keepKnown(found, base.columns, { parent: [], counts }),
  };
}

/**
 * The paths of fields that are stored and not inside lists, shortest first. DuckDB looks at a field in a
 * time that grows with the fields of the records that hold it; there are as many paths as take that time.
 */
export function countedPaths(columns: readonly Field[]): readonly Path[] {
  const counted: Path[] = [];
  let level: readonly Level[] = [{ path: [], fields: columns, cost: 0 }];
  let left = maxCost;
  while (level.length > 0 && left > 0) {
    const fitting: Level[] = [];
    for (const below of level.flatMap(fieldsBelow)) {
      left -= below.cost;
      if (left >= 0) fitting.push(below);
    }
    counted.push(...fitting.map(({ path }) => path));
    level = fitting;
  }
  return counted;
}

/** About a twentieth of a second. */
const maxCost = 50_000;

interface Level {
  readonly path: Path;
  readonly fields: readonly Field[];
  /** The number of fields in all records that hold it. */
  readonly cost: number;
}

function fieldsBelow({ path, fields, cost }: Level): readonly Level[] {
  const own = path.length === 0 ? 0 : cost + countFields(fields);
  return fields.flatMap(({ name, type, stored }) =>
    stored ? [{ path: [...path, name], fields: fieldsOf(type), cost: own + 1 }] : [],
  );
}

function countFields(fields: readonly Field[]): number {
  return fields.reduce((sum, { type }) => sum + 1 + countFields(fieldsOf(type)), 0);
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
  return new Map(paths.map((path, index) => [JSON.stringify(path), Number(row[index] ?? 0)]));
}

function fieldSql(of: string, name: string): string {
  return `struct_extract(${of}, ${quoteText(name)})`;
}

/** SQL for the value at a path that leads through no list. */
export function valueSql([column = '', ...fields]: Path): string {
  return fields.reduce(fieldSql, quoteName(column));
}

function mark(field: Field, parent: Path, counts: ReadonlyMap<string, number>): Field {
  const { type } = field;
  const path = [...parent, field.name];
  if (type.kind !== 'ARRAY' || type.element.kind !== 'STRUCT' || fieldsOf(type).length === 0) {
    return field;
  }
  const fields = type.element.fields.map((inner) => mark(inner, path, counts));
  const witnesses = witnessesOf(field, parent, counts).map((found) => found.slice(path.length));
  return withWitnesses(field, { ...type, element: { ...type.element, fields } }, witnesses);
}

function withWitnesses(field: Field, type: ArrayType, witnesses: readonly Path[]): Field {
  return {
    ...field,
    type: witnesses.length === 0 ? type : { ...type, notNullWitnesses: witnesses },
  };
}

/** The paths of the scalars that are set as often as the record is, shortest first. */
function witnessesOf(record: Field, parent: Path, counts: ReadonlyMap<string, number>) {
  const count = countOf([...parent, record.name], counts);
  if (!count) return [];
  const scalars = scalarsOf(record, parent).filter((path) => countOf(path, counts) === count);
  return scalars.toSorted((a, b) => a.length - b.length);
}

function scalarsOf({ name, type, stored }: Field, parent: Path): readonly Path[] {
  if (!stored) return [];
  const path = [...parent, name];
  if (type.kind !== 'ARRAY') return [path];
  return fieldsOf(type).flatMap((field) => scalarsOf(field, path));
}

/** Keeps the witnesses of the known fields that hold for these records too. */
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
    const witnesses = (before?.kind === 'ARRAY' && before.notNullWitnesses) || [];
    const count = countOf(path, counts);
    const isTrue = (known: Path) => countOf([...path, ...known], counts) === count;
    const kept = { ...rest, element: { ...type.element, fields: inner } };
    return withWitnesses(field, kept, count === undefined ? [] : witnesses.filter(isTrue));
  });
}

interface Keeping {
  readonly parent: Path;
  readonly counts: ReadonlyMap<string, number>;
}

/** Undefined if the path was not counted. */
function countOf(path: Path, counts: ReadonlyMap<string, number>): number | undefined {
  return counts.get(JSON.stringify(path));
}
