/** The end of a bomb: a reason of the contract, or `answers` if a small answer in time is right. */
export type End =
  | 'accessDenied'
  | 'answers'
  | 'invalid'
  | 'invalidQuery'
  | 'resourcesExceeded'
  | 'timeout'
  | 'tooLarge';

/** A request that asks for more than it may have. */
export interface Bomb {
  readonly name: string;
  readonly sql?: string;
  readonly lql?: string;
  /** `logs.all`, unless another is named. */
  readonly endpoint?: string;
  /** Beside `project`, or instead of its value. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** Set where personal data is taken out. */
  readonly redact?: true;
  readonly ends: readonly End[];
}

/** Bombs that go off in the same place. */
export interface BombClass {
  readonly class: string;
  /** The harm that they would do to a server that did not stop them, and what stops them. */
  readonly why: string;
  readonly bombs: readonly Bomb[];
}

/** The ends of a bomb that runs until something stops it; the machine decides which limit it meets first. */
export const stopped = ['timeout', 'resourcesExceeded'] as const satisfies readonly End[];

/** The ends of a bomb that a macro refuses while the query runs, if a busy machine lets it come that far. */
export const refused = ['invalidQuery', 'timeout'] as const satisfies readonly End[];

/** The ends of a bomb that a fast machine may answer within its limits. */
export const bounded = ['answers', ...stopped] as const satisfies readonly End[];

/** `many(2, (i) => `c${i}`)` -> `c0, c1`. */
export function many(count: number, part: (place: number) => string, separator = ', '): string {
  return Array.from({ length: count }, (_, place) => part(place)).join(separator);
}

/** `nest(2, 'f(', 'x', ')')` -> `f(f(x))`. */
export function nest(depth: number, open: string, core: string, close: string): string {
  return open.repeat(depth) + core + close.repeat(depth);
}

/** `x` from 1 to `count`, a row each. */
export function rows(count: number): string {
  return `unnest(generate_array(1, ${count})) as x`;
}

/** Ten thousand rows by ten thousand: `x0` and `x1`, and so on. */
export function crossed(tables: number): string {
  return many(tables, (i) => `unnest(generate_array(1, 10000)) as x${i}`);
}

/** A text of some `size` letters that differs from row to row, so that no constant is folded. */
export function text(size: number, letters = 'a'): string {
  return `concat(repeat('${letters}', ${Math.floor(size / letters.length)}), cast(x as string))`;
}

/** CTEs c0, c1 and so on, each made of the one before, which `step` calls PREVIOUS. */
export function steps(count: number, first: string, step: string, last: string): string {
  const ctes = many(count, (i) => `, c${i + 1} as (${step.replaceAll('PREVIOUS', `c${i}`)})`, '');
  return `with c0 as (${first})${ctes} ${last.replaceAll('LAST', `c${count}`)}`;
}
