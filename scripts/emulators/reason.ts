/** Why an emulator answers otherwise, by the smallest statement that shows it, and how such a difference is known. */
export interface Reason {
  readonly statement: string;
  /** The emulator's answer to the statement. */
  readonly theirs: string;
  /** The right answer by BigQuery's manual, which is ours, too. */
  readonly right: string;
  /** What the emulator says where it refuses a statement for this. */
  readonly says?: RegExp;
  /** What it says where BigQuery refuses the statement, too, with `invalidQuery`. */
  readonly fails?: RegExp;
  /** Whether a value of its answer is other than ours for this. */
  readonly gives?: (values: Differing) => boolean;
  /** The only cases that it explains, where what the emulator says or gives does not tell the cause. */
  readonly cases?: readonly string[];
}

/** The same value in two answers, as JSON; whole numbers are texts. */
export interface Differing {
  readonly ours: string;
  readonly theirs: string;
}

/** One of these values instead of ours. */
export function instead(...pairs: readonly (readonly [theirs: string, ours: string])[]) {
  return ({ ours, theirs }: Differing) =>
    pairs.some(([other, own]) => other === theirs && own === ours);
}

/** A column `v` of one row, where the statement is an `invalidQuery`. */
export function insteadOfError(v: string) {
  return instead([`{"result":[{"v":${v}}]}`, JSON.stringify('"reason":"invalidQuery"')]);
}
