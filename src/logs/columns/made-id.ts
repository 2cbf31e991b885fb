import { randomBytes } from 'node:crypto';
import { digestText } from '../../process/digest.js';
import { quoteName, quoteText } from '../../process/quote.js';
import type { SourceSchema } from '../../types/schema.js';
import { otherFields } from '../../types/types.js';
import type { FieldPlan } from './columns.js';

/** Generates the key for the ids of records without one, in hex. */
export function newIdKey(): string {
  return randomBytes(32).toString('hex');
}

/**
 * Returns a statement that sets the key on a connection: a variable, because the engine's messages quote statements.
 */
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

/** The column with the text of a record without an id; no field has a name with this prefix. */
export const recordText = quoteName(`${otherFields} text`);

/**
 * Returns a query that gives each row of a query an id. The query returns the columns of a table, and
 * {@link recordText}.
 */
export function withMadeIds(
  query: string,
  fields: readonly FieldPlan[],
  { name, projectPath = [] }: Pick<SourceSchema, 'name' | 'projectPath'>,
): string {
  const made = `log_made_id(${quoteText(name)}, "timestamp", ${projectSql(fields, projectPath)}, ${recordText})`;
  return `select * exclude (${recordText}) replace (coalesce(id, ${made}) as id) from (${query})`;
}

/** SQL for the project of a row: the project of its first record, whether records are stored as lists or not. */
function projectSql(columns: readonly FieldPlan[], path: readonly string[]): string {
  let fields = columns;
  let sql = '';
  for (const name of path) {
    const field = fields.find((each) => each.name === name && each.stored);
    if (field === undefined) return 'null';
    sql = sql === '' ? quoteName(name) : `struct_extract(${sql}, ${quoteText(name)})`;
    fields = field.plan.is === 'record' ? field.plan.fields : [];
    if (field.plan.is === 'record' && field.plan.isList) sql = `${sql}[1]`;
  }
  return sql === '' ? 'null' : `(${sql})::varchar`;
}
