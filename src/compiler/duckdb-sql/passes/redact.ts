import { holdsText } from '../../../types/types.js';
import type { DuckColumn, DuckStep } from '../duckdb-plan.js';
import * as d from '../duckdb-sql.js';
import { mapList } from '../plain.js';
import { redactDuckValue, sharedTexts } from '../redact-value.js';
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
 * few rows, the STRING columns go through one call in a lambda, as one list. The same applies to lists of STRING.
 */
function redactColumns(query: d.DuckQuery, columns: readonly DuckColumn[]): d.DuckQuery {
  const places = new Map<DuckColumn, d.DuckExpression>();
  const shared = Object.entries(sharedTexts).flatMap(([name, texts]): readonly d.DuckItem[] => {
    const found = columns.filter(({ type }) => texts.includes(type));
    if (found.length <= (hasFewRows(query) ? 0 : maxCalls)) return [];
    for (const [index, column] of found.entries()) {
      places.set(column, d.call('list_extract', d.column('redacted', name), d.integer(index + 1)));
    }
    const raw = found.map((column) => d.column('raw', column.name));
    return [{ name, value: mapList(duckList(...raw), texts.redact) }];
  });
  const others = columns.flatMap((column, index): readonly d.DuckItem[] => {
    const value = redactDuckValue(d.column('raw', column.name), column.type);
    return places.has(column) ? [] : [{ name: `c${index}`, value }];
  });
  const inner = d.selectFrom([...others, ...shared], { kind: 'derived', query, alias: 'raw' });
  const items = columns.map((column, index) => {
    return { name: column.name, value: places.get(column) ?? d.column('redacted', `c${index}`) };
  });
  return d.selectFrom(items, { kind: 'derived', query: inner, alias: 'redacted' });
}

/** Whether a query has few rows, or rows of few times. */
function hasFewRows({ body }: d.DuckQuery): boolean {
  if (body.kind !== 'select') return false;
  return body.where.some((one) => one.kind === 'subquery' && d.isLimitedTo(one.query, rowsAtOnce));
}
