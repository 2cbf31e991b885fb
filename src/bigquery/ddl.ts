import type { Settings } from '../config/settings.js';
import { SetupError } from '../errors/errors.js';
import { openSources } from '../start/source-files.js';
import type { Field, Type } from '../types/types.js';
import { tablePath } from './target/target.js';

/**
 * Prints the statements that create the declared sources as BigQuery tables.
 * @throws SetupError for any action other than `ddl`
 */
export function printDdl(settings: Settings, action: string): string {
  const { bigqueryTables: tables = '' } = settings;
  if (action !== 'ddl') {
    throw new SetupError([`Unknown action for bigquery: ${action}; expected ddl`]);
  }
  const { declared } = openSources(settings);
  const statements = declared.map(({ name, columns }) =>
    tableStatement(tablePath(tables, name), columns),
  );
  return statements.join('\n');
}

/** Returns a CREATE TABLE statement. Every table has a project column, by which it is clustered. */
export function tableStatement(path: readonly string[], columns: readonly Field[]): string {
  const project: Field = { name: 'project', type: { kind: 'STRING' }, stored: true };
  const hasProject = columns.some(({ name }) => name === 'project');
  const all = hasProject ? columns : [project, ...columns];
  const lines = all.filter(hasFields).map(({ name, type }) => {
    const isTime = name === 'timestamp';
    return `  \`${name}\` ${ddlType(type, '  ')}${isTime ? ' NOT NULL' : ''}`;
  });
  return `CREATE TABLE \`${path.join('.')}\` (
${lines.join(',\n')}
)
PARTITION BY DATE(timestamp)
CLUSTER BY project
OPTIONS (require_partition_filter = TRUE);
`;
}

/** BigQuery has no records without fields. */
function hasFields({ type }: Pick<Field, 'type'>): boolean {
  if (type.kind === 'ARRAY') return hasFields({ type: type.element });
  return type.kind !== 'STRUCT' || type.fields.some(hasFields);
}

function ddlType(type: Type, indent: string): string {
  if (type.kind === 'ARRAY') return `ARRAY<${ddlType(type.element, indent)}>`;
  if (type.kind !== 'STRUCT') return type.kind;
  const inner = `${indent}  `;
  const fields = type.fields
    .filter(hasFields)
    .map((field) => `${inner}\`${field.name}\` ${ddlType(field.type, inner)}`);
  return `STRUCT<\n${fields.join(',\n')}\n${indent}>`;
}
