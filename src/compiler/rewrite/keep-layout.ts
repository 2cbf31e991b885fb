import { arrayType, holdsArray, isPlain, sameLayout } from '../../types/types.js';
import { words } from '../../values/words.js';
import * as bound from '../bound/bound.js';
import { isNullLiteral, keepElements } from '../bound/coerce.js';
import { mapQueries } from '../bound/map-expression.js';
import { readsColumns } from '../bound/search.js';

/** The functions that read their arguments whatever their layout. */
const readers = words('contains_substr format search to_json to_json_string');

/** The functions that return values of their first argument as they are. */
const choosers = words(
  'any_value array_agg first_value lag last_value lead max_by min_by nth_value',
);

/**
 * Leaves records in their stored layout if a statement only shows, prints, searches or counts them. A conversion makes a
 * new record at every level: with a thousand records in each other, the engine needs seconds and a gigabyte.
 */
export function keepLayout(statement: bound.Query): bound.Query {
  return mapQueries(statement, {
    simplify: (node) => {
      const name = node.kind === 'call' ? node.function.name : '';
      if (readers.has(name)) return withArguments(node, (one) => storedForm(one, false) ?? one);
      return name === 'array_length' ? withArguments(node, keepElements) : node;
    },
    query: (query, role) => (role === 'statement' ? keepShown(query) : query),
  });
}

/** Keeps the values that a SELECT returns, unless the query also reads one of them itself. */
function keepShown(query: bound.Query, isOnlyShown = true): bound.Query {
  const { body, orderBy } = query;
  // DISTINCT compares values: an empty array is NULL in the stored layout only.
  if (body.kind !== 'select' || body.distinct) return query;
  const { grouping, having = [], qualify = [] } = body;
  const kept = new Map<number, bound.Column>();
  const keep = (item: bound.Item): bound.Item => {
    const { value: given } = item;
    const aggregate = given.kind === 'column' ? kept.get(given.column.id) : undefined;
    const value = aggregate ? bound.columnValue(aggregate) : storedForm(given, isOnlyShown);
    if (value === undefined || value === given) return item;
    const column = { ...item.column, type: value.type };
    kept.set(column.id, column);
    return { column, value };
  };
  const aggregates = grouping?.aggregates.map(keep) ?? [];
  const items = body.items.map(keep);
  const others = [...orderBy, ...body.items.filter(({ value }) => value.kind !== 'column')];
  const read = [...others.map(({ value }) => value), having, qualify].flat();
  const isRead = read.some((value) => readsColumns(value, new Set(kept.keys())));
  if (kept.size === 0 || isRead) return query;
  const groups = grouping && { grouping: { ...grouping, aggregates } };
  return bound.withItems(query, { ...body, ...groups, items });
}

/**
 * The value in its stored layout, in which an array that is NULL is empty. Undefined if an array in it may be NULL and
 * the value is more than shown: answers show NULL like an empty array.
 */
function storedForm(value: bound.Expression, isOnlyShown: boolean): bound.Expression | undefined {
  if (!holdsArray(value.type)) return value;
  const same = isOnlyShown ? value : undefined;
  switch (value.kind) {
    case 'plain':
      if (isOnlyShown) return value.of;
      if (value.owner !== undefined) return undefined;
      return isPlain(value.of.type) ? value : value.of;
    case 'struct':
      return storedParts(value, isOnlyShown);
    case 'call':
      return storedCall(value, isOnlyShown) ?? same;
    case 'case':
      return storedBranches(value, isOnlyShown) ?? same;
    case 'subquery':
      return storedRows(value, isOnlyShown) ?? same;
    default:
      return same;
  }
}

function storedParts(record: bound.ExpressionOf<'struct'>, isOnlyShown: boolean) {
  const values = record.values.map((value) => storedForm(value, isOnlyShown));
  const isWhole = values.every((value) => value !== undefined);
  return isWhole ? bound.withValues(record, values) : undefined;
}

function storedCall(call: bound.Call, isOnlyShown: boolean): bound.Expression | undefined {
  if (call.function.name === 'if') return storedBranches(call, isOnlyShown);
  return isOnlyShown && isChoice(call) ? withStoredArgument(call) : undefined;
}

/**
 * Leaves the values of an IF or a CASE in their stored layout if they all have the same one; a literal NULL takes any.
 * An array must be only shown, because such a NULL is not an empty array.
 */
function storedBranches(
  value: bound.Call | bound.ExpressionOf<'case'>,
  isOnlyShown: boolean,
): bound.Expression | undefined {
  if (value.type.kind === 'ARRAY' && !isOnlyShown) return undefined;
  const results =
    value.kind === 'case'
      ? [...value.whens.map(({ result }) => result), value.otherwise]
      : value.args.slice(1);
  const forms = results.flatMap((one) =>
    isNullLiteral(one) ? one : (storedForm(one, isOnlyShown) ?? []),
  );
  const types = forms.filter((one) => !isNullLiteral(one)).map((one) => one.type);
  const [type] = types;
  if (forms.length < results.length || type === undefined) return undefined;
  if (!types.every((one) => sameLayout(one, type))) return undefined;
  const stored = forms.map(
    (one): bound.Expression => (isNullLiteral(one) ? { kind: 'literal', value: null, type } : one),
  );
  if (value.kind === 'call')
    return { ...value, args: [...value.args.slice(0, 1), ...stored], type };
  const whens = value.whens.map((one, at) => ({ ...one, result: stored[at] ?? one.result }));
  return { ...value, whens, otherwise: stored.at(-1) ?? value.otherwise, type };
}

/** Whether a call returns values of its first argument without reading them. */
function isChoice(node: bound.Call): boolean {
  const { args, clauses = bound.noClauses } = node;
  const hasOther = args.slice(1).some(({ type }) => holdsArray(type));
  return isCallTo(choosers, node) && !hasOther && !clauses.ignoreNulls && !clauses.distinct;
}

/** The rows of a subquery that returns an array or a record; an array of its only row may be NULL. */
function storedRows(value: bound.ExpressionOf<'subquery'>, isOnlyShown: boolean) {
  if (value.form === 'SCALAR' && value.type.kind === 'ARRAY' && !isOnlyShown) return undefined;
  const query = keepShown(value.query, isOnlyShown);
  const [column] = query.columns;
  if (query === value.query || column === undefined) return undefined;
  const type = value.form === 'ARRAY' ? arrayType(column.type) : column.type;
  return { ...value, query, type };
}

/** Leaves the first argument in its stored layout, unless an array in it may be NULL: the function may skip that. */
function withStoredArgument(node: bound.Call): bound.Call {
  const [first, ...others] = node.args;
  const stored = first && storedForm(first, false);
  if (stored === undefined || stored === first) return node;
  const type = node.function.name === 'array_agg' ? arrayType(stored.type) : stored.type;
  return { ...node, args: [stored, ...others], type };
}

/** Converts the arguments of a call; other expressions stay. */
function withArguments(
  node: bound.Expression,
  convert: (value: bound.Expression) => bound.Expression,
): bound.Expression {
  if (node.kind !== 'call') return node;
  const args = node.args.map(convert);
  return args.some((one, at) => one !== node.args[at]) ? { ...node, args } : node;
}

function isCallTo(names: ReadonlySet<string>, node: bound.Expression): node is bound.Call {
  return node.kind === 'call' && names.has(node.function.name);
}
