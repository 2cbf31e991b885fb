import * as arrow from '@uwdata/flechette';
import { forRanges } from '../types/ranges.js';
import type { ScalarName, Type } from '../types/types.js';
import type { Encode } from './formats.js';
import { decimalScales, readTable } from './values.js';

/**
 * A stream of Arrow's interprocess format, with one batch of records.
 * @see https://arrow.apache.org/docs/format/Columnar.html
 */
export const encodeArrow: Encode = (rows, columns) => {
  const pairs = readTable(rows, columns).map(({ name, type, values }): NamedColumn => {
    // Flechette expects dates and instants in milliseconds, so it gets their stored numbers instead.
    const { data } = arrow.columnFromArray(values, arrowType(type, stored));
    const column = new arrow.Column([...data], arrowType(type, shown));
    return [name, column];
  });
  const bytes = arrow.tableToIPC(arrow.tableFromColumns(pairs), { format: 'stream' });
  return new Uint8Array(bytes ?? []);
};

type NamedColumn = [name: string, column: arrow.Column<unknown>];
type Scalars = Readonly<Record<ScalarName, arrow.DataType>>;

function arrowType(type: Type, scalars: Scalars): arrow.DataType {
  if (type.kind === 'ARRAY')
    return arrow.list(arrow.field('item', arrowType(type.element, scalars)));
  if (type.kind !== 'STRUCT') return scalars[type.kind];
  return arrow.struct(
    type.fields.map((field) => arrow.field(field.name, arrowType(field.type, scalars))),
  );
}

const shown: Scalars = {
  BOOL: arrow.bool(),
  BYTES: arrow.binary(),
  BIGNUMERIC: arrow.decimal(38, decimalScales.BIGNUMERIC, 128),
  DATE: arrow.dateDay(),
  DATETIME: arrow.timestamp(arrow.TimeUnit.MICROSECOND),
  FLOAT64: arrow.float64(),
  INT64: arrow.int64(),
  INTERVAL: arrow.utf8(),
  JSON: arrow.utf8(),
  NUMERIC: arrow.decimal(38, decimalScales.NUMERIC, 128),
  ...forRanges(() => arrow.utf8()),
  STRING: arrow.utf8(),
  TIME: arrow.timeMicrosecond(),
  TIMESTAMP: arrow.timestamp(arrow.TimeUnit.MICROSECOND, 'UTC'),
};

const stored: Scalars = {
  ...shown,
  DATE: arrow.int32(),
  DATETIME: arrow.int64(),
  TIMESTAMP: arrow.int64(),
};
