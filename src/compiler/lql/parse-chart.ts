import { QueryFault } from '../../errors/query-fault.js';
import { type LqlCursor, quoteForMessage } from './lql-cursor.js';
import type { LqlAggregate, LqlUnit } from './lql-tree.js';
import { aggregates, chartUnits } from './lql-words.js';
import { parsePath } from './parse-filter.js';
import { parseUnit } from './parse-moment.js';

/** Parses the text after `c:`: `aggregate(path)` or `group_by(t::unit)`. @throws QueryFault */
export function parseChart(
  cursor: LqlCursor,
  at: number,
): LqlAggregate | { readonly kind: 'group'; readonly unit: LqlUnit; readonly at: number } {
  const { text } = cursor.word(/\w+/y, 'an aggregate');
  if (text === 'group_by') return { kind: 'group', unit: parseGroup(cursor), at };
  const name = aggregates.get(text);
  if (name === undefined) {
    const names = [...aggregates.keys(), 'group_by'].join(', ');
    const nameAt = cursor.at - text.length;
    throw new QueryFault(
      `Unknown aggregate ${quoteForMessage(text)}: expected one of ${names}`,
      nameAt,
    );
  }
  cursor.expect('(');
  const starAt = cursor.at;
  const path = cursor.accept('*') ? undefined : parsePath(cursor);
  if (path === undefined && !name.startsWith('count')) {
    throw new QueryFault(`Only count and countd accept *: ${name} needs a path`, starAt);
  }
  cursor.expect(')');
  return { kind: 'aggregate', name, ...(path === undefined ? {} : { path }), at };
}

function parseGroup(cursor: LqlCursor): LqlUnit {
  cursor.expect('(');
  if (!cursor.accept('timestamp') && !cursor.accept('t')) {
    throw cursor.unexpected('Expected t or timestamp but got');
  }
  cursor.expect('::');
  const unit = parseUnit(cursor.word(/[^\s)]+/y, 'a unit'), chartUnits);
  cursor.expect(')');
  return unit;
}
