import { isObject, type Json } from '../../test/support/json.js';
import type { ColumnProto, TypeProto, ValueProto } from './protocol.js';

/** The JSON in which the service writes a value of the reference implementation. */
export function toJson(value: ValueProto, type: TypeProto): Json {
  const { arrayType, rangeType, structType } = type;
  if (rangeType !== undefined) return printRange(value.rangeValue, rangeType.elementType);
  if (arrayType !== undefined) {
    const elements = value.arrayValue?.element ?? [];
    return elements.length === 0 ? null : elements.map((one) => toJson(one, arrayType.elementType));
  }
  if (structType !== undefined) {
    const fields = value.structValue?.field;
    if (value.structValue === undefined) return null;
    const columns = structType.field.map((one) => {
      return { name: one.fieldName ?? '', type: one.fieldType };
    });
    return rowToJson(fields ?? [], columns);
  }
  return (readers[type.typeKind] ?? unknownType)(value) ?? null;
}

/** A row as an object; a name that is missing or taken gets a number. */
export function rowToJson(cells: readonly ValueProto[], columns: readonly ColumnProto[]): Json {
  const row: Record<string, Json> = {};
  for (const [place, { name, type }] of columns.entries()) {
    const wanted = name === '' ? `_field_${place + 1}` : name;
    row[wanted in row ? `${wanted}_${place + 1}` : wanted] = toJson(cells[place] ?? {}, type);
  }
  return row;
}

const readers: Readonly<Record<string, (value: ValueProto) => Json | undefined>> = {
  TYPE_INT64: ({ int64Value: v }) => v && BigInt(v),
  TYPE_BOOL: ({ boolValue }) => boolValue,
  TYPE_DOUBLE: ({ doubleValue: v }) => (v === undefined ? v : jsonOfDouble(Number(v))),
  TYPE_STRING: ({ stringValue }) => stringValue,
  TYPE_JSON: ({ jsonValue }) => jsonValue,
  TYPE_BYTES: ({ bytesValue: v }) => v && Buffer.from(v).toString('base64'),
  TYPE_DATE: ({ dateValue: v }) => (v === undefined ? v : printDate(v)),
  TYPE_TIMESTAMP: ({ timestampValue: v }) =>
    v && BigInt(v.seconds ?? 0) * 1_000_000n + BigInt(Math.floor((v.nanos ?? 0) / 1_000)),
  TYPE_DATETIME: ({ datetimeValue: v }) => v && printDatetime(v),
  TYPE_TIME: ({ timeValue: v }) => (v === undefined ? v : printTime(BigInt(v) >> 30n, v)),
  TYPE_NUMERIC: ({ numericValue: v }) => v && printDecimal(readInteger(v), 9),
  TYPE_BIGNUMERIC: ({ bignumericValue: v }) => v && printDecimal(readInteger(v), 38),
  TYPE_INTERVAL: ({ intervalValue: v }) => v && printInterval(Buffer.from(v)),
};

function printRange(range: ValueProto['rangeValue'], element: TypeProto): Json {
  if (range === undefined) return null;
  const printBound = (bound: ValueProto = {}) => {
    const json = toJson(bound, element);
    if (json === null) return 'UNBOUNDED';
    return typeof json === 'bigint'
      ? printTimestamp(json)
      : shortFraction(`${json}`.replace('T', ' '));
  };
  return `[${printBound(range.start)}, ${printBound(range.end)})`;
}

/** A TIMESTAMP as a cast to STRING prints it. */
function printTimestamp(micros: bigint): string {
  const fraction = ((micros % 1_000_000n) + 1_000_000n) % 1_000_000n;
  const second = new Date(Number((micros - fraction) / 1_000n)).toISOString().slice(0, 19);
  return `${shortFraction(`${second.replace('T', ' ')}.${pad(fraction, 6)}`)}+00`;
}

/** A fraction of a second with three or six digits, or none. */
function shortFraction(text: string): string {
  return text.replace(/(\.\d{3})000$/, '$1').replace(/\.000$/, '');
}

function unknownType(value: ValueProto): Json {
  return JSON.stringify(value);
}

function jsonOfDouble(value: number): Json {
  return Number.isFinite(value) ? value : `${value}`;
}

function printDate(days: number): string {
  const text = new Date(days * 86_400_000).toISOString();
  return text.slice(0, text.indexOf('T'));
}

