/**
 * A time that is known before a statement runs, in milliseconds before a parameter's value, a literal or the request.
 * If a calendar decides, as in truncation or an interval of months, it is the earliest possible time.
 */
export interface KnownTime {
  readonly base: { readonly parameter: string } | { readonly time: string } | 'now';
  readonly msBefore: number;
}

/** A request for the newest rows of one table. */
export interface NewestAsked {
  /** The number of rows, or the parameter that contains it; undefined for all rows. */
  readonly rows: number | { readonly parameter: string } | undefined;
  /** Upper bounds: no row is later than any of these times. */
  readonly ends: readonly KnownTime[];
}

/**
 * The time range that a statement reads, for an engine that bills reads. `bounded`: each read begins at the latest of
 * its known starts; none of them is known if the list is empty. `newest`: a number of rows, from a start that the
 * engine binds to `window_start`, to the first of the known ends. `open`: everything.
 */
export type TimeWindow =
  | { readonly kind: 'bounded'; readonly starts: readonly (readonly KnownTime[])[] }
  | ({ readonly kind: 'newest' } & NewestAsked)
  | { readonly kind: 'open' };
