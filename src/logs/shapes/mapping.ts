import type { TextShape } from './text-shape.js';

/**
 * Maps the fields of a log line to the columns of a source. Names match in any letter case. If several names are
 * given, the first one that a record has is used. All other fields go into `metadata`.
 */
export interface Mapping {
  readonly id: readonly string[];
  readonly timestamp: readonly string[];
  readonly eventMessage: readonly string[];
  readonly project: ProjectMapping;
  /** Extra fields of the line that are columns of the source. */
  readonly columns: readonly string[];
  /** The rules that find its level; absent if the source has no derived level column. */
  readonly level?: LevelMapping;
  /** The rules that parse its lines, if they are not JSON. */
  readonly text?: TextShape;
  /** Whether records get the time of their file, if none of them has its own. */
  readonly takesFileTime?: boolean;
  /** The zone of times without an offset; by default UTC. */
  readonly timezone?: string;
  /**
   * The path to its records, if a JSON line holds several in lists; each record also gets the members that are not in
   * the lists.
   */
  readonly records?: readonly string[];
  /** Whether lists of keys and values, as written by OpenTelemetry, become objects. */
  readonly keyValues?: boolean;
  /** The sets of keys that identify its JSON records; `level:number` is a key whose value is a number. */
  readonly marks?: readonly string[];
  /** Shapes of a higher order are recognized only if no shape of a lower order fits. */
  readonly order?: number;
}

/** The rules that find the level of a record. */
export interface LevelMapping {
  /** The names of level fields. */
  readonly from: readonly string[];
  /**
   * Levels by value, in addition to the usual words. An unlisted number gets the level of the next lower listed
   * number. The empty value gives the level of records without one.
   */
  readonly values: Readonly<Record<string, string>>;
  /** The names of fields with an HTTP status code. */
  readonly status: readonly string[];
  /** Whether a word for a level at the beginning of a message counts as the record's level. */
  readonly inMessage: boolean;
}

/** The source and the target of a record's project. */
export interface ProjectMapping {
  /** A name may lead into records: `labels.tenant`. */
  readonly from: readonly string[];
  /** The project of a record in which none of these fields has a value; absent for no project. */
  readonly otherwise?: string;
  /** The field of `metadata` that holds the project; absent if it is the column `project`. */
  readonly field?: string;
}

/** The project of a record that does not name one. */
export const defaultProject = 'default';