/** Bits: year, 4 of the month, 5 of the day, 5 of the hour, 6 of the minute, 6 of the second. */
function printDatetime({ bitFieldDatetimeSeconds: bits = '0', nanos = 0 }: DatetimeProto): string {
  const all = BigInt(bits);
  const [year, month, day] = [all >> 26n, (all >> 22n) & 15n, (all >> 17n) & 31n];
  return `${pad(year, 4)}-${pad(month)}-${pad(day)}T${printTime(all & 0x1ffffn, nanos)}`;
}

type DatetimeProto = NonNullable<ValueProto['datetimeValue']>;

/** `nanos`: as a number, or in the lowest 30 bits of a text's number. */
function printTime(seconds: bigint, nanos: number | string): string {
  const fraction = typeof nanos === 'string' ? Number(BigInt(nanos) & 0x3fffffffn) : nanos;
  const micros = Math.floor(fraction / 1_000);
  const parts = [seconds >> 12n, (seconds >> 6n) & 63n, seconds & 63n];
  return `${parts.map((part) => pad(part)).join(':')}${micros === 0 ? '' : `.${pad(micros, 6)}`}`;
}

function pad(value: bigint | number, length = 2): string {
  return `${value}`.padStart(length, '0');
}

/** Two's complement, the lowest byte first. */
function readInteger(bytes: Uint8Array): bigint {
  const hex = Buffer.from(bytes).reverse().toString('hex');
  return hex === '' ? 0n : BigInt.asIntN(bytes.length * 8, BigInt(`0x${hex}`));
}

function printDecimal(scaled: bigint, scale: number): string {
  const digits = `${scaled < 0n ? -scaled : scaled}`.padStart(scale + 1, '0');
  const fraction = digits.slice(-scale).replace(/0+$/, '');
  const whole = digits.slice(0, -scale);
  return `${scaled < 0n ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`;
}

/** Bytes: 8 of microseconds, 4 of days, 4 of a sign and months (above 13 bits of nanoseconds). */
function printInterval(bytes: Buffer): string {
  const micros = bytes.readBigInt64LE(0);
  const bits = bytes.readUInt32LE(12);
  const months = (bits >>> 13) & 0x3ffff;
  const sign = bits >>> 31 === 1 && months > 0 ? '-' : '';
  const time = micros < 0n ? -micros : micros;
  const [seconds, fraction] = [time / 1_000_000n, pad(time % 1_000_000n, 6)];
  const parts = [seconds / 3_600n, (seconds / 60n) % 60n, seconds % 60n];
  const tail = fraction === '000000' ? '' : `.${fraction.replace(/000$/, '')}`;
  const clock = `${micros < 0n ? '-' : ''}${parts.join(':')}${tail}`;
  return `${sign}${Math.floor(months / 12)}-${months % 12} ${bytes.readInt32LE(8)} ${clock}`;
}

/** A value of a log, as `TO_JSON_STRING` writes it, for the reference implementation. */
export function fromJson(value: Json | undefined, type: TypeProto): ValueProto {
  if (value === null || value === undefined) return {};
  const { arrayType, structType } = type;
  if (arrayType !== undefined && Array.isArray(value)) {
    return { arrayValue: { element: value.map((one) => fromJson(one, arrayType.elementType)) } };
  }
  if (structType !== undefined && isObject(value)) {
    const field = structType.field.map(({ fieldName = '', fieldType }) =>
      fromJson(value[fieldName], fieldType),
    );
    return { structValue: { field } };
  }
  const write = writers[type.typeKind];
  if (write === undefined) throw new Error(`no value of ${type.typeKind} can be sent`);
  return write(value);
}

const writers: Readonly<Record<string, (value: Json) => ValueProto>> = {
  TYPE_INT64: (value) => ({ int64Value: `${value}` }),
  TYPE_BOOL: (value) => ({ boolValue: value === true }),
  TYPE_DOUBLE: (value) => ({ doubleValue: Number(value) }),
  TYPE_STRING: (value) => ({ stringValue: `${value}` }),
  TYPE_TIMESTAMP: (value) => ({ timestampValue: timestampProto(`${value}`) }),
};

/** `text`: `2026-03-01T00:00:00.000001Z`. */
function timestampProto(text: string) {
  const [, fraction = ''] = /\.(\d+)/.exec(text) ?? [];
  const seconds = Math.floor(Date.parse(text.replace(/\.\d+/, '')) / 1_000);
  return { seconds: `${seconds}`, nanos: Number(fraction.padEnd(9, '0')) };
}
