/** How a script prints the undeclared members of a record. */
export interface MemberOptions {
  readonly form: FormName;
  readonly kinds: Kinds;
}

/**
 * What the members are printed for: an answer, TO_JSON_STRING (`text`), TO_JSON (`value`), TO_JSON with strings for the
 * numbers that it would round (`wide value`), or SEARCH, which reads only strings.
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
