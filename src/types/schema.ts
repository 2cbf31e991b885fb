import { type Field, openText, type Type } from './types.js';

/** The table of one source, `logs.<name>` in the engine. */
export interface SourceSchema {
  readonly name: string;
  /** Its other names. */
  readonly aliases?: readonly string[];
  /** In order: `id`, `timestamp`, `event_message`, `project` if declared, `metadata`, undeclared columns. */
  readonly columns: readonly Field[];
  /** The database files that store the records. Absent if the main database file stores them. */
  readonly parts?: readonly Part[];
  /** The path of the field that names a record's project, for example `metadata`, `project_ref`. */
  readonly projectPath?: readonly string[];
  /** The project of all stored records, if they have only one. */
  readonly onlyProject?: string;
  /**
   * The time of the last record of all sources, in unix microseconds, if queries see that time as the
   * request's instant and all other times shifted with it; absent if they see the stored times.
   */
  readonly seenAsNow?: number;
}

/** Some of a source's records, ordered by time. */
export interface Part {
  /** A database file with a table named like the source. */
  readonly file: string;
  /** The name of the view, in the engine's schema `logs`, that shows only this part. */
  readonly view: string;
  /**
   * Its columns, if they differ from the source's columns: it lacks some fields, or stores fewer of the records as
   * lists.
   */
  readonly columns?: readonly Field[];
}

/** Whether a part of a source has columns that differ from the source's columns. */
export function hasOtherParts({ parts = [] }: Pick<SourceSchema, 'parts'>): boolean {
  return parts.some(({ columns }) => columns !== undefined);
}

/** The same schema, but each undeclared field is a STRING that can be read as any type. */
export function withOpenFields(source: SourceSchema): SourceSchema {
  return { ...source, columns: source.columns.map(openField) };
}

function openField(field: Field): Field {
  const { type, undeclared } = field;
  return { ...field, type: undeclared ? openText(type) : openFields(type) };
}

function openFields(type: Type): Type {
  if (type.kind === 'ARRAY') return { ...type, element: openFields(type.element) };
  return type.kind === 'STRUCT' ? { ...type, fields: type.fields.map(openField) } : type;
}

/**
 * Columns of every view of stored records that identify one record: the index of the record in its
 * part, and the index of the part in its source, both from 0.
 */
export const rowIdColumns = ['row id', 'part id'] as const;

/** Whether a source's view has the {@link rowIdColumns}: not if one of its own columns has one of these names. */
export function hasRowIds({
  columns,
}: {
  readonly columns: readonly { readonly name: string }[];
}): boolean {
  const reserved: ReadonlySet<string> = new Set(['rowid', ...rowIdColumns]);
  return !columns.some(({ name }) => reserved.has(name.toLowerCase()));
}
