import { type ParquetWriteOptions, parquetWriteBuffer } from 'hyparquet-writer';
import { forRanges } from '../types/ranges.js';
import type { ScalarName, Type } from '../types/types.js';
import type { Encode } from './formats.js';
import { decimalScales, readTable } from './values.js';

/**
 * A Parquet file, compressed with Snappy.
 * @see https://github.com/apache/parquet-format/blob/master/LogicalTypes.md
 */
export const encodeParquet: Encode = (rows, columns) => {
  const table = readTable(rows, columns);
  const elements = table.flatMap(({ name, type }) => schemaElements(name, type));
  const columnData = table.map(({ name, values }) => ({ name, data: values }));
  const schema = [{ name: 'schema', num_children: table.length }, ...elements];
  const file = new Uint8Array(
    parquetWriteBuffer({ schema, columnData, rowGroupSize: 100_000, createdBy }),
  );
  return rows.length === 0 ? typeGroups(file) : file;
};

const createdBy = 'log-endpoints';

/** No rows, a list of no row groups, and the creator, as Thrift writes them. */
const noGroups = Buffer.from(`\x16\x00\x19\x00\x28\x0d${createdBy}`);

/**
 * Marks the row groups of a file without rows as structs. hyparquet-writer takes the type of a list from its first
 * element, and arrow-rs reads no list without one.
 * @see https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md#list-and-set
 */
function typeGroups(file: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const at = Buffer.from(file.buffer).lastIndexOf(noGroups);
  if (at < 0)
    throw new Error('hyparquet-writer writes an empty list of row groups in another form');
  file[at + 3] = 0x0c;
  return file;
}

type SchemaElement = NonNullable<ParquetWriteOptions['schema']>[number];

/** The schema of a column, the outer element first. */
function schemaElements(name: string, type: Type): readonly SchemaElement[] {
  if (type.kind === 'ARRAY') {
    return [
      { name, repetition_type: 'OPTIONAL', num_children: 1, converted_type: 'LIST' },
      { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
      ...schemaElements('element', type.element),
    ];
  }
  if (type.kind !== 'STRUCT')
    return [{ name, repetition_type: 'OPTIONAL', ...elements[type.kind] }];
  return [
    { name, repetition_type: 'OPTIONAL', num_children: type.fields.length },
    ...type.fields.flatMap((field) => schemaElements(field.name, field.type)),
  ];
}

const text: Partial<SchemaElement> = {
  type: 'BYTE_ARRAY',
  converted_type: 'UTF8',
  logical_type: { type: 'STRING' },
};

const elements: Readonly<Record<ScalarName, Partial<SchemaElement>>> = {
  BOOL: { type: 'BOOLEAN' },
  BYTES: { type: 'BYTE_ARRAY' },
  BIGNUMERIC: decimal(decimalScales.BIGNUMERIC),
  DATE: { type: 'INT32', converted_type: 'DATE', logical_type: { type: 'DATE' } },
  DATETIME: {
    type: 'INT64',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: false, unit: 'MICROS' },
  },
  FLOAT64: { type: 'DOUBLE' },
  INT64: { type: 'INT64' },
  INTERVAL: text,
  JSON: text,
  NUMERIC: decimal(decimalScales.NUMERIC),
  ...forRanges(() => text),
  STRING: text,
  TIME: { type: 'INT64', logical_type: { type: 'TIME', isAdjustedToUTC: false, unit: 'MICROS' } },
  TIMESTAMP: {
    type: 'INT64',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' },
  },
};

function decimal(scale: number): Partial<SchemaElement> {
  return {
    type: 'FIXED_LEN_BYTE_ARRAY',
    type_length: 16,
    converted_type: 'DECIMAL',
    logical_type: { type: 'DECIMAL', precision: 38, scale },
    precision: 38,
    scale,
  };
}
