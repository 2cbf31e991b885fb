import { expect, test } from 'vitest';
import type * as bound from '../../../src/compiler/bound/bound.js';
import { mapQueries } from '../../../src/compiler/bound/map-expression.js';
import { hasSubquery, someBelow, someExpression } from '../../../src/compiler/bound/search.js';
import { resolve } from '../../../src/compiler/resolve/resolve.js';
import { parse } from '../../../src/compiler/syntax/syntax.js';
import { webSource } from '../../support/web-source.js';

function resolved(sql: string): bound.Query {
  const sources = new Map([['web', webSource('struct')]]);
  return resolve(parse(sql), { sources, parameters: new Map(), ctes: [] }).query;
}

function literalsIn(query: bound.Query, last?: string): readonly string[] {
  const found: string[] = [];
  someBelow(query, (node) => {
    if (node.kind === 'literal' && node.value !== null) found.push(node.value);
    return last !== undefined && found.at(-1) === last;
  });
  return found;
}

const everyClause = resolved(`
  with c as (select 1 + 2 + 3 + 4 as x from \`logs.web\` as t where t.id = '5')
  select case x when 6 then [7] else [8] end, count(if(x > 9, 10, 11)), (select 12)
  from c join unnest([13]) as e on e = 14
  group by 1 having max(x) > 15 order by count(*) + 16 limit 17 offset 18`);

test('a search visits every clause of a query', () => {
  const found = literalsIn(everyClause).map(Number);
  expect(found.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 18 }, (_, i) => i + 1));
});

test('it goes from left to right, and stops at the first hit', () => {
  expect(literalsIn(everyClause).slice(0, 5)).toEqual(['1', '2', '3', '4', '5']);
  expect(literalsIn(everyClause, '3')).toEqual(['1', '2', '3']);
});

test('it does not overflow the stack on a long chain of operators', () => {
  const one: bound.Expression = { kind: 'literal', value: '1', type: { kind: 'INT64' } };
  let chain: bound.Expression = one;
  for (let length = 0; length < 100_000; length++) {
    const plus = { name: '$+', isStable: true };
    const { type } = one;
    chain = { kind: 'call', function: plus, args: [chain, one], type, safe: false, at: 0 };
  }
  expect(hasSubquery(chain)).toBe(false);
  expect(someExpression(chain, (node) => node === one)).toBe(true);
});

test('a mapper of queries reaches those in expressions, and leaves the others as they are', () => {
  const seen: string[] = [];
  const note = (query: bound.Query, role: string) => {
    seen.push(role);
    return query;
  };
  const query = resolved(
    "select id, exists(select 1) from `logs.web` where id in (select 'a') and array(select 1)[0] = 1",
  );
  expect(mapQueries(query, { query: note })).toBe(query);
  expect(seen.toSorted()).toEqual(['ARRAY', 'EXISTS', 'IN', 'statement']);
});
