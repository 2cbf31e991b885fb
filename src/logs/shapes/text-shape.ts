import * as v from 'valibot';

/** A string that is not empty. */
export const text = v.pipe(v.string('must be a string'), v.minLength(1, 'must not be empty'));

/** Strings by name. */
export const texts = v.record(v.string(), text);

/** One name or several, as a list. */
export function names(name: v.GenericSchema<string, string>) {
  const one = v.pipe(
    name,
    v.transform((only) => [only]),
  );
  return v.optional(v.union([one, v.array(name)], 'must be a name or a list of names'));
}

const patterns = {
  /** The patterns of a record's first line; the first match counts. */
  lines: names(text),
  /** Patterns of the next lines, whose groups belong to the same record. */
  also: names(text),
};

/** The format of records in several parts. */
const parts = v.strictObject({
  /** The group whose value all parts of a record share. */
  by: text,
  /** The group that marks parts other than the last; absent if the last part ends with a line break. */
  flag: v.optional(text),
  partial: v.optional(text),
});

/** The format of a table. */
const table = v.strictObject({
  /** The separator between values. */
  separator: text,
  /** The beginning of the line with the column names; absent if it is the first line. */
  header: v.optional(text),
  /** The names of the columns of a table that has no header. */
  columns: v.optional(v.array(text)),
  /** Other names for columns. */
  names: v.optional(texts, {}),
  /** Whether values are percent-encoded. */
  isEncoded: v.optional(v.boolean(), false),
});

/**
 * The keys of a declaration that describe lines of text. A pattern is a regular expression; its named groups become fields.
 * The group `timestamp` is the time; so are `year`, `month`, `day`, `time` and `zone` together. The group `event_message` is
 * the message.
 */
export const textKeys = v.strictObject({
  ...patterns,
  /** The format of a file if fewer than a tenth of its first lines fit. */
  otherwise: v.optional(v.strictObject(patterns)),
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
  /** The factors of groups. */
  scale: v.optional(v.record(v.string(), v.number()), {}),
  /** The words that replace values of groups. */
  words: v.optional(v.record(v.string(), texts), {}),
  /** The group of each member of JSON lines, by name; the patterns are not used then. */
  object: v.optional(texts),
  /** Records written in several parts. */
  parts: v.optional(parts),
  /** Lines that belong to the record before with the same value of a group: their messages become its fields. */
  attach: v.optional(v.strictObject({ same: text, name: text, values: v.array(text) })),
  /** Lines of values with a header; the patterns are not used then. */
  table: v.optional(table),
});

/** A text shape as declared. */
export type TextKeys = v.InferOutput<typeof textKeys>;

/** The rules that turn lines of text into records; plain values. */
export interface TextShape extends Omit<Readonly<TextKeys>, 'lines' | 'also' | 'otherwise'> {
  readonly lines: readonly string[];
  readonly also: readonly string[];
  /** Whether records have their own times; otherwise they get the file's. */
  readonly hasTime: boolean;
  readonly otherwise?: TextShape;
}

/** The format of a group's text. */
export type OpenForm = TextKeys['open'][string];

/** The format of a table. */
export type TableShape = v.InferOutput<typeof table>;
