import type { Field, ScalarName, Type } from '../../types/types.js';
import { isRecords, isScalarName, otherFields } from '../../types/types.js';
import { isFieldName } from './budget.js';
import { emptyShape, fieldsByName, recordShape, type ScalarKind, type Shape } from './shape.js';

/** The field of the table that holds the values at one path of the files. */
export type Plan = ScalarPlan | RecordPlan;

/** A scalar column, or an array of scalars. */
interface ScalarPlan {
  readonly is: 'scalar' | 'scalars';
  readonly type: ScalarName;
  /**
   * The type that DuckDB reads for a value or an element; `JSON` if each value, or the whole array, must be checked.
   */
  readonly raw: string;
  /** The fields of the records among the values of an undeclared STRING. */
  readonly fields?: readonly FieldPlan[];
}

/** A repeated record. */
export interface RecordPlan {
  readonly is: 'record';
  /** Always an object, always an array of objects, or mixed: each value must be checked. */
  readonly form: 'object' | 'array' | 'mixed';
  /** Whether it is stored as a list, because it occurs more than once in some row. */
  readonly isList: boolean;
  /** Whether some line has another kind of value at this path. */
  readonly hasStrays: boolean;
  readonly fields: readonly FieldPlan[];
}

/** A field of the table and its source in the files. */
export interface FieldPlan {
  readonly name: string;
  /** The spellings of the name in the files; empty if no file has the field. */
  readonly keys: readonly string[];
  readonly stored: boolean;
  /** Set if it occurs only in the files. */
  readonly undeclared?: true;
  readonly plan: Plan;
}

/**
 * Plans the fields of a record from its declaration and the contents of the files: first the declared fields in their
 * order, then the others, and finally one for the fields that get none.
 */
export function planFields(declared: readonly Field[], record: Shape): readonly FieldPlan[] {
  const objects = recordShape(record);
  const found = fieldsByName(objects);
  const names = new Set(declared.map((field) => field.name.toLowerCase()));
  const known = declared.map((field) => {
    const { keys, shape } = found.get(field.name.toLowerCase()) ?? {
      keys: [],
      shape: emptyShape(),
    };
    const plan = planDeclared(field.type, shape);
    // A record without a value is not stored and reads as empty.
    const hasValue =
      plan.is === 'record' ? plan.fields.some(({ stored }) => stored) : keys.length > 0;
    return { name: field.name, keys, stored: field.stored || hasValue, plan };
  });
  const others = [...found].filter(([lower]) => !names.has(lower));
  const named = others.filter(([lower]) => isFieldName(lower));
  const undeclared = named.map(([, { keys, shape }]): FieldPlan => {
    const plan = planUndeclared(shape);
    // If all values are NULL, the field is not stored, because later values may have any type.
    const stored = shape.scalars.size > 0 || (shape.fields ?? shape.elements) !== undefined;
    return { name: keys[0] ?? '', keys, stored, undeclared: true, plan };
  });
  const hasOthers = objects.isPartial || named.length < others.length;
  return [...known, ...undeclared, ...(hasOthers ? [otherFieldsPlan] : [])];
}

/**
 * Removes the undeclared fields below the columns that no record of `shape` has. All columns stay, because a printed row
 * has a text for each.
 */
export function withoutAbsent(fields: readonly FieldPlan[], shape: Shape): readonly FieldPlan[] {
  const found = fieldsByName(recordShape(shape));
  return fields.map((field) =>
    withoutAbsentInside(field, found.get(field.name.toLowerCase())?.shape),
  );
}

function withoutAbsentInside(field: FieldPlan, shape = emptyShape()): FieldPlan {
  const { plan } = field;
  if (plan.is !== 'record') return field;
  const found = fieldsByName(recordShape(shape));
  const kept = plan.fields.flatMap((one) => {
    const own = found.get(one.name.toLowerCase())?.shape;
    const isAbsent = own === undefined && one.undeclared && one.name !== otherFields;
    return isAbsent ? [] : withoutAbsentInside(one, own);
  });
  // A stored field represents a record without fields.
  const first = kept.some(isStored) ? undefined : plan.fields.find(isStored);
  const all = first === undefined ? kept : [withoutAbsentInside(first), ...kept];
  return { ...field, plan: { ...plan, fields: all } };
}

function isStored({ stored }: FieldPlan): boolean {
  return stored;
}

const otherFieldsPlan: FieldPlan = {
  name: otherFields,
  keys: [otherFields],
  stored: true,
  undeclared: true,
  plan: { is: 'scalar', type: 'STRING', raw: 'VARCHAR' },
};

/** Whether some value cannot be stored, or must be checked to find out. */
export function mayBeBad({ plan, keys }: FieldPlan): boolean {
  if (keys.length !== 1) return keys.length > 1;
  if (plan.is !== 'record') return plan.raw === 'JSON';
  return plan.hasStrays || plan.fields.some(mayBeBad);
}

