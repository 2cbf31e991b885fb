import { QueryFault } from '../../errors/query-fault.js';
import type { Cursor } from './cursor.js';
import { expandGroupingSets } from './grouping-sets.js';
import { parseFrom } from './parse-from.js';
import { isSameOperator, parseSetOperator } from './parse-set-operator.js';
import { parseOrderBy, parseWindow } from './parse-window.js';
import type {
  Cte,
  Expression,
  GroupBy,
  GroupItem,
  Identifier,
  NamedWindow,
  Query,
  QueryBody,
  Select,
  SelectExpression,
  SelectItem,
} from './tree.js';

/**
 * Parses `[WITH …] body [ORDER BY …] [LIMIT … [OFFSET …]]`. Brackets around a whole query are dropped,
 * so that its order stays: `(select a from t order by a) limit 2` -> `select a from t order by a limit 2`.
 */
export function parseQuery(cursor: Cursor): Query {
  const { at } = cursor.next;
  const ctes = cursor.accept('WITH') ? parseCtes(cursor) : [];
  const body = parseBody(cursor);
  const orderBy = cursor.accept('ORDER', 'BY') ? parseOrderBy(cursor) : [];
  const limit = cursor.accept('LIMIT') ? cursor.expression() : undefined;
  const offset = limit !== undefined && cursor.accept('OFFSET') ? cursor.expression() : undefined;
  const counts = {
    ...(limit === undefined ? {} : { limit }),
    ...(offset === undefined ? {} : { offset }),
  };
  const isBracketOnly = body.kind === 'query' && ctes.length === 0 && orderBy.length === 0;
  if (isBracketOnly && (limit === undefined || body.limit === undefined)) {
    return { ...body, ...counts, at };
  }
  return { kind: 'query', ctes, body, orderBy, ...counts, at };
}

function parseCtes(cursor: Cursor): readonly Cte[] {
  if (cursor.at('RECURSIVE')) {
    throw new QueryFault('WITH RECURSIVE is not supported', cursor.next.at);
  }
  const ctes = [parseCte(cursor)];
  while (cursor.accept(',') && !cursor.atOne('SELECT', '(')) ctes.push(parseCte(cursor));
  return ctes;
}

function parseCte(cursor: Cursor): Cte {
  const name = cursor.identifier();
  cursor.expect('AS', '(');
  const query = cursor.query();
  cursor.expect(')');
  return { name, query, at: name.at };
}

/** A chain of one set operator; mixing different operators requires brackets, as in BigQuery. */
function parseBody(cursor: Cursor): QueryBody {
  const first = parseOperand(cursor);
  const operands = [first];
  const chain = parseSetOperator(cursor);
  if (chain === undefined) return first;
  operands.push(parseOperand(cursor));
  for (;;) {
    const { at } = cursor.next;
    const operator = parseSetOperator(cursor);
    if (operator === undefined) break;
    if (!isSameOperator(operator, chain)) {
      const message =
        'Syntax error: Different set operations cannot be used in the same query without using parentheses for grouping';
      throw new QueryFault(message, at);
    }
    operands.push(parseOperand(cursor));
  }
  return { kind: 'set-operation', ...chain, operands, at: first.at };
}

function unsupported(cursor: Cursor, feature: string): QueryFault {
  return new QueryFault(`${feature} is not supported`, cursor.next.at);
}

function parseOperand(cursor: Cursor): QueryBody {
  if (!cursor.accept('(')) return parseSelect(cursor);
  const query = cursor.query();
  cursor.expect(')');
  return query;
}

function parseSelect(cursor: Cursor): Select {
  const { at } = cursor.next;
  if (!cursor.accept('SELECT')) throw cursor.unexpected();
  if (cursor.at('WITH')) throw unsupported(cursor, 'WITH in a SELECT list');
  const distinct = cursor.accept('DISTINCT');
  if (!distinct) cursor.accept('ALL');
  const as = cursor.accept('AS') ? parseAs(cursor) : undefined;
  const items = parseItems(cursor);
  const from = cursor.accept('FROM') ? parseFrom(cursor) : undefined;
  const clauses = parseClauses(cursor);
  return {
    kind: 'select',
    distinct,
    ...(as === undefined ? {} : { as }),
    items,
    ...(from === undefined ? {} : { from }),
    ...clauses,
    at,
  };
}

function parseAs(cursor: Cursor): 'STRUCT' | 'VALUE' {
  const as = cursor.acceptOne('STRUCT', 'VALUE');
  if (as === undefined) throw cursor.unexpected('Expected STRUCT or VALUE but got');
  return as;
}

