import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import * as v from 'valibot';
import { SetupError } from '../../errors/errors.js';
import type { SourceSchema } from '../../types/schema.js';
import type { Field, ScalarName, Type } from '../../types/types.js';

/**
 * Reads the declared sources, one file each, sorted by name. Each gets the columns that every source
 * has, `project` if it is a column of the record, and `metadata` with the declared fields. Only the
 * columns before `metadata` are marked as stored; for all others the log files decide.
 * @throws SetupError with a line for each file that is not a valid declaration
 */
export function readDeclaredSources(folder: string): readonly SourceSchema[] {
  const files = jsonFiles(folder);
  const faults: string[] = [];
  const sources = files.flatMap((file) => {
    try {
      return [parseSource(basename(file, '.json'), readFileSync(join(folder, file), 'utf8'))];
    } catch (error) {
      faults.push(`${file}: ${error instanceof Error ? error.message : String(error)}`);
      return [];
    }
  });
  if (faults.length > 0) throw new SetupError(faults);
  return sources;
}

function jsonFiles(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
      .filter((file) => file.endsWith('.json'))
      .sort();
  } catch (error) {
    throw new SetupError([`${folder}: the declared sources cannot be read (${errorCode(error)})`]);
  }
}

function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}

const path = v.pipe(v.string(), v.regex(/^metadata(\.\w+)*$/, 'a path must begin with metadata'));
/** A field of a record, or of the log line itself. */
const fieldPath = v.pipe(
  v.string(),
  v.regex(/^(\w+|metadata(\.\w+)+)$/, 'a path must begin with metadata or be a column'),
);
const fieldType = v.pipe(
  v.string(),
  v.regex(/^(STRING|INT64|FLOAT64|BOOL)(\[\])?$/, 'unknown type of a field'),
);
const declaration = v.strictObject({
  also_called: v.optional(v.string()),
  project: v.union([v.literal('record column'), path]),
  repeated_records: v.array(path),
  fields: v.record(fieldPath, fieldType),
});

type Declaration = v.InferOutput<typeof declaration>;

function parseSource(name: string, text: string): SourceSchema {
  if (!/^\w+$/.test(name)) throw new Error('the name of a source is letters, digits and _');
  const declared = v.parse(declaration, JSON.parse(text));
  const fault = findFault(declared);
  if (fault !== undefined) throw new Error(fault);
  const metadata = { name: 'metadata', type: recordType(declared, 'metadata'), stored: false };
  const isColumn = declared.project === 'record column';
  const projectPath = isColumn ? ['project'] : declared.project.split('.');
  const columns = [...baseColumns(isColumn), ...lineFields(declared), metadata];
  return { name, columns, projectPath };
}

/** The declared fields of the log line itself. */
function lineFields({ fields }: Declaration): readonly Field[] {
  return Object.entries(fields).flatMap(([each, type]) =>
    each.includes('.') ? [] : [field(each, scalarType(type))],
  );
}

function baseColumns(hasProject: boolean): readonly Field[] {
  return [
    { name: 'id', type: { kind: 'STRING' }, stored: true },
    { name: 'timestamp', type: { kind: 'TIMESTAMP' }, stored: true },
    { name: 'event_message', type: { kind: 'STRING' }, stored: true },
    ...(hasProject ? [{ name: 'project', type: { kind: 'STRING' }, stored: true } as const] : []),
  ];
}

function findFault({ project, repeated_records, fields }: Declaration): string | undefined {
  const records = new Set(repeated_records);
  const paths = [...repeated_records, ...Object.keys(fields)];
  const lower = paths.map((each) => each.toLowerCase());
  const base = baseColumns(true).find(({ name }) => lower.includes(name));
  if (base !== undefined) return `${base.name} is a column of every source`;
  const twice = paths.find((_, index) => lower.indexOf(lower[index] ?? '') !== index);
  if (twice !== undefined) return `${twice} is declared twice`;
  const orphan = paths.find((each) => each.includes('.') && !records.has(parentOf(each)));
  if (orphan !== undefined) return `${parentOf(orphan)} is not among repeated_records`;
  if (!records.has('metadata')) return 'metadata is not among repeated_records';
  const known = project === 'record column' || project in fields;
  return known ? undefined : `project is ${project}, which is not declared`;
}

function parentOf(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf('.'), 0));
}

function recordType(declared: Declaration, record: string): Type {
  const children = (paths: readonly string[]) => paths.filter((each) => parentOf(each) === record);
  const scalars = children(Object.keys(declared.fields)).map((each) =>
    field(each, scalarType(declared.fields[each] ?? '')),
  );
  const records = children(declared.repeated_records).map((each) =>
    field(each, recordType(declared, each)),
  );
  const fields = [...scalars, ...records];
  return { kind: 'ARRAY', element: { kind: 'STRUCT', fields }, layout: 'struct' };
}

function field(path: string, type: Type): Field {
  return { name: path.slice(path.lastIndexOf('.') + 1), type, stored: false };
}

function scalarType(text: string): Type {
  const kind = text.replace('[]', '') as ScalarName;
  return text.endsWith('[]') ? { kind: 'ARRAY', element: { kind }, layout: 'list' } : { kind };
}
