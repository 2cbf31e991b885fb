import type { TextShape } from './text-shape.js';

/**
 * How the fields of a log line become the columns of a source. Names match in any letter case. If several names are given, the
 * first one that a record has is used. All other fields go below `metadata`.
 */
export interface Mapping {
  readonly id: readonly string[];
  readonly timestamp: readonly string[];
  readonly eventMessage: readonly string[];
  readonly project: ProjectMapping;
  /** Further fields of the line that are columns of the source. */
  readonly columns: readonly string[];
  /** How its level is found; absent if the source has no column that is made from it. */
  readonly level?: LevelMapping;
  /** How its lines become records, if they are not JSON. */
  readonly text?: TextShape;
  /** Whether records have the time of their file, if none of them has one. */
  readonly takesFileTime?: boolean;
  /** The zone of times without an offset; by default they are UTC. */
  readonly timezone?: string;
  /** The path to its records, if a line of JSON has several in lists; members beside the lists belong to each. */
  readonly records?: readonly string[];
  /** Whether lists of keys and values, as OpenTelemetry writes them, become objects. */
  readonly keyValues?: boolean;
  /** The sets of keys by which its records of JSON are recognized; `level:number` is one whose value is a number. */
  readonly marks?: readonly string[];
  /** Shapes of a higher order are recognized only if none of a lower one fits. */
  readonly order?: number;
}

/** Where the level of a record comes from. */
export interface LevelMapping {
  /** Names of fields. */
  readonly from: readonly string[];
  /**
   * Levels by value, in addition to the usual words. A number that is not listed gets the level of the next lower number that is.
   * The empty value gives the level of records that name none.
   */
  readonly values: Readonly<Record<string, string>>;
  /** Names of fields with a status code of HTTP. */
  readonly status: readonly string[];
  /** Whether a message that begins with a word for a level has it. */
  readonly inMessage: boolean;
}

/** Where the project of a record comes from, and where it goes. */
export interface ProjectMapping {
  /** A name may lead into records: `labels.tenant`. */
  readonly from: readonly string[];
  /** The project of a record in which none of these fields has a value; absent for none. */
  readonly otherwise?: string;
  /** The field of `metadata` that holds the project; absent if it is the column `project`. */
  readonly field?: string;
}

/** The project of a record that names none. */
export const defaultProject = 'default';
