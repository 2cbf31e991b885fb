import { nameText } from '../../compiler/syntax/print-literal.js';
import { reservedWords } from '../../compiler/syntax/words.js';
import type { FieldSchema } from '../../types/table-schema.js';
import type { ListedTable } from './endpoint.js';

/** A path from a table's column through its records to a field; the first field is the column. */
export type RecordPath = readonly FieldSchema[];

/** A field of a table; the table itself, if the path is empty. */
export interface SourceField {
  readonly table: ListedTable;
  readonly path: RecordPath;
}

/** Returns the paths to all fields other than records, in order; arrays of scalars are leaves. */
export function leafPaths(fields: readonly FieldSchema[]): readonly RecordPath[] {
  return fields.flatMap((field): readonly RecordPath[] =>
    field.type === 'STRUCT'
      ? leafPaths(field.fields ?? []).map((path) => [field, ...path])
      : [[field]],
  );
}

/** Returns the path with these names; undefined if a field is missing. */
export function findPath(
  fields: readonly FieldSchema[],
  names: readonly string[],
): RecordPath | undefined {
  const [name, ...rest] = names;
  const field = fields.find((one) => one.name.toLowerCase() === name?.toLowerCase());
  if (field === undefined) return undefined;
  if (rest.length === 0) return [field];
  const below = findPath(field.fields ?? [], rest);
  return below && [field, ...below];
}

/** The field that a path leads to. */
export function leafField(path: RecordPath): FieldSchema {
  return path.at(-1) ?? { name: '', type: 'STRING', mode: 'NULLABLE' };
}

/** `metadata.request.path`. */
export function pathKey(path: RecordPath): string {
  return path.map(({ name }) => name).join('.');
}

/** The names that exist in a query to which the reading of a path is added. */
export interface ReadingScope {
  /**
   * The expression of a path that is in scope, by its key: `metadata.request` -> `r`. The empty path is the table, if a
   * column's name alone may be ambiguous.
   */
  readonly known: ReadonlyMap<string, string>;
  /** Names that a new alias must not use. */
  readonly taken: ReadonlySet<string>;
}

/**
 * Reads a path through its repeated records: `metadata.request.path` -> `request.path`, with
 * `unnest(metadata) as m` and `unnest(m.request) as request` unless they are known.
 */
export function readRecordPath(
  path: RecordPath,
  { known, taken }: ReadingScope = { known: new Map(), taken: new Set() },
): { readonly expression: string; readonly unnests: readonly string[] } {
  const used = new Set(taken);
  const unnests: string[] = [];
  let expression = known.get('') ?? '';
  path.forEach((field, index) => {
    const own = quoteField(field.name);
    const below = expression === '' ? own : `${expression}.${own}`;
    const key = pathKey(path.slice(0, index + 1));
    const isLast = index === path.length - 1;
    expression = known.get(key) ?? below;
    if (isLast || field.mode !== 'REPEATED' || known.has(key)) return;
    const alias = aliasFor(path.slice(0, index + 1), used);
    used.add(alias);
    unnests.push(`unnest(${expression}) as ${alias}`);
    expression = alias;
  });
  return { expression, unnests };
}

/** `m` for metadata, otherwise the name of the field, with that of its parent if it is taken. */
function aliasFor(path: RecordPath, used: ReadonlySet<string>): string {
  const names = path.map(({ name }) => name);
  const last = names.at(-1) ?? '';
  const wanted = [last === 'metadata' ? 'm' : last, names.slice(-2).join('_'), names.join('_')];
  return quoteField(wanted.find((name) => !used.has(name)) ?? `${last}_${used.size}`);
}

/** A name as an identifier of GoogleSQL: in backticks if necessary. */
export function quoteField(name: string): string {
  return nameText({ name, quoted: reservedWords.has(name.toUpperCase()) });
}

/** The type of a field as BigQuery writes it, of a record without its fields. */
export function pathType({ type, mode }: FieldSchema): string {
  return mode === 'REPEATED' ? `ARRAY<${type}>` : type;
}
