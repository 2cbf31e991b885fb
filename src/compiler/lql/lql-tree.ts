import type { Placed } from '../syntax/names.js';

/** A parsed query in LQL, the short query language. */
export interface Lql {
  readonly from?: LqlWord;
  /** Empty without an `s:` clause. */
  readonly select: readonly LqlSelect[];
  readonly chart?: LqlChart;
  readonly filters: readonly LqlFilter[];
}

/** A name or a value, without quotes and escapes. */
export interface LqlWord extends Placed {
  readonly text: string;
}

/** `metadata.request.path`; a leading `m.` has been expanded. */
export interface LqlPath extends Placed {
  readonly parts: readonly LqlWord[];
}

/** `s:path@alias`; without a path, `s:*`. */
export interface LqlSelect extends Placed {
  readonly kind: 'select';
  readonly path?: LqlPath;
  readonly alias?: LqlWord;
}

/** Rows grouped by time: the aggregate, by default `count(*)`, and the unit of time, by default minutes. */
export interface LqlChart extends Placed {
  readonly aggregate?: LqlAggregate;
  readonly unit?: LqlUnit;
}

/** `c:avg(path)`; without a path, `c:count(*)`. */
export interface LqlAggregate extends Placed {
  readonly kind: 'aggregate';
  readonly name: AggregateName;
  readonly path?: LqlPath;
}

/** The aggregates of a chart. */
export type AggregateName = 'avg' | 'count' | 'countd' | 'max' | 'p50' | 'p95' | 'p99' | 'sum';

/** A unit of time, named like the date part in GoogleSQL. */
export type LqlUnit = 'SECOND' | 'MINUTE' | 'HOUR' | 'DAY' | 'WEEK' | 'MONTH' | 'YEAR';

/** A condition that rows must meet or, if negated, must not meet. */
export type LqlFilter = (LqlText | LqlTime | LqlField) & { readonly negated: boolean };

/** The message contains the value or, if it is a pattern, matches it. */
export interface LqlText extends Placed {
  readonly kind: 'text';
  readonly value: LqlWord;
  readonly isPattern: boolean;
}

/** `t:>moment`; the operator is `=` unless the moment is an instant. */
export interface LqlTime extends Placed {
  readonly kind: 'time';
  readonly operator: Comparison;
  readonly moment: LqlMoment;
}

/** `path:value` with any operator. */
export interface LqlField extends Placed {
  readonly kind: 'field';
  readonly path: LqlPath;
  readonly test: LqlTest;
}

/** A comparison operator of SQL. */
export type Comparison = '=' | '>' | '>=' | '<' | '<=';

/** The test of a field; `isElement` if it tests the elements of an array. */
export type LqlTest = Readonly<
  | { kind: 'compare'; operator: Comparison; value: LqlWord; isElement: boolean }
  | { kind: 'between'; low: LqlWord; high: LqlWord }
  | { kind: 'matches'; pattern: LqlWord; isElement: boolean }
  /** Both ends have the notation of TIMESTAMP literals. */
  | { kind: 'within'; low: LqlWord; high: LqlWord }
  | { kind: 'level'; values: readonly LqlWord[] }
  | { kind: 'null' }
>;

/** An instant, whose text has the notation of a TIMESTAMP literal, or a range of time that includes both ends. */
export type LqlMoment = Readonly<
  Placed &
    (
      | { kind: 'instant'; text: string }
      | { kind: 'range'; low: LqlWord; high: LqlWord }
      | { kind: 'now' | 'today' | 'yesterday' }
      | { kind: 'this'; unit: LqlUnit }
      | { kind: 'last'; unit: LqlUnit; count: number }
    )
>;
