import * as arrow from '@uwdata/flechette';
import type { ScalarName, Type } from '../types/types.js';
import type { Encode } from './formats.js';
import { memberOf, readTable } from './read-table.js';
import { decimalScales, type Value } from './values.js';

/**
 * A stream of Arrow's interprocess format, with one batch of records.
 * @see https://arrow.apache.org/docs/format/Columnar.html
 */
export const encodeArrow: Encode = (rows, columns) => {
  const pairs = readTable(rows, columns).map(({ name, type, values }) => {
    const column = new arrow.Column([batchOf(values, type)]);
    return [name, column] as [string, arrow.Column<unknown>];
  });
  const bytes = arrow.tableToIPC(arrow.tableFromColumns(pairs), { format: 'stream' });
  return new Uint8Array(bytes ?? []);
};

type Batch = arrow.Batch<unknown>;
type BatchOptions = ConstructorParameters<typeof arrow.Batch>[0];

/** The buffers of a column, besides which of its values are NULL. */
type Buffers = Omit<BatchOptions, 'length' | 'nullCount' | 'type' | 'validity'>;

/** A scalar type of Arrow, and its buffers. */
interface Encoding {
  readonly type: arrow.DataType;
  readonly encode: (values: readonly Value[]) => Buffers;
}

function batchOf(values: readonly Value[], type: Type): Batch {
  const { type: arrowType, ...buffers } = bufferValues(values, type);
  const nullCount = values.filter((value) => value === null).length;
  const validity = nullCount === 0 ? new Uint8Array() : bits(values, (value) => value !== null);
  return new arrow.Batch({
    length: values.length,
    nullCount,
    validity,
    type: arrowType,
    ...buffers,
  });
}

function bufferValues(values: readonly Value[], type: Type): Buffers & { type: arrow.DataType } {
  if (type.kind === 'ARRAY') {
    const lists = values.map((value) => (value ?? []) as readonly Value[]);
    const child = batchOf(lists.flat(), type.element);
    const offsets = offsetsOf(lists.map(({ length }) => length));
    return { type: arrow.list(arrow.field('item', child.type)), offsets, children: [child] };
  }
  if (type.kind === 'STRUCT') {
    const children = type.fields.map((field) =>
      batchOf(
        values.map((value) => memberOf(value, field.name)),
        field.type,
      ),
    );
    const fields = type.fields.map(({ name }, index) =>
      arrow.field(name, children[index]?.type ?? arrow.utf8()),
    );
    return { type: arrow.struct(fields), children };
  }
  const encoding = encodings[type.kind];
  return { type: encoding.type, ...encoding.encode(values) };
}

/** A bit for each value, the first in the lowest. */
function bits(values: readonly Value[], isSet: (value: Value) => boolean): Uint8Array {
  const bytes = new Uint8Array(Math.ceil(values.length / 8));
  for (const [index, value] of values.entries()) {
    if (isSet(value)) bytes[index >> 3] = (bytes[index >> 3] ?? 0) | (1 << (index & 7));
  }
  return bytes;
}

/** Where each value starts, and the end of the last. */
function offsetsOf(lengths: readonly number[]): Int32Array {
  const offsets = new Int32Array(lengths.length + 1);
  for (const [index, length] of lengths.entries()) {
    offsets[index + 1] = (offsets[index] ?? 0) + length;
  }
  return offsets;
}

function encodeBytes(values: readonly Value[]): Buffers {
  const parts = values.map((value) => Buffer.from((value ?? '') as string | Uint8Array));
  return { offsets: offsetsOf(parts.map(({ length }) => length)), values: Buffer.concat(parts) };
}

function encodeIntegers(values: readonly Value[]): Buffers {
  return { values: BigInt64Array.from(values, (value) => (value ?? 0n) as bigint) };
}

/** Two's complement, the lowest 64 bits first. */
function encodeDecimals(words: number): Encoding['encode'] {
  return (values) => {
    const encoded = new BigInt64Array(values.length * words);
    for (const [index, value] of values.entries()) {
      for (let at = 0; at < words; at += 1) {
        encoded[index * words + at] = ((value ?? 0n) as bigint) >> BigInt(64 * at);
      }
    }
    return { values: encoded };
  };
}

const text: Encoding = { type: arrow.utf8(), encode: encodeBytes };

const encodings: Readonly<Record<ScalarName, Encoding>> = {
  BOOL: {
    type: arrow.bool(),
    encode: (values) => ({ values: bits(values, (value) => value === true) }),
  },
  BYTES: { type: arrow.binary(), encode: encodeBytes },
  BIGNUMERIC: { type: arrow.decimal(76, decimalScales.BIGNUMERIC, 256), encode: encodeDecimals(4) },
  DATE: {
    type: arrow.dateDay(),
    encode: (values) => ({ values: Int32Array.from(values, (value) => Number(value ?? 0)) }),
  },
  DATETIME: { type: arrow.timestamp(arrow.TimeUnit.MICROSECOND), encode: encodeIntegers },
  FLOAT64: {
    type: arrow.float64(),
    encode: (values) => ({ values: Float64Array.from(values, (value) => Number(value ?? 0)) }),
  },
  INT64: { type: arrow.int64(), encode: encodeIntegers },
  INTERVAL: text,
  JSON: text,
  NUMERIC: { type: arrow.decimal(38, decimalScales.NUMERIC, 128), encode: encodeDecimals(2) },
  STRING: text,
  TIME: { type: arrow.timeMicrosecond(), encode: encodeIntegers },
  TIMESTAMP: { type: arrow.timestamp(arrow.TimeUnit.MICROSECOND, 'UTC'), encode: encodeIntegers },
};
