import * as v from 'valibot';

/** A string that is not empty. */
export const textSchema = v.pipe(v.string('must be a string'), v.minLength(1, 'must not be empty'));

/** Strings by name. */
export const texts = v.record(v.string(), textSchema);

/** A name or a list of names, read as a list. */
export function namesSchema(name: v.GenericSchema<string, string>) {
  const one = v.pipe(
    name,
    v.transform((only) => [only]),
  );
  return v.optional(v.union([one, v.array(name)], 'must be a name or a list of names'));
}

const patterns = {
  /** The patterns of a record's first line; the first one that fits counts. */
  lines: namesSchema(textSchema),
  /** The patterns of the lines that continue a record; their groups belong to it, too. */
  also: namesSchema(textSchema),
};

/** The format of records in several parts. */
const parts = v.strictObject({
  /** The group whose value is the same in all parts of a record. */
  by: textSchema,
  /**
   * The group whose value equals `partial` in every part but the last; absent if the last part ends with a line break.
   */
  flag: v.optional(textSchema),
  partial: v.optional(textSchema),
});

/** The format of a table. */
const table = v.strictObject({
  /** The separator between values. */
  separator: textSchema,
  /** The beginning of the line with the names of the columns; absent if the first line has them. */
  header: v.optional(textSchema),
  /** The names of the columns of a table that has no header. */
  columns: v.optional(v.array(textSchema)),
  /** The pattern of a row of a table that has no header. */
  row: v.optional(textSchema),
  /** How many of the last columns a row may lack. */
  optional: v.optional(v.number(), 0),
  /** Other names for columns. */
  names: v.optional(texts, {}),
  /** Whether values are percent-encoded. */
  isEncoded: v.optional(v.boolean(), false),
});

/**
 * The keys of a declaration that describe lines of text. A pattern is a regular expression; its named groups become
 * fields. The group `timestamp` is the time; so are `year`, `month`, `day`, `time` and `zone` together. The group
 * `event_message` is the message.
 */
export const textKeys = v.strictObject({
  ...patterns,
  /** The format of a file if fewer than a tenth of its first lines fit. */
  otherwise: v.optional(v.strictObject(patterns)),
  /** The patterns of the texts of groups, by group; the groups of the first one that fits replace it. */
  inside: v.optional(v.record(v.string(), v.array(textSchema)), {}),
  /**
   * The patterns of other programs' lines in the same file: they are records, which may go on, but files are not
   * recognized by them.
   */
  besides: namesSchema(textSchema),
  /** Groups in which a level in capitals means that the line does not fit. */
  noLevels: v.optional(v.array(v.string()), []),
  /** The treatment of other lines: append them to the message of the record before, or count them as skipped. */
  others: v.optional(v.picklist(['join', 'skip']), 'join'),
  /** The values that mean no value. */
  missing: v.optional(v.array(v.string()), ['-', '']),
  /**
   * Groups that hold several fields, by their format: an object whose fields belong to the record, a JSON value,
   * pairs `key=value`, elements of RFC 5424, or its priority.
   */
  open: v.optional(
    v.record(v.string(), v.picklist(['json', 'value', 'pairs', 'structured', 'priority'])),
    {},
  ),
  /** The factors of groups, or of their values with a unit, by unit: `{"request_time": {"ms": 0.001}}`. */
  scale: v.optional(
    v.record(v.string(), v.union([v.number(), v.record(v.string(), v.number())])),
    {},
  ),
  /** The words that replace values of groups. */
  words: v.optional(v.record(v.string(), texts), {}),
  /** The group of each member of JSON lines, by name; the patterns are not used then. */
  object: v.optional(texts),
  /** The group that a record has once: a line that continues a record and has it again begins another one. */
  once: v.optional(textSchema),
  /** Records written in several parts. */
  parts: v.optional(parts),
  /** Lines that belong to the record before with the same value of a group: their messages become its fields. */
  attach: v.optional(
    v.strictObject({ same: textSchema, name: textSchema, values: v.array(textSchema) }),
  ),
  /** Lines of values with a header; the patterns are not used then. */
  table: v.optional(table),
});

/** A text shape as declared. */
export type TextKeys = v.InferOutput<typeof textKeys>;

/** The rules that turn lines of text into records; plain values. */
export interface TextShape extends Omit<Readonly<TextKeys>, TextPatterns | 'otherwise'> {
  readonly lines: readonly string[];
  readonly also: readonly string[];
  readonly besides: readonly string[];
  readonly otherwise?: TextShape;
}

type TextPatterns = 'lines' | 'also' | 'besides';

/** The format of a group's text. */
export type OpenForm = TextKeys['open'][string];

/** The format of a table. */
export type TableShape = v.InferOutput<typeof table>;
