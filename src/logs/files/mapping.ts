/**
 * How the fields of a log line become the columns of a source. Names are matched without regard to
 * letter case; the first of several that a record has counts. Every other field goes below `metadata`.
 */
export interface Mapping {
  readonly id: readonly string[];
  readonly timestamp: readonly string[];
  readonly eventMessage: readonly string[];
  readonly project: ProjectMapping;
  /** Further fields of the line that are columns of the source. */
  readonly columns: readonly string[];
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
