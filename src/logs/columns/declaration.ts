import * as v from 'valibot';
import { parseFile } from '../../process/parse-file.js';
import type { SourceSchema } from '../../types/schema.js';
import { type Field, isScalarName, type Type } from '../../types/types.js';
import type { NamedSource } from '../files/files.js';
import { defaultProject, type Mapping } from '../shapes/mapping.js';
import { namesSchema, textSchema } from '../shapes/text-shape.js';
import { levelMapping, readTextShape, shapeKeys, withLogFormat } from './shape-keys.js';

/** A declared source, before any log file is read. */
export interface DeclaredSource extends SourceSchema, NamedSource {
  readonly projectPath: readonly string[];
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
const sourceName = v.pipe(
  textSchema,
  v.regex(/^[A-Za-z_]\w{0,99}$/, 'the name of a source is letters, digits and _'),
);

/** Whether a source may have this name. */
export function isSourceName(name: string): boolean {
  return v.is(sourceName, name);
}

/** The file that declares a source. */
export const declaration = v.strictObject({
  $schema: v.optional(v.string()),
  ...shapeKeys,
  also_called: namesSchema(sourceName),
  id: namesSchema(textSchema),
  timestamp: namesSchema(textSchema),
  event_message: namesSchema(textSchema),
  project: v.optional(
    v.union(
      [textSchema, v.array(textSchema), v.strictObject({ constant: textSchema })],
      'must be the name of a field, a list of names, or {"constant": "…"}',
    ),
  ),
  repeated_records: v.optional(v.array(path), []),
  fields: v.optional(v.record(fieldPath, fieldType), {}),
});

type Declaration = v.InferOutput<typeof declaration>;

/** The last column of some sources: the level of a record, which is derived from its fields. */
export const madeLevel: Field = { name: 'level', type: { kind: 'STRING' }, stored: true };

/** The options of a declaration. */
export interface ParseOptions {
  /** Whether the source gets a column `level`; shipped ones have none. */
  readonly makesLevel?: boolean;
  /** The pieces that its patterns may use. */
  readonly pieces?: Readonly<Record<string, string>>;
}

/**
 * Parses the declaration of a source, in JSON: `{}` is enough. It gets the columns that every source has, `project`
 * if it is a column, and `metadata` with the declared fields. Only the columns before `metadata` are marked as
 * stored; for all others the log files decide.
 * @throws Error if it is not valid
 */
export function parseDeclaration(
  name: string,
  json: string,
  { makesLevel = false, pieces = {} }: ParseOptions = {},
): DeclaredSource {
  const declared = withLogFormat(parseFile(declaration, json));
  const fault = findFault(declared);
  if (fault !== undefined) throw new Error(fault);
  const { also_called: aliases = [] } = declared;
  const metadata = { name: 'metadata', type: recordType(declared, 'metadata'), stored: false };
  const projectPath = declaredProjectPath(declared);
  const lines = lineFields(declared);
  const hasLevel = makesLevel && !lines.some((column) => column.name === madeLevel.name);
  const mapping = declaredMapping(declared, hasLevel, pieces);
  return {
    name,
    columns: [
      ...baseColumns(projectPath.length === 1),
      ...lines,
      metadata,
      ...(hasLevel ? [madeLevel] : []),
    ],
    projectPath,
    ...(aliases.length > 0 && { aliases }),
    ...(mapping && { mapping }),
  };
}

/** The project is a column, unless the unmapped records already have it as a declared field. */
function declaredProjectPath({ project, fields }: Declaration): readonly string[] {
  const isField = typeof project === 'string' && project.includes('.') && project in fields;
  return isField ? project.split('.') : ['project'];
}

/** Returns undefined if the records of the files already have the columns of the source. */
function declaredMapping(
  declared: Declaration,
  hasLevel: boolean,
  pieces: Readonly<Record<string, string>>,
): Mapping | undefined {
  const { id, timestamp, event_message, project, text: lines, marks, order } = declared;
  const isField = declaredProjectPath(declared).length > 1;
  const isColumn = project === 'record column';
  const isNamed = [id, timestamp, event_message, lines].some((given) => given !== undefined);
  if (!isNamed && (isField || isColumn) && !hasLevel) return undefined;
  return {
    id: id ?? ['id'],
    timestamp: timestamp ?? ['timestamp'],
    eventMessage: event_message ?? ['event_message'],
    project: isField ? { from: [] } : projectFrom(declared),
    columns: lineFields(declared).map(({ name }) => name),
    ...(hasLevel && { level: levelMapping(declared) }),
    ...(lines && { text: readTextShape(lines, pieces) }),
    ...(marks.length > 0 && { marks }),
    ...(order > 0 && { order }),
    ...(declared.records.length > 0 && { records: declared.records }),
    ...(declared.keyValues && { keyValues: true }),
    ...(declared.takesFileTime && { takesFileTime: true }),
  };
}

function projectFrom({ project, text: lines }: Declaration): Mapping['project'] {
  if (project === 'record column') return { from: ['project'] };
  // The project of a text line comes only from its JSON, never from its other fields.
  const isText = lines !== undefined && !Object.values(lines.open).includes('json');
  if (project === undefined && isText) return { from: [], otherwise: defaultProject };
  if (typeof project === 'object' && 'constant' in project) {
    return { from: [], otherwise: project.constant };
  }
  return { from: [project ?? 'project'].flat(), otherwise: defaultProject };
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

function findFault(declared: Declaration): string | undefined {
  const fields = Object.keys(declared.fields);
  const paths = [...declaredRecords(declared), ...fields];
  const lower = paths.map((each) => each.toLowerCase());
  const base = baseColumns(true).find(({ name }) => lower.includes(name));
  if (base !== undefined) return `${base.name} is a column of every source`;
  const owner = declaredProjectPath(declared).join('.');
  if (declared.fields[owner] !== undefined && declared.fields[owner] !== 'STRING') {
    return `project: ${owner} must be declared STRING`;
  }
  const twice = paths.find((_, index) => lower.indexOf(lower[index] ?? '') !== index);
  return twice === undefined ? undefined : `${twice} is declared twice`;
}

/** The declared records, and the records that hold declared fields. */
function declaredRecords({ repeated_records, fields }: Declaration): readonly string[] {
  const paths = [...repeated_records, ...Object.keys(fields).map(parentPath)];
  const all = paths.flatMap((each) => {
    const parts = each.split('.');
    return parts.map((_, index) => parts.slice(0, index + 1).join('.'));
  });
  // Keep the order in which the records are declared.
  return [...new Set([...repeated_records, 'metadata', ...all])].filter((each) => each !== '');
}

function parentPath(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf('.'), 0));
}

function recordType(
  declared: Declaration,
  record: string,
  all: readonly string[] = declaredRecords(declared),
): Type {
  const children = (paths: readonly string[]) =>
    paths.filter((each) => parentPath(each) === record);
  const scalars = children(Object.keys(declared.fields)).map((each) =>
    field(each, scalarType(declared.fields[each] ?? '')),
  );
  const records = children(all).map((each) => field(each, recordType(declared, each, all)));
  const fields = [...scalars, ...records];
  return { kind: 'ARRAY', element: { kind: 'STRUCT', fields }, layout: 'struct' };
}

function field(path: string, type: Type): Field {
  return { name: path.slice(path.lastIndexOf('.') + 1), type, stored: false };
}

function scalarType(text: string): Type {
  const kind = text.replace('[]', '');
  if (!isScalarName(kind)) throw new Error(`no field is declared ${text}`);
  return text.endsWith('[]') ? { kind: 'ARRAY', element: { kind }, layout: 'list' } : { kind };
}
