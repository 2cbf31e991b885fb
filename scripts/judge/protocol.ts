import { forRanges } from '../../src/types/ranges.js';
import type { ScalarName, Type } from '../../src/types/types.js';

/** A type as the reference implementation's protocol writes it. */
export interface TypeProto {
  readonly typeKind: string;
  readonly arrayType?: { readonly elementType: TypeProto };
  readonly structType?: { readonly field: readonly FieldProto[] };
  readonly rangeType?: { readonly elementType: TypeProto };
}

/** A field of a struct. */
export interface FieldProto {
  readonly fieldName?: string;
  readonly fieldType: TypeProto;
}

/** A value of the protocol: one property, named after the type, or none for NULL. */
export interface ValueProto {
  readonly int64Value?: string;
  readonly boolValue?: boolean;
  readonly doubleValue?: number | string;
  readonly stringValue?: string;
  readonly bytesValue?: Uint8Array;
  readonly dateValue?: number;
  readonly arrayValue?: { readonly element?: readonly ValueProto[] };
  readonly structValue?: { readonly field?: readonly ValueProto[] };
  readonly timestampValue?: { readonly seconds?: string; readonly nanos?: number };
  readonly datetimeValue?: { readonly bitFieldDatetimeSeconds?: string; readonly nanos?: number };
  readonly timeValue?: string;
  readonly numericValue?: Uint8Array;
  readonly bignumericValue?: Uint8Array;
  readonly jsonValue?: string;
  readonly intervalValue?: Uint8Array;
  readonly rangeValue?: { readonly start?: ValueProto; readonly end?: ValueProto };
}

/** A column of a table or of an answer. */
export interface ColumnProto {
  readonly name: string;
  readonly type: TypeProto;
}

/** A table with its rows. */
export interface ReferenceTable {
  /** Under which queries find it: `logs.web`, `edge_logs`. */
  readonly name: string;
  readonly columns: readonly ColumnProto[];
  readonly rows: readonly (readonly ValueProto[])[];
}

/** The value of a parameter of a query. */
export interface ReferenceParameter {
  readonly name: string;
  readonly type: TypeProto;
  readonly value: ValueProto;
}

const scalars: Readonly<Record<ScalarName, TypeProto>> = {
  BOOL: { typeKind: 'TYPE_BOOL' },
  BYTES: { typeKind: 'TYPE_BYTES' },
  BIGNUMERIC: { typeKind: 'TYPE_BIGNUMERIC' },
  DATE: { typeKind: 'TYPE_DATE' },
  DATETIME: { typeKind: 'TYPE_DATETIME' },
  FLOAT64: { typeKind: 'TYPE_DOUBLE' },
  INT64: { typeKind: 'TYPE_INT64' },
  INTERVAL: { typeKind: 'TYPE_INTERVAL' },
  JSON: { typeKind: 'TYPE_JSON' },
  NUMERIC: { typeKind: 'TYPE_NUMERIC' },
  ...forRanges((element) => {
    return { typeKind: 'TYPE_RANGE', rangeType: { elementType: { typeKind: `TYPE_${element}` } } };
  }),
  STRING: { typeKind: 'TYPE_STRING' },
  TIME: { typeKind: 'TYPE_TIME' },
  TIMESTAMP: { typeKind: 'TYPE_TIMESTAMP' },
};

/** A type of ours in the protocol. */
export function typeProto(type: Type): TypeProto {
  if (type.kind === 'ARRAY') {
    return { typeKind: 'TYPE_ARRAY', arrayType: { elementType: typeProto(type.element) } };
  }
  if (type.kind !== 'STRUCT') return scalars[type.kind];
  const field = type.fields.map(({ name, type: inner }) => {
    return { fieldName: name, fieldType: typeProto(inner) };
  });
  return { typeKind: 'TYPE_STRUCT', structType: { field } };
}

const names = new Map(Object.entries(scalars).map(([name, { typeKind }]) => [typeKind, name]));

/** A type of the protocol in GoogleSQL, without the names of a struct's fields. */
export function nameOfProto({ typeKind, arrayType, rangeType, structType }: TypeProto): string {
  if (arrayType !== undefined) return `ARRAY<${nameOfProto(arrayType.elementType)}>`;
  if (rangeType !== undefined) return `RANGE<${nameOfProto(rangeType.elementType)}>`;
  if (structType === undefined) return names.get(typeKind) ?? typeKind;
  return `STRUCT<${structType.field.map(({ fieldType }) => nameOfProto(fieldType)).join(', ')}>`;
}
