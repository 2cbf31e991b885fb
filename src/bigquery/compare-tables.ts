import type { LoadedLogs } from '../start/logs.js';
import { type Field, recordFields, type Type, typeName } from '../types/types.js';

/**
 * Compares the columns of the tables with those of the declared sources. `missing` has a line for each table that
 * lacks declared fields, which are then NULL; `faults` lists fields whose type differs from the declared one.
 */
export function compareTables({ sources, declared }: Pick<LoadedLogs, 'sources' | 'declared'>) {
  const missing: string[] = [];
  let lacking: string[] = [];
  const faults: string[] = [];
  const compare = (path: string, found: Field, wanted: Field): void => {
    if (!found.stored) lacking.push(path);
    else if (kindName(found.type) !== kindName(wanted.type)) {
      const types = `${shortType(found.type)} in BigQuery, and declared as ${shortType(wanted.type)}`;
      faults.push(`${path} is ${types}`);
    } else compareAll(path, recordFields(found.type), recordFields(wanted.type));
  };
  const compareAll = (path: string, found: readonly Field[], wanted: readonly Field[]): void => {
    const own = new Map(found.map((field) => [field.name.toLowerCase(), field]));
    for (const field of wanted) {
      const other = own.get(field.name.toLowerCase());
      if (other !== undefined) compare(`${path}.${field.name}`, other, field);
    }
  };
  for (const source of declared) {
    const found = sources.find(({ name }) => name === source.name)?.columns ?? [];
    // A source without a table shares the declared array of columns.
    if (found !== source.columns) compareAll(source.name, found, source.columns);
    if (lacking.length > 0) missing.push(describe(source.name, lacking));
    lacking = [];
  }
  return { missing, faults };
}

/** The maximum number of fields in a line. */
const maxNames = 5;

function describe(source: string, fields: readonly string[]): string {
  const named = fields.slice(0, maxNames).join(', ');
  const more = fields.length > maxNames ? `, and ${fields.length - maxNames} more` : '';
  return `${source}: declared fields that its table does not have read NULL: ${named}${more}`;
}

function kindName(type: Type): string {
  return type.kind === 'ARRAY' ? `ARRAY<${kindName(type.element)}>` : type.kind;
}

function shortType(type: Type): string {
  return type.kind === 'STRUCT' || type.kind === 'ARRAY' ? kindName(type) : typeName(type);
}
