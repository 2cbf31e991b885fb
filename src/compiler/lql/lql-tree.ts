/**
 * What parsing makes of a text in LQL, the short query language; `at` is a node's offset in it, in
 * UTF-16 units.
 */
export interface Lql {
  readonly from?: LqlWord;
  /** Empty where the text selects nothing by itself. */
  readonly select: readonly LqlSelect[];
  readonly chart?: LqlChart;
  readonly filters: readonly LqlFilter[];
}

/** A name or a value as it was meant: escapes read, quotes left out. */
export interface LqlWord {
  readonly text: string;
  readonly at: number;
}

/** `metadata.request.path`; `m.` at its start is already `metadata.`. */
export interface LqlPath {
  readonly parts: readonly LqlWord[];
  readonly at: number;
}

/** `s:path@alias`; without a path it is `s:*`. */
export interface LqlSelect {
  readonly kind: 'select';
  readonly path?: LqlPath;
  readonly alias?: LqlWord;
  readonly at: number;
}

/** Rows grouped by time: what is computed for each group, `count(*)` unless said, and the group's length. */
export interface LqlChart {
  readonly aggregate?: LqlAggregate;
  readonly unit?: LqlUnit;
  readonly at: number;
}

/** `c:avg(path)`; without a path it is `c:count(*)`. */
export interface LqlAggregate {
  readonly kind: 'aggregate';
  readonly name: AggregateName;
  readonly path?: LqlPath;
  readonly at: number;
}

/** The aggregates of a chart. */
export type AggregateName = 'avg' | 'count' | 'countd' | 'max' | 'p50' | 'p95' | 'p99' | 'sum';

/** A unit of time, as GoogleSQL names the part of a date. */
export type LqlUnit = 'SECOND' | 'MINUTE' | 'HOUR' | 'DAY' | 'WEEK' | 'MONTH' | 'YEAR';

/** A condition that a row meets, or, negated, does not. */
export type LqlFilter = (LqlText | LqlTime | LqlField) & { readonly negated: boolean };

/** The message contains the value, or matches it. */
export interface LqlText {
  readonly kind: 'text';
  readonly value: LqlWord;
  readonly isPattern: boolean;
  readonly at: number;
}

/** `t:>moment`; only `=` stands before a moment that lasts. */
export interface LqlTime {
  readonly kind: 'time';
  readonly operator: Comparison;
  readonly moment: LqlMoment;
  readonly at: number;
}

/** `path:value` in all its forms. */
export interface LqlField {
  readonly kind: 'field';
  readonly path: LqlPath;
  readonly test: LqlTest;
  readonly at: number;
}

/** How two values are compared. */
export type Comparison = '=' | '>' | '>=' | '<' | '<=';

/** What a field is asked; `isElement` where the operator asks the elements of an array. */
export type LqlTest =
  | {
      readonly kind: 'compare';
      readonly operator: Comparison;
      readonly value: LqlWord;
      readonly isElement: boolean;
    }
  | { readonly kind: 'between'; readonly low: LqlWord; readonly high: LqlWord }
  | { readonly kind: 'matches'; readonly pattern: LqlWord; readonly isElement: boolean }
  | { readonly kind: 'one-of'; readonly values: readonly LqlWord[] }
  | { readonly kind: 'null' };

/** An instant, or a stretch of time with both of its ends in it. */
export type LqlMoment =
  /** `text` as a literal of TIMESTAMP has it. */
  | { readonly kind: 'instant'; readonly text: string; readonly at: number }
  | {
      readonly kind: 'range';
      readonly low: LqlWord;
      readonly high: LqlWord;
      readonly at: number;
    }
  | { readonly kind: 'now' | 'today' | 'yesterday'; readonly at: number }
  | { readonly kind: 'this'; readonly unit: LqlUnit; readonly at: number }
  | {
      readonly kind: 'last';
      readonly unit: LqlUnit;
      readonly count: number;
      readonly at: number;
    };
