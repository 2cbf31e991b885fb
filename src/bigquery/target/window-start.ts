import * as bound from '../../compiler/bound/bound.js';
import { mapQueries } from '../../compiler/bound/map-expression.js';
import { callByName } from '../../compiler/functions/match-call.js';
import { conjuncts, joinConditions } from '../../compiler/rewrite/conditions.js';
import { scalar } from '../../types/types.js';
import { timeColumn } from './known-time.js';

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
      const time = body.kind === 'select' ? tableTimeColumn(body.from) : undefined;
      if (body.kind !== 'select' || time === undefined) return query;
      const after = callByName('$>=', [bound.columnValue(time), windowStart], 0);
      const where = joinConditions([...conjuncts(body.where), after]);
      return { ...query, body: { ...body, ...(where && { where }) } };
    },
  });
}

/** The time of the table that a block reads, besides the arrays that it unnests. */
function tableTimeColumn(from: bound.From): bound.Column | undefined {
  if (from.kind === 'unnest') return tableTimeColumn(from.left);
  return from.kind === 'source' ? timeColumn(from) : undefined;
}
