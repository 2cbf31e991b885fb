/**
 * How lines of text become records, as a shape declares it; plain values. A pattern is a regular expression whose named groups
 * become fields. The groups `timestamp`, or `year`, `month`, `day`, `time` and `zone`,
 * make the time; `event_message` makes the message.
 */
export interface TextShape {
  /** The patterns of a record's first line; the first one that fits counts. */
  readonly lines: readonly string[];
  /** Patterns of the lines after it, whose groups belong to the same record. */
  readonly also: readonly string[];
  /** What becomes of other lines: they go on the message of the record before, or are counted as skipped. */
  readonly others: 'join' | 'skip';
  /** Whether records have times of their own; else the file's time is theirs. */
  readonly hasTime: boolean;
  /** The values that stand for none. */
  readonly missing: readonly string[];
  /** Groups that hold several fields, by how they are written. */
  readonly open: Readonly<Record<string, OpenForm>>;
  /** What the values of groups are multiplied by. */
  readonly scale: Readonly<Record<string, number>>;
  /** The words that values of groups stand for. */
  readonly words: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Records that are written as several parts. */
  readonly parts?: PartsShape;
  /** Lines that belong to the record before with the same value of a group: their messages become its fields. */
  readonly attach?: {
    readonly same: string;
    readonly name: string;
    readonly values: readonly string[];
  };
  /** How a file is read if none of its first lines fits. */
  readonly otherwise?: TextShape;
  /** The groups that members of lines of JSON are, by their names; the patterns are not used then. */
  readonly object?: Readonly<Record<string, string>>;
  /** Lines of values with a header; the patterns are not used then. */
  readonly table?: TableShape;
}

/** How a group's text is written: an object whose fields belong to the record, a JSON value, pairs `key=value`, elements of RFC 5424, or its priority. */
export type OpenForm = 'json' | 'value' | 'pairs' | 'structured' | 'priority';

/** How records are written as several parts. */
export interface PartsShape {
  /** The group whose value parts of a record share. */
  readonly by: string;
  /** The group that says which parts are not the last ones; absent if the last part ends with a line break. */
  readonly flag?: string | undefined;
  readonly partial?: string | undefined;
}

/** How a table of values is written. */
export interface TableShape {
  /** What stands between values. */
  readonly separator: string;
  /** What the line with the names of the columns begins with; absent if the first line has them. */
  readonly header?: string | undefined;
  /** The names of the columns of a table that has no header. */
  readonly columns?: readonly string[] | undefined;
  /** Other names for columns. */
  readonly names: Readonly<Record<string, string>>;
  /** Whether values are percent-encoded. */
  readonly isEncoded: boolean;
}
