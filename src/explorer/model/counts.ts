import { stringText } from '../../compiler/syntax/print-literal.js';
import { timeSteps } from './chart.js';
import type { AnswerRow, ListedTable } from './endpoint.js';
import { levelExpression, levelRoles, shownLevels } from './levels.js';
import type { Matches } from './matches.js';
import { leafField, quoteField, type RecordPath, readRecordPath } from './record-paths.js';

/** The maximum number of sources that one query counts. */
const maxSources = 50;

/** Counts the records of each table: rows of `source`, `records`, those since a time as `recent`, `oldest` and `newest`. */
export function countBySource(tables: readonly ListedTable[], sinceMs = 0): string {
  const selects = tables.slice(0, maxSources).map(({ name, schema }) => {
    const hasTime = schema.fields.some((field) => field.name === 'timestamp');
    const times = ['min', 'max'].map((name) =>
      hasTime ? `${name}(timestamp)` : 'cast(null as timestamp)',
    );
    const recent = hasTime ? `countif(timestamp > timestamp_millis(${sinceMs}))` : 'count(*)';
    const columns = [`${stringText(name)} as source`, 'count(*) as records', `${recent} as recent`];
    return `select ${columns.join(', ')}, ${times[0]} as oldest, ${times[1]} as newest from ${quoteField(name)}`;
  });
  return selects.join('\nunion all\n');
}

/** Counts matches in time steps: rows of `time`, `records`, and the records of each level. */
export function countByTime({ sql, table }: Matches, stepMicros: number): string {
  const roles = levelRoles(table.schema.fields);
  const level = roles === undefined ? 'cast(null as string)' : levelExpression(roles);
  const micros = 'unix_micros(timestamp)';
  // MOD of a time before 1970 is negative.
  const start = `${micros} - mod(mod(${micros}, ${stepMicros}) + ${stepMicros}, ${stepMicros})`;
  const steps = `select timestamp_micros(${start}) as time, ${level} as level\nfrom (\n${sql}\n)`;
  const counts = shownLevels.map((name) => `countif(level = '${name}') as ${name}`).join(', ');
  return `select time, count(*) as records, ${counts}\nfrom (\n${steps}\n)\ngroup by time`;
}

/** Counts the values of a field: rows of `value` and `records`, the most frequent first. */
export function topValues({ sql }: Matches, path: RecordPath, limit: number): string {
  const { expression, unnests } = readRecordPath(path);
  const elements = leafField(path).mode === 'REPEATED' ? [`unnest(${expression}) as element`] : [];
  const value = elements.length > 0 ? 'element' : expression;
  const joins = [...unnests, ...elements].map((unnest) => `left join ${unnest}`).join('\n');
  return `select ${value} as value, count(*) as records\nfrom (\n${sql}\n)\n${joins}\ngroup by value\norder by records desc, value\nlimit ${limit}`;
}

/**
 * Reads the lines of a source around a record, the nearest first: `before` begins with the record itself, `after`
 * comes later. Lines with the same time are ordered by id, downwards as in the table.
 */
export function surroundingLines(
  { name, schema }: ListedTable,
  { timestamp, id }: AnswerRow,
  direction: 'before' | 'after',
  count: number,
): string {
  const instant = `timestamp_micros(${BigInt(Number(timestamp))})`;
  const hasId = schema.fields.some((field) => field.name === 'id') && id != null;
  const isBefore = direction === 'before';
  const far = `timestamp ${isBefore ? '<' : '>'} ${instant}`;
  const tie = hasId ? ` and id ${isBefore ? '>=' : '<'} ${stringText(String(id))}` : '';
  const near = hasId || isBefore ? ` or (timestamp = ${instant}${tie})` : '';
  const orders = `timestamp ${isBefore ? 'desc' : 'asc'}${hasId ? `, id ${isBefore ? 'asc' : 'desc'}` : ''}`;
  return `select *\nfrom ${quoteField(name)}\nwhere ${far}${near}\norder by ${orders}\nlimit ${count}`;
}

/** The maximum number of bars in a histogram. */
const maxBars = 62;

/** Returns a round step in microseconds that divides a time range, in milliseconds since 1970, into at most 62 bars. */
export function stepFor(fromMs: number, toMs: number): number {
  const seconds = Math.max(0.001, (toMs - fromMs) / 1000);
  const step = timeSteps.find((one) => seconds / one <= maxBars - 2) ?? seconds / 30;
  return Math.round(step * 1e6);
}
