/** How a script prints the undeclared members of a record. */
export interface MemberOptions {
  readonly form: FormName;
  readonly kinds: Kinds;
}

/**
 * What members are printed for: `answer` is for an answer, `text` for TO_JSON_STRING, and `value` for TO_JSON. `wide value`
 * is for a TO_JSON that returns numbers as strings instead of rounding them. `strings` is for SEARCH, which reads only
 * strings.
 */
export type FormName = 'answer' | 'text' | 'value' | 'wide value' | 'strings';

/** The kinds of a record's fields, by name. */
export interface Kinds {
  readonly [name: string]: Kind | undefined;
}

/**
 * What DuckDB's JSON does not show of a field: that it is a NUMERIC, or a record without fields, which is stored as
 * TRUE; or these kinds of a record's own fields.
 */
export type Kind = 'NUMERIC' | 'empty' | Kinds;
