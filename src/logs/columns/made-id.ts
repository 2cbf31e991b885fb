import { randomBytes } from 'node:crypto';
import { digestText } from '../../process/digest.js';
import { quoteName, quoteText } from '../../process/quote.js';
import type { SourceSchema } from '../../types/schema.js';
import type { FieldPlan } from './columns.js';
import { storedPath } from './stored-type.js';

/** The number of random bytes in a key. */
const keyBytes = 32;

/** Generates the key for the ids of records without one, in hex. */
export function newIdKey(): string {
  return randomBytes(keyBytes).toString('hex');
}

/** Returns a statement that sets the key on a connection: a variable, because the engine's messages quote statements. */
export function setIdKey(key: string): string {
  return `set variable log_id_key = ${quoteText(digestText(key))}`;
}

/**
 * A macro for the id of a record: 128 bits of a hash of the key, the source, the time, the project and the text of
 * the record. Only the last may have any length. NULL without the key.
 */
export const madeIdMacro = `create macro log_made_id(source, t, project, record) as
  sha256(getvariable('log_id_key') || concat(
    source, ':', epoch_us(t), ':', coalesce(strlen(project), -1), ':', project, record))[:32]`;

/** The inputs of an id, besides the columns. */
export interface MadeIds {
  readonly source: Pick<SourceSchema, 'name' | 'projectPath'>;
  /** The paths of records that are stored as lists. */
  readonly lists: ReadonlySet<string>;
}

/** The name of a column in the query that {@link withMadeIds} takes. */
export function columnAt(index: number): string {
  return `v${index}`;
}

/**
 * Returns a query for the rows of a table that gives each row an id. `query` returns the columns, named by
 * {@link columnAt}, and `record`: the text of a record without an id.
 */
export function withMadeIds(query: string, fields: readonly FieldPlan[], made: MadeIds): string {
  const place = (name: string) => columnAt(fields.findIndex((field) => field.name === name));
  const project = projectSql(fields, made);
  const id = `coalesce(${place('id')},
    log_made_id(${quoteText(made.source.name)}, ${place('timestamp')}, ${project}, record))`;
  const columns = fields.map(({ name }, index) => {
    return `${name === 'id' ? id : columnAt(index)} as ${quoteName(name)}`;
  });
  return `select ${columns.join(', ')} from (${query})`;
}

/** SQL for the project of a row: the project of its first record, whether records are stored as lists or not. */
function projectSql(columns: readonly FieldPlan[], { source, lists }: MadeIds): string {
  let fields = columns;
  let path = '';
  let sql = '';
  for (const name of source.projectPath ?? []) {
    const index = fields.findIndex((field) => field.name === name && field.stored);
    const field = fields[index];
    if (field === undefined) return 'null';
    sql = path === '' ? columnAt(index) : `struct_extract(${sql}, ${quoteText(name)})`;
    path = storedPath(path, name);
    if (lists.has(path)) sql = `${sql}[1]`;
    fields = field.plan.is === 'record' ? field.plan.fields : [];
  }
  return sql === '' ? 'null' : `(${sql})::varchar`;
}
