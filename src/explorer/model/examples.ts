import type { Endpoint, Table } from './endpoint.js';
import { leafPaths, quoteName, type RecordPath, readPath } from './record-paths.js';

/** A query to begin with. */
export interface Example {
  readonly title: string;
  readonly language: 'sql' | 'lql';
  readonly text: string;
}

/** Fields that tell kinds of records apart, the best first. */
const kinds = ['status_code', 'level', 'error_severity', 'method', 'state', 'event_type', 'action'];

/** The columns of a log that everybody wants to see first. */
const usual = ['timestamp', 'event_message', 'id', 'metadata'];

/** The query that an empty editor begins with. */
export function firstQuery(endpoint: Endpoint, language: 'sql' | 'lql'): string {
  const [table] = endpoint.tables;
  if (table === undefined) return '';
  return examplesOf(table).find((one) => one.language === language)?.text ?? '';
}

/** Queries over a table: its newest records, records by hour, and records by their kind. */
export function examplesOf(table: Table): readonly Example[] {
  const hasTime = table.schema.fields.some(({ name }) => name === 'timestamp');
  const kind = kindOf(table);
  const byTime = `f:${table.name} c:count(*) c:group_by(t::hour)`;
  const examples = [
    example('Newest records', 'sql', newest(table, hasTime)),
    hasTime && example('Records by hour', 'sql', byHour(table)),
    kind && example(`Records by ${kind.at(-1)?.name}`, 'sql', byKind(table, kind)),
    example('Newest records', 'lql', `f:${table.name}`),
    hasTime && example('Records by hour', 'lql', byTime),
  ];
  return examples.filter((one) => typeof one === 'object');
}

function example(title: string, language: Example['language'], text: string): Example {
  return { title, language, text };
}

function newest({ name, schema }: Table, hasTime: boolean): string {
  const names = schema.fields.map((field) => field.name);
  const shown = usual.filter((one) => names.includes(one));
  const columns = shown.length === 0 ? '*' : shown.join(', ');
  return [
    `select ${columns}`,
    `from ${quoteName(name)}`,
    ...(hasTime ? ['order by timestamp desc'] : []),
    'limit 100',
  ].join('\n');
}

function byHour({ name }: Table): string {
  return [
    'select timestamp_trunc(timestamp, hour) as hour, count(*) as records',
    `from ${quoteName(name)}`,
    'group by hour',
    'order by hour',
  ].join('\n');
}

function byKind({ name }: Table, path: RecordPath): string {
  const { expression, unnests } = readPath(path, { known: new Map(), taken: new Set() });
  return [
    `select ${expression}, count(*) as records`,
    `from ${quoteName(name)}`,
    ...unnests.map((unnest) => `cross join ${unnest}`),
    'group by 1',
    'order by records desc',
  ].join('\n');
}

function kindOf(table: Table): RecordPath | undefined {
  const paths = leafPaths(table.schema.fields);
  return kinds.flatMap((kind) => paths.filter((path) => path.at(-1)?.name === kind)).at(0);
}