function planDeclared(type: Type, shape: Shape): Plan {
  if (isRecords(type)) return planRecord(type.element.fields, shape);
  const { kind: scalar } = type.kind === 'ARRAY' ? type.element : type;
  if (!isScalarName(scalar)) throw new Error(`no field is declared ${scalar}`);
  if (type.kind !== 'ARRAY') return { is: 'scalar', type: scalar, raw: rawScalar(scalar, shape) };
  const raw = rawScalar(scalar, shape.elements ?? emptyShape());
  const isDoubtful = shape.scalars.size > 0 || shape.fields !== undefined;
  return { is: 'scalars', type: scalar, raw: isDoubtful ? 'JSON' : raw };
}

function planRecord(declared: readonly Field[], shape: Shape): RecordPlan {
  const fields = planFields(declared, shape);
  const keepOne = recordShape(shape).fields !== undefined && !fields.some((field) => field.stored);
  return {
    is: 'record',
    form: recordForm(shape, fields),
    isList: shape.hasSeveral,
    hasStrays: hasStrays(shape),
    fields: keepOne ? storeFirst(fields) : fields,
  };
}

/** Objects without fields still count as elements: store one field as NULL to represent them. */
function storeFirst(fields: readonly FieldPlan[]): readonly FieldPlan[] {
  const [first, ...rest] = fields;
  if (first === undefined) return fields;
  if (first.plan.is !== 'record') return [{ ...first, stored: true }, ...rest];
  const plan = { ...first.plan, fields: storeFirst(first.plan.fields) };
  return [{ ...first, stored: true, plan }, ...rest];
}

function recordForm(shape: Shape, fields: readonly FieldPlan[]): RecordPlan['form'] {
  if (hasStrays(shape) || fields.some((field) => field.keys.length > 1)) return 'mixed';
  if (shape.elements === undefined) return 'object';
  return shape.fields === undefined ? 'array' : 'mixed';
}

function hasStrays({ scalars, elements }: Shape): boolean {
  return scalars.size > 0 || (elements?.scalars.size ?? 0) > 0 || elements?.elements !== undefined;
}

/**
 * Plans an undeclared field: objects become records, scalars of one type get that type, and everything else becomes a
 * string.
 */
function planUndeclared(shape: Shape): Plan {
  const inner = shape.elements;
  const keys = [...(shape.fields?.keys() ?? []), ...(inner?.fields?.keys() ?? [])];
  if (keys.some(isFieldName) && !hasStrays(shape)) return planRecord([], shape);
  const isPlain = shape.fields === undefined && inner?.fields === undefined;
  if (isPlain && inner && shape.scalars.size === 0 && inner.elements === undefined) {
    const type = inferScalar(inner.scalars);
    return { is: 'scalars', type, raw: rawScalar(type, inner) };
  }
  if (!isPlain || inner) {
    const fields = planFields([], shape);
    return { is: 'scalar', type: 'STRING', raw: 'VARCHAR', ...(fields.length > 0 && { fields }) };
  }
  const type = inferScalar(shape.scalars);
  return { is: 'scalar', type, raw: rawScalar(type, shape) };
}

/** Each type with the kinds of value that it can hold. */
const inferred: readonly (readonly [ScalarName, readonly ScalarKind[]])[] = [
  ['BOOL', ['BOOLEAN']],
  ['INT64', ['BIGINT', 'UBIGINT', 'LONG']],
  ['FLOAT64', ['BIGINT', 'UBIGINT', 'DOUBLE', 'FLOAT']],
  ['NUMERIC', ['BIGINT', 'UBIGINT', 'LONG', 'DOUBLE', 'DECIMAL']],
];

function inferScalar(kinds: ReadonlySet<ScalarKind>): ScalarName {
  if (kinds.size === 0) return 'STRING';
  const match = inferred.find(([, allowed]) => [...kinds].every((kind) => allowed.includes(kind)));
  return match?.[0] ?? 'STRING';
}

/** Returns the type in which DuckDB reads a value from a line: `JSON` if reading it directly could lose data. */
function rawScalar(type: ScalarName, shape: Shape): string {
  const isNested = shape.fields !== undefined || shape.elements !== undefined;
  const kinds = [...shape.scalars];
  const only = (...allowed: readonly ScalarKind[]) => kinds.every((kind) => allowed.includes(kind));
  const isInteger = !isNested && only('BIGINT', 'UBIGINT', 'LONG');
  // Only the column `timestamp` has this type; an unreadable timestamp makes its line bad.
  if (type === 'TIMESTAMP') return isInteger ? 'BIGINT' : 'VARCHAR';
  if (isNested) return 'JSON';
  // Numbers become strings first if DuckDB would round them.
  if (type === 'STRING' || type === 'NUMERIC') return 'VARCHAR';
  if (type === 'BOOL') return only('BOOLEAN') ? 'BOOLEAN' : 'JSON';
  if (type === 'INT64') return isInteger ? 'BIGINT' : 'JSON';
  return only('BIGINT', 'UBIGINT', 'LONG', 'DOUBLE', 'FLOAT', 'DECIMAL') ? 'DOUBLE' : 'JSON';
}
