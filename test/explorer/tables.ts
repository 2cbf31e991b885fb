import type { ListedEndpoint, ListedTable } from '../../src/explorer/model/endpoint.js';
import type { FieldSchema } from '../../src/types/table-schema.js';

type ScalarName = Exclude<FieldSchema['type'], 'STRUCT'>;

/** A scalar column. */
export function scalar(name: string, type: ScalarName = 'STRING'): FieldSchema {
  return { name, type, mode: 'NULLABLE' };
}

/** A repeated record, as all records of logs are. */
export function records(name: string, ...fields: readonly FieldSchema[]): FieldSchema {
  return { name, type: 'STRUCT', mode: 'REPEATED', fields };
}

/** A source with records in its records. */
export const edgeLogs: ListedTable = {
  name: 'edge_logs',
  schema: {
    fields: [
      scalar('timestamp', 'TIMESTAMP'),
      scalar('id'),
      scalar('event_message'),
      records(
        'metadata',
        records('request', scalar('path'), scalar('method'), records('headers', scalar('host'))),
        records('response', scalar('status_code', 'INT64'), records('headers', scalar('date'))),
        { name: 'tags', type: 'STRING', mode: 'REPEATED' },
      ),
    ],
  },
};

/** An endpoint over the source. */
export const endpoint: ListedEndpoint = {
  name: 'logs.all',
  id: '0d5c2b1e-7f0a-4d3b-9a61-3f5a8c2e4b10',
  parameters: [
    { name: 'project', type: 'string', required: true },
    { name: 'iso_timestamp_start', type: 'timestamp', required: false },
    { name: 'iso_timestamp_end', type: 'timestamp', required: false },
  ],
  maxRows: 1000,
  cacheSeconds: 0,
  sandbox: true,
  redactPii: false,
  sql: 'select 1',
  schema: edgeLogs.schema,
  tables: [edgeLogs],
};
