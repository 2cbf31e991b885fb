import type { SourceSchema } from '../../src/types/schema.js';
import type { Field, StructType, Type } from '../../src/types/types.js';
import { columnName, scalarNames } from './every-call.js';

const element: StructType = {
  kind: 'STRUCT',
  fields: [field('a', { kind: 'STRING' }), field('b', { kind: 'INT64' })],
};

function field(name: string, type: Type): Field {
  return { name, type, stored: true };
}

/** A source `typed` with a column of every type: `one_BOOL`, `array_BOOL`, and records in both layouts. */
export const typedSource: SourceSchema = {
  name: 'typed',
  columns: [
    field('id', { kind: 'STRING' }),
    field('timestamp', { kind: 'TIMESTAMP' }),
    ...scalarNames.flatMap((kind) => [
      field(columnName('one', kind), { kind }),
      field(columnName('array', kind), { kind: 'ARRAY', layout: 'list', element: { kind } }),
    ]),
    field('records', { kind: 'ARRAY', layout: 'list', element }),
    { ...field('open', { kind: 'STRING' }), undeclared: true },
    field('folded', { kind: 'ARRAY', layout: 'struct', element }),
  ],
};
