import { reservedWords } from '../compiler/syntax/words.js';
import type { EndpointDescription } from '../run/describe-endpoints.js';
import type { FieldSchema, TableSchema } from '../types/table-schema.js';

/** A table, and its other names. */
export type ToolTable = ReturnType<typeof toolTables>[number];

/** The tables of an endpoint, each once. */
export function toolTables({ tables }: Pick<EndpointDescription, 'tables'>) {
  return tables
    .filter(({ aliasOf }) => aliasOf === undefined)
    .map(({ name, schema }) => {
      const others = tables.filter(({ aliasOf }) => aliasOf === name);
      return { name, schema, aliases: others.map((other) => other.name) };
    });
}

/** Prints a column's type in BigQuery's notation: `ARRAY<STRUCT<path STRING, status_code INT64>>`. */
function printType({ type, mode, fields = [] }: FieldSchema): string {
  const inner = fields.map((field) => `${quote(field.name)} ${printType(field)}`);
  const one = type === 'STRUCT' ? `STRUCT<${inner.join(', ')}>` : type;
  return mode === 'REPEATED' ? `ARRAY<${one}>` : one;
}

/** Returns columns with their types in that notation. */
export function typedColumns({ fields }: TableSchema) {
  return fields.map((field) => ({ name: field.name, type: printType(field) }));
}

/** Returns the names of the tables of an endpoint, each once. */
export function tableNames(tables: EndpointDescription['tables']): string {
  return toolTables({ tables })
    .map(({ name }) => name)
    .join(', ');
}

/** Returns a query that shows how to read the fields of a table's records; undefined without a column. */
export function exampleQuery({
  name,
  schema: { fields },
}: Pick<ToolTable, 'name' | 'schema'>): string | undefined {
  const time = fields.find(({ type }) => type === 'TIMESTAMP');
  const path = deepest(fields);
  const aliases = ['t', ...path.map((_, index) => `r${index + 1}`)];
  const joins = path.map(
    (field, index) =>
      `cross join unnest(${aliases[index]}.${quote(field.name)}) as ${aliases[index + 1]}`,
  );
  const leaves = scalarFields(path.at(-1)?.fields ?? fields).slice(0, 2);
  const columns = [
    ...(time === undefined ? [] : [`t.${quote(time.name)}`]),
    ...leaves
      .filter((field) => field !== time)
      .map((field) => `${aliases.at(-1)}.${quote(field.name)}`),
  ];
  if (columns.length === 0) return undefined;
  const order = time === undefined ? [] : [`order by t.${quote(time.name)} desc`];
  const from = `from ${quote(name)} as t`;
  return [`select ${columns.join(', ')}`, from, ...joins, ...order, 'limit 20'].join('\n');
}

/** Returns the repeated records on the way to fields, at most two. */
function deepest(fields: readonly FieldSchema[], depth = 2): readonly FieldSchema[] {
  const records = fields.filter(({ type, mode }) => type === 'STRUCT' && mode === 'REPEATED');
  const paths = records
    .map((record) => [record, ...(depth > 1 ? deepest(record.fields ?? [], depth - 1) : [])])
    .filter((path) => scalarFields(path.at(-1)?.fields ?? []).length > 0);
  // The record with the most fields is the best example.
  return paths.reduce<readonly FieldSchema[]>((best, path) => {
    const size = (one: readonly FieldSchema[]) => scalarFields(one.at(-1)?.fields ?? []).length;
    return best.length === 0 || size(path) > size(best) ? path : best;
  }, []);
}

function scalarFields(fields: readonly FieldSchema[]): readonly FieldSchema[] {
  return fields.filter(({ type, mode }) => type !== 'STRUCT' && mode !== 'REPEATED');
}

/** Quotes a name for GoogleSQL. */
function quote(name: string): string {
  const isPlain = /^[A-Za-z_]\w*$/.test(name) && !reservedWords.has(name.toUpperCase());
  return isPlain ? name : `\`${name.replaceAll('\\', '\\\\').replaceAll('`', '\\`')}\``;
}
