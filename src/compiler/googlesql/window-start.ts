import { scalar } from '../../types/types.js';
import * as bound from '../bound/bound.js';
import { mapQueries } from '../bound/map-expression.js';
import { conjuncts, joinConditions } from '../rewrite/conditions.js';
import { timeColumn } from './time-column.js';

const windowStart: bound.Call = {
  kind: 'call',
  function: { name: '$window_start', isStable: true },
  args: [],
  type: scalar('TIMESTAMP'),
  safe: false,
  at: 0,
};

/** Makes every read of a table begin at the parameter `@window_start`; the statement has no joins. */
export function afterWindowStart(statement: bound.Query): bound.Query {
  return mapQueries(statement, {
    query: (query) => {
      const { body } = query;
      const time = body.kind === 'select' ? timeOf(body.from) : undefined;
      if (body.kind !== 'select' || time === undefined) return query;
      const after: bound.Expression = {
        kind: 'call',
        function: { name: '$>=', isStable: true },
        args: [bound.columnValue(time), windowStart],
        type: scalar('BOOL'),
        safe: false,
        at: 0,
      };
      const where = joinConditions([...conjuncts(body.where), after]);
      return { ...query, body: { ...body, ...(where && { where }) } };
    },
  });
}

/** The time of the table that a block reads, besides the arrays that it unnests. */
function timeOf(from: bound.From): bound.Column | undefined {
  if (from.kind === 'unnest') return timeOf(from.left);
  return from.kind === 'source' ? timeColumn(from) : undefined;
}
