/** How a script prints the undeclared members of a record. */
export interface MemberOptions {
  readonly form: FormName;
  readonly kinds: Kinds;
}

/**
 * What members are for: an answer, TO_JSON_STRING, TO_JSON, TO_JSON with strings for the numbers that it rounds, or
 * SEARCH, which reads strings only.
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
