import type { LqlScope } from '../../src/compiler/lql/lql-scope.js';
import { arrayType, scalar, structType } from '../../src/types/types.js';

const metadata = arrayType(
  structType([
    { name: 'level', type: scalar('STRING') },
    { name: 'size', type: scalar('INT64') },
    { name: 'ratio', type: scalar('FLOAT64') },
    { name: 'ok', type: scalar('BOOL') },
    { name: 'tags', type: arrayType(scalar('STRING')) },
    { name: 'codes', type: arrayType(scalar('INT64')) },
    { name: 'x-ray', type: scalar('STRING') },
    {
      name: 'request',
      type: arrayType(
        structType([
          { name: 'path', type: scalar('STRING') },
          { name: 'status', type: scalar('INT64') },
        ]),
      ),
    },
    { name: 'info', type: structType([{ name: 'host', type: scalar('STRING') }]) },
  ]),
);

/** Tables like an endpoint's CTEs: logs, counts by DATETIME, and one without any of the usual columns. */
export const lqlScope: LqlScope = {
  tables: [
    {
      name: 'logs',
      columns: [
        { name: 'timestamp', type: scalar('TIMESTAMP') },
        { name: 'id', type: scalar('STRING') },
        { name: 'event_message', type: scalar('STRING') },
        { name: 'metadata', type: metadata },
        { name: 'project', type: scalar('STRING') },
      ],
    },
    {
      name: 'counts',
      columns: [
        { name: 'timestamp', type: scalar('DATETIME') },
        { name: 'total', type: scalar('INT64') },
      ],
    },
    {
      name: 'days',
      columns: [
        { name: 'day', type: scalar('DATE') },
        { name: 'start', type: scalar('TIMESTAMP') },
        { name: 'price', type: scalar('NUMERIC') },
      ],
    },
  ],
  defaultTable: 'logs',
};