function parseClauses(cursor: Cursor) {
  const where = cursor.accept('WHERE') ? cursor.expression() : undefined;
  const groupBy = cursor.at('GROUP', 'BY') ? parseGroupBy(cursor) : undefined;
  const having = cursor.accept('HAVING') ? cursor.expression() : undefined;
  const qualify = cursor.accept('QUALIFY') ? cursor.expression() : undefined;
  const windows = cursor.accept('WINDOW') ? cursor.list(() => parseNamedWindow(cursor)) : [];
  return {
    ...(where === undefined ? {} : { where }),
    ...(groupBy === undefined ? {} : { groupBy }),
    ...(having === undefined ? {} : { having }),
    ...(qualify === undefined ? {} : { qualify }),
    windows,
  };
}

function parseNamedWindow(cursor: Cursor): NamedWindow {
  const name = cursor.identifier();
  cursor.expect('AS');
  return { name, spec: parseWindow(cursor) };
}

const endOfItems = ['FROM', 'WHERE', 'GROUP', 'ORDER', 'LIMIT', ')', 'UNION'] as const;

/** Parses a SELECT list, which may end with a comma. */
function parseItems(cursor: Cursor): readonly SelectItem[] {
  const items = [parseItem(cursor)];
  while (cursor.accept(',')) {
    if (cursor.atOne(...endOfItems) || cursor.next.kind === 'end') break;
    items.push(parseItem(cursor));
  }
  return items;
}

function parseItem(cursor: Cursor): SelectItem {
  const { at } = cursor.next;
  if (cursor.accept('*')) return parseStar(cursor, at);
  const value = cursor.expression();
  if (cursor.accept('.', '*')) return parseStar(cursor, at, value);
  return { kind: 'item', value, ...parseAlias(cursor), at };
}

/** An optional `[AS] alias`. */
function parseAlias(cursor: Cursor): { readonly alias?: Identifier } {
  if (cursor.accept('AS')) return { alias: cursor.identifier() };
  return cursor.atIdentifier() ? { alias: cursor.identifier() } : {};
}

function parseStar(cursor: Cursor, at: number, of?: Expression): SelectItem {
  const except = cursor.accept('EXCEPT', '(') ? cursor.list(() => cursor.identifier()) : [];
  if (except.length > 0) cursor.expect(')');
  const replace = cursor.accept('REPLACE', '(') ? cursor.list(() => parseReplacement(cursor)) : [];
  if (replace.length > 0) cursor.expect(')');
  return { kind: 'star', ...(of === undefined ? {} : { of }), except, replace, at };
}

function parseReplacement(cursor: Cursor): SelectExpression {
  const { at } = cursor.next;
  const value = cursor.expression();
  cursor.expect('AS');
  return { kind: 'item', value, alias: cursor.identifier(), at };
}

function parseGroupBy(cursor: Cursor): GroupBy {
  const { at } = cursor.next;
  cursor.expect('GROUP', 'BY');
  if (cursor.accept('ALL')) return { all: true, items: [], at };
  return { all: false, items: cursor.list(() => parseGroupItem(cursor)), at };
}

function parseGroupItem(cursor: Cursor): GroupItem {
  const { at } = cursor.next;
  const word = ['ROLLUP', 'CUBE'].find((name) => cursor.at(name, '('));
  if (word !== undefined) {
    cursor.take();
    return { kind: word === 'CUBE' ? 'cube' : 'rollup', sets: parseSets(cursor), at };
  }
  if (cursor.accept('GROUPING', 'SETS')) {
    cursor.expect('(');
    const sets = cursor.list(() => parseGroupingSet(cursor)).flat();
    cursor.expect(')');
    return { kind: 'sets', sets, at };
  }
  if (cursor.accept('(', ')')) return { kind: 'sets', sets: [[]], at };
  return { kind: 'key', value: cursor.expression(), at };
}

/** One grouping set, or the sets of a ROLLUP or CUBE. */
function parseGroupingSet(cursor: Cursor): readonly (readonly Expression[])[] {
  const isMany = cursor.at('ROLLUP', '(') || cursor.at('CUBE', '(');
  return isMany ? expandGroupingSets(parseGroupItem(cursor)) : [parseSet(cursor)];
}

function parseSets(cursor: Cursor): readonly (readonly Expression[])[] {
  cursor.expect('(');
  const sets = cursor.list(() => parseSet(cursor));
  cursor.expect(')');
  return sets;
}

function parseSet(cursor: Cursor): readonly Expression[] {
  if (cursor.accept('(', ')')) return [];
  const value = cursor.expression();
  return value.kind === 'struct' && value.type === undefined
    ? value.fields.map((field) => field.value)
    : [value];
}
