import { quoteName, quoteText } from '../../common/quote.js';
import { type Field, otherFields, type Type } from '../../types/types.js';
import type { FieldPlan, Plan, RecordPlan } from './columns.js';
import { pathOf, typeSql } from './stored-type.js';

/** A stored value that is to be written again, with another type or layout. */
interface Stored {
  readonly sql: string;
  readonly type: Type;
  readonly path: string;
}

type Lists = ReadonlySet<string>;

/**
 * A query that returns the records of a stored table as the rows of a new one, whose plan covers their contents; `columns` are
 * those of the stored table.
 */
export function carryQuery(
  table: string,
  columns: readonly Field[],
  { fields, lists }: { readonly fields: readonly FieldPlan[]; readonly lists: Lists },
): string {
  const values = fields
    .filter(({ stored }) => stored)
    .map((field) => {
      const value = carryField(field, { columns, sqlOf: quoteName, path: '', fields }, lists);
      return `${value} as ${quoteName(field.name)}`;
    });
  return `select ${values.join(', ')} from ${table}`;
}

interface Parent {
  readonly columns: readonly Field[];
  /** SQL for the value of a stored field. */
  readonly sqlOf: (name: string) => string;
  readonly path: string;
  /** The fields of the new record. */
  readonly fields: readonly FieldPlan[];
}

function carryField({ name, plan }: FieldPlan, parent: Parent, lists: Lists): string {
  const path = pathOf(parent.path, name);
  const type = typeSql(plan, path, lists);
  const lower = name.toLowerCase();
  if (name === otherFields) return carryOthers(parent);
  const before = parent.columns.find((field) => field.stored && field.name.toLowerCase() === lower);
  if (before === undefined) return `null::${type}`;
  const sql = parent.sqlOf(before.name);
  return `(${carry(plan, { sql, type: before.type, path }, lists)})::${type}`;
}

/** Fields that have types no more are beside those that had none. */
function carryOthers({ columns, sqlOf, fields }: Parent): string {
  const kept = new Set(
    fields.flatMap(({ name }) => (name === otherFields ? [] : [name.toLowerCase()])),
  );
  const others = columns.filter(({ name, stored }) => stored && !kept.has(name.toLowerCase()));
  if (others.length === 0) return 'null::varchar';
  const members = others.map(({ name }) => `${quoteText(name)}: ${sqlOf(name)}`);
  return `nullif(${asLogged(`{${members.join(', ')}}`)}, '{}')`;
}

/** SQL for the JSON text of a stored value as the log had it. */
function asLogged(value: string): string {
  return `log_as_written(to_json(${value})::varchar)`;
}

function carry(plan: Plan, stored: Stored, lists: Lists): string {
  const { sql, type } = stored;
  const isList = type.kind === 'ARRAY';
  if (plan.is !== 'record') return isList && plan.is === 'scalar' ? asLogged(sql) : sql;
  if (!isList || type.element.kind !== 'STRUCT') return 'null';
  const variable = `(e${stored.path.split('.').length})`;
  const { fields } = type.element;
  const pack = (element: string) => packRecord(plan, { element, fields, path: stored.path }, lists);
  if (!lists.has(stored.path)) return pack(type.layout === 'list' ? `(${sql})[1]` : sql);
  if (type.layout === 'list') {
    return `list_transform(${sql}, lambda ${variable.slice(1, -1)}: ${pack(variable)})`;
  }
  return `case when ${sql} is not null then [${pack(sql)}] end`;
}

interface Element {
  readonly element: string;
  readonly fields: readonly Field[];
  readonly path: string;
}

function packRecord(plan: RecordPlan, { element, fields, path }: Element, lists: Lists): string {
  const sqlOf = (name: string) => `struct_extract(${element}, ${quoteText(name)})`;
  const members = plan.fields
    .filter(({ stored }) => stored)
    .map((field) => {
      const value = carryField(field, { columns: fields, sqlOf, path, fields: plan.fields }, lists);
      return `${quoteText(field.name)}: ${value}`;
    });
  return `case when ${element} is not null then {${members.join(', ')}} end`;
}
