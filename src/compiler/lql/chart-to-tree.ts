import { callNode, int64Node } from '../syntax/make-nodes.js';
import type { Expression, Query, Select, SelectItem } from '../syntax/tree.js';
import type { LqlRange } from './lql-scope.js';
import type { AggregateName, LqlChart } from './lql-tree.js';
import { firstValue, identifier, neededColumn } from './path-to-tree.js';
import { truncated } from './time-to-tree.js';

/**
 * The clauses of a chart's SELECT other than FROM and WHERE:
 * `SELECT TIMESTAMP_TRUNC(timestamp, MINUTE) AS timestamp, COUNT(*) AS count … GROUP BY 1 ORDER BY 1`.
 * @throws QueryFault if the table has no column timestamp
 */
export function chartParts(
  chart: LqlChart,
  range: LqlRange,
): Pick<Select, 'items' | 'groupBy'> & Pick<Query, 'orderBy'> {
  const { unit = 'MINUTE', at } = chart;
  const { value, type } = neededColumn(range, 'timestamp', { what: 'A chart', at });
  const name = type?.kind === 'DATETIME' ? 'DATETIME_TRUNC' : 'TIMESTAMP_TRUNC';
  const time = truncated(name, value, unit);
  const first = int64Node(1, at);
  return {
    items: [named(time, 'timestamp'), named(chartAggregate(chart, range, value), 'count')],
    groupBy: { all: false, items: [{ kind: 'key', value: first, at }], at },
    orderBy: [{ value: first, descending: false, at }],
  };
}

function named(value: Expression, name: string): SelectItem {
  const { at } = value;
  return { kind: 'item', value, alias: identifier({ text: name, at }), at };
}

/** Without a path, `count` counts rows, and `countd` their distinct timestamps. */
function chartAggregate(
  { aggregate, at: chartAt }: LqlChart,
  range: LqlRange,
  timestamp: Expression,
): Expression {
  if (aggregate?.name === 'countd' && aggregate.path === undefined) {
    return aggregates.countd(timestamp, aggregate.at);
  }
  if (aggregate?.path === undefined) {
    return callNode('COUNT', [{ kind: 'star', at: chartAt }], aggregate?.at ?? chartAt);
  }
  return aggregates[aggregate.name](firstValue(aggregate.path, range), aggregate.path.at);
}

type Aggregate = (value: Expression, at: number) => Expression;

const aggregates: Readonly<Record<AggregateName, Aggregate>> = {
  avg: (value, at) => callNode('AVG', [value], at),
  count: (value, at) => callNode('COUNT', [value], at),
  countd: (value, at) => ({ ...callNode('COUNT', [value], at), distinct: true }),
  max: (value, at) => callNode('MAX', [value], at),
  sum: (value, at) => callNode('SUM', [value], at),
  p50: percentile(50),
  p95: percentile(95),
  p99: percentile(99),
};

/** The 101 quantiles of `APPROX_QUANTILES(…, 100)` are indexed by percentile; NULL without values. */
function percentile(percent: number): Aggregate {
  return (value, at) => ({
    kind: 'index',
    of: callNode('APPROX_QUANTILES', [value, int64Node(100, at)], at),
    index: callNode('SAFE_OFFSET', [int64Node(percent, at)], at),
    at,
  });
}
