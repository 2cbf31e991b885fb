import { holdsText } from '../../../types/types.js';
import type { DuckColumn, DuckStep } from '../duckdb-plan.js';
import * as d from '../duckdb-sql.js';
import { mapList } from '../plain.js';
import { redactDuckValue } from '../redact-value.js';
import { duckList } from '../variable.js';

/**
 * Redacts the personal data in the rows of a step; returns it unchanged if no column contains text.
 * `select a, b from …` -> `select redact(a) as a, redact(b) as b from (select a, b from …)`
 */
export function redactStep(step: DuckStep): DuckStep {
  const { query, columns } = step;
  if (!columns.some(({ type }) => holdsText(type))) return step;
  return { ...step, query: redactColumns(query, columns) };
}

/** The maximum number of calls: more take longer to compile than a few thousand rows take to redact. */
const maxCalls = 4;

/** The number of rows that the engine computes at a time. */
const rowsAtOnce = 2048;

/**
 * Redacts the personal data in the columns of a query. The engine compiles the patterns of each call, which takes
 * milliseconds: once, or, for a call in a lambda, for every 2,048 rows. Therefore, if there are many STRING columns or
 * few rows, the STRING columns go through one call in a lambda, as one list.
 */
function redactColumns(query: d.DuckQuery, columns: readonly DuckColumn[]): d.DuckQuery {
  const strings = columns.filter(({ type }) => type.kind === 'STRING');
  const texts = strings.length > maxCalls || hasFewRows(query) ? strings : [];
  const list = duckList(...texts.map(({ name }) => d.column('raw', name)));
  const redacted = { name: 'texts', value: mapList(list, (text) => d.macro('redact', text)) };
  const others = columns.flatMap((column, index): readonly d.DuckItem[] => {
    const raw = d.column('raw', column.name);
    if (texts.includes(column)) return [];
    return [{ name: `c${index}`, value: redactDuckValue(raw, column.type) }];
  });
  const items = columns.map((column, index): d.DuckItem => {
    const ordinal = d.integer(texts.indexOf(column) + 1);
    const text = d.call('list_extract', d.column('redacted', 'texts'), ordinal);
    const value = texts.includes(column) ? text : d.column('redacted', `c${index}`);
    return { name: column.name, value };
  });
  const all = texts.length > 0 ? [...others, redacted] : others;
  const inner = d.selectFrom(all, { kind: 'derived', query, alias: 'raw' });
  return d.selectFrom(items, { kind: 'derived', query: inner, alias: 'redacted' });
}

/** Whether a query has few rows, or rows of few times. */
function hasFewRows({ body }: d.DuckQuery): boolean {
  if (body.kind !== 'select') return false;
  return body.where.some((one) => one.kind === 'subquery' && d.isLimitedTo(one.query, rowsAtOnce));
}
