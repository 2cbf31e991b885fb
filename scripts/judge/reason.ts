/** Why our answer differs from the reference implementation's, and to which differences that applies. */
export interface Reason {
  /** The difference, as the documentation's row states it. */
  readonly what: string;
  /** The side that does as BigQuery's manual says; `unknown` if it says nothing. */
  readonly right: 'we' | 'reference' | 'unknown';
  readonly why: string;
  /** The query, a question's identifier, how the answers differ, our error, and theirs; all that are given match. */
  readonly sql?: RegExp;
  readonly id?: RegExp;
  readonly detail?: RegExp;
  readonly ours?: RegExp;
  readonly theirs?: RegExp;
  /** The rows of both are equal once what it matches in their JSON is left out. */
  readonly butFor?: RegExp;
}
