import * as bound from '../../compiler/bound/bound.js';
import { redactCall } from '../../compiler/bound/redact-matches.js';
import * as types from '../../types/types.js';
import { type FieldUses, noUses } from './field-uses.js';

/** The functions that redact a value of these types; `sql/googlesql/redaction.sql` defines them. */
const functions: Readonly<Partial<Record<types.Type['kind'], string>>> = {
  BYTES: '$redact_bytes',
  JSON: '$redact_json',
  STRING: '$redact',
};

/** Creates columns with ids that are not in use. */
export type NewColumn = (type: types.Type) => bound.Column;

/**
 * Redacts the personal data in a value's text; the type stays the same. Fields that are not read become NULL, so that
 * BigQuery does not read them from the table.
 */
export function redactBoundValue(
  value: bound.Expression,
  newColumn: NewColumn,
  uses: FieldUses = { ...noUses(), isWhole: true },
): bound.Expression {
  const { type } = value;
  if (!types.holdsText(type)) return value;
  const name = functions[type.kind];
  if (name !== undefined) return redactCall(value, name);
  const redact = type.kind === 'ARRAY' ? redactArray : redactStruct;
  return once(value, newColumn, (path) => unlessNull(path, redact(path, newColumn, uses)));
}

/** `(SELECT use(x) FROM (SELECT value AS x))` if the value is not a column or field, because `use` repeats it. */
function once(
  value: bound.Expression,
  newColumn: NewColumn,
  use: (path: bound.Expression) => bound.Expression,
): bound.Expression {
  if (bound.isPath(value)) return use(value);
  const { type } = value;
  const named = newColumn(type);
  const read = newColumn(type);
  const result = newColumn(type);
  const inner = bound.selectQuery([{ column: named, value }], { kind: 'none' });
  const from = { kind: 'derived', query: inner, columns: [read] } as const;
  const query = bound.selectQuery([{ column: result, value: use(bound.columnValue(read)) }], from);
  return { kind: 'subquery', form: 'SCALAR', query, type };
}

function unlessNull(value: bound.Expression, redacted: bound.Expression): bound.Expression {
  const { type } = value;
  const when: bound.Expression = { kind: 'is-null', of: value, type: types.scalar('BOOL') };
  const nothing: bound.Expression = { kind: 'literal', value: null, type };
  return { kind: 'case', whens: [{ when, result: nothing }], otherwise: redacted, type };
}

function redactStruct(
  value: bound.Expression,
  newColumn: NewColumn,
  uses: FieldUses,
): bound.Expression {
  const { type } = value;
  if (type.kind !== 'STRUCT') throw new Error('not a struct');
  const names = types.storedNames(type);
  const values = type.fields.map((field, index): bound.Expression => {
    const { type, stored } = field;
    const name = names[index] ?? field.name;
    const used = uses.isWhole ? uses : uses.fields.get(name);
    if (!stored || used === undefined) return { kind: 'literal', value: null, type };
    return redactBoundValue({ kind: 'field', of: value, name, stored, type }, newColumn, used);
  });
  return { kind: 'struct', values, type };
}

/** `ARRAY(SELECT redact(element) FROM UNNEST(array) AS element WITH OFFSET AS o ORDER BY o)` */
function redactArray(
  array: bound.Expression,
  newColumn: NewColumn,
  uses: FieldUses,
): bound.Expression {
  const { type } = array;
  if (type.kind !== 'ARRAY') throw new Error('not an array');
  const element = newColumn(type.element);
  const offset = newColumn(types.scalar('INT64'));
  const column = newColumn(type.element);
  const value = redactBoundValue(bound.columnValue(element), newColumn, uses);
  const none = { kind: 'none' } as const;
  const from = {
    kind: 'unnest',
    join: 'CROSS',
    left: none,
    array,
    element,
    offset,
    merged: [],
  } as const;
  const orderBy = [{ value: bound.columnValue(offset), descending: false }];
  const query = { ...bound.selectQuery([{ column, value }], from), orderBy };
  return { kind: 'subquery', form: 'ARRAY', query, type };
}
