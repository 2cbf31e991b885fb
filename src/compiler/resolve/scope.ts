import { shortName } from '../../errors/errors.js';
import { QueryFault } from '../../errors/query-fault.js';
import { didYouMean } from '../../errors/suggest.js';
import type { SourceSchema } from '../../types/schema.js';
import * as types from '../../types/types.js';
import * as bound from '../bound/bound.js';
import { fingerprint } from '../bound/fingerprint.js';
import { boundLiteral } from '../bound/literal.js';
import { callByName, partOfText, withSupertype } from '../functions/match-call.js';
import type { Identifier } from '../syntax/names.js';
import type { Expression, Query, WindowSpec } from '../syntax/tree.js';

/**
 * Finds the stored query of another endpoint, to read it as a table, and the function that finds the endpoints which
 * that query reads. `at` is the offset of the table's name.
 * @throws QueryFault if that endpoint cannot be read there
 */
export type FindEndpoint = (
  name: string,
  at: number,
) => { readonly query: Query; readonly findEndpoint: FindEndpoint } | undefined;

/** The parts that all scopes of a statement share. */
export interface StatementScope {
  /** By name; undefined in a caller's query, which reads no sources. */
  readonly sources: ReadonlyMap<string, SourceSchema> | undefined;
  readonly findEndpoint: FindEndpoint | undefined;
  readonly parameters: ReadonlyMap<string, types.Type>;
  /** Creates a column with a new id. @throws QueryFault for too many columns */
  readonly newColumn: (name: string, type: types.Type, isLogField?: boolean) => bound.Column;
  /** Copies a column that a subquery returns, with a new id. @throws QueryFault for too many columns */
  readonly copyColumn: (column: bound.Column) => bound.Column;
  /** Returns a new id for a CTE. */
  readonly newCteId: () => number;
  /** Counts an expression that an alias repeats. @throws QueryFault for too many repetitions */
  readonly countRepeated: (value: bound.Expression) => void;
  /** Resolves a subquery; `scope` is the enclosing scope. */
  readonly resolveQuery: (query: Query, scope: Scope) => bound.Query;
  /**
   * Resolves an expression. It is passed down, like `resolveQuery`, so that the resolver's files need not import each
   * other.
   */
  readonly resolve: (node: Expression, scope: Scope) => bound.Expression;
}

/** A table or an array element that FROM brings into scope: a *range variable* in the manual. */
export interface Range {
  readonly name?: string;
  readonly columns: readonly bound.Column[];
  /** Set for the element of an array: the range's name means the element; its fields can be used unqualified. */
  readonly element?: bound.Column;
  /**
   * The columns, by name in lower case, that unqualified names and `*` see under another name or with another
   * value; undefined for a column that they do not see, as after USING or the pipe operator DROP.
   */
  readonly changed?: ReadonlyMap<string, NamedValue | undefined>;
}

/** A value, and the name by which a query refers to it. */
export interface NamedValue {
  readonly name: string;
  readonly value: bound.Expression;
}

/** A resolved FROM clause, and the ranges that it brings into scope. */
export interface ResolvedFrom {
  readonly from: bound.From;
  readonly ranges: readonly Range[];
  /** Conditions on the rows, which the enclosing block applies. */
  readonly where?: readonly bound.Expression[];
}

/** Collects the aggregate calls of a block, each once. */
export interface Aggregates {
  readonly items: bound.Item[];
  /** The column of each call, by the call's fingerprint. */
  readonly columns: Map<string, bound.Column>;
  /** The names that arguments of aggregates can use: the columns of FROM, but no aliases. */
  readonly scope: Scope;
}

/** The names that an expression can use. */
export interface Scope {
  readonly statement: StatementScope;
  readonly ctes: readonly bound.Cte[];
  readonly ranges: readonly Range[];
  /** The aliases of select items, in lower case; they take precedence over columns. */
  readonly aliases?: ReadonlyMap<string, bound.Expression>;
  /** Set where aggregate functions are allowed. */
  readonly aggregates?: Aggregates;
  /** The named windows, by name in lower case; set where window functions are allowed. */
  readonly windows?: ReadonlyMap<string, WindowSpec>;
  /** The name of the clause, for error messages. */
  readonly clause?: string;
  /** The scope of the enclosing query. */
  readonly outer?: Scope;
  /** The table before a pipe operator. */
  readonly piped?: ResolvedFrom;
}

/** Resolves a part of an expression. @throws QueryFault for any error in it */
export function resolvePart(node: Expression, scope: Scope): bound.Expression {
  return scope.statement.resolve(node, scope);
}

/** A select item before grouping: its output name, its value, and its offset in the text. */
export interface SelectedItem extends NamedValue {
  readonly at: number;
  /** Set for a field of `*` that only log files have. */
  readonly undeclared?: true;
}

/** The scope of a query in brackets that is the whole body of another: both see the same outer columns. */
export function scopeAround(scope: Scope): Scope {
  return scope.outer === undefined ? scope : { ...scope.outer, ctes: scope.ctes };
}

/** A scope without any tables. */
export function emptyScope(statement: StatementScope, ctes: readonly bound.Cte[]): Scope {
  return { statement, ctes, ranges: [] };
}

/**
 * Finds a name, in this order: an alias of the SELECT list, if aliases are visible; a range; a column or a
 * field of an unnested record; any of these in the enclosing query.
 * @throws QueryFault if the name is ambiguous
 */
export function findName(name: Identifier, scope: Scope): bound.Expression | undefined {
  const wanted = name.name.toLowerCase();
  const alias = scope.aliases?.get(wanted);
  if (alias !== undefined) {
    scope.statement.countRepeated(alias);
    return alias;
  }
  const range = findRange(wanted, scope);
  if (range !== undefined) return rangeValue(range);
  const found = preferred(scope.ranges.flatMap((candidate) => valuesNamed(candidate, wanted)));
  if (found.length < 2) return found[0] ?? (scope.outer && findName(name, scope.outer));
  const common = found.every(isUndeclared) && withSupertype(found);
  if (common) return callByName('coalesce', common.values, name.at);
  throw new QueryFault(`Column name ${shortName(name.name)} is ambiguous`, name.at);
}

/** Prefers declared fields: a field that a later log line adds must not change the meaning of a name. */
function preferred(found: readonly bound.Expression[]): readonly bound.Expression[] {
  const declared = found.filter((value) => !isUndeclared(value));
  return declared.length > 0 ? declared : found;
}

/** Whether a value is a field that only log files have. */
export function isUndeclared(value: bound.Expression): boolean {
  if (value.kind === 'column') return value.column.undeclared === true;
  if (value.kind === 'call') return types.isOpen(value.type);
  if (value.kind !== 'field' || value.of.type.kind !== 'STRUCT') return false;
  return types.findField(value.of.type, value.name)?.undeclared === true;
}

/** The range of this name in the innermost query, ignoring case. */
export function findRange(name: string, scope: Scope): Range | undefined {
  const wanted = name.toLowerCase();
  return scope.ranges.find((range) => range.name?.toLowerCase() === wanted);
}

/** A range as a value: the element of an array, or the row as a struct. */
function rangeValue(range: Range): bound.Expression {
  if (range.element !== undefined) return bound.columnValue(range.element);
  const fields = range.columns.map(({ name, type, isAbsent, undeclared }): types.Field => {
    return { name, type, stored: !isAbsent, ...(undeclared && { undeclared }) };
  });
  const type: types.StructType = { kind: 'STRUCT', fields };
  return { kind: 'struct', values: range.columns.map(bound.columnValue), type };
}

/**
 * The field `of.name`, or the key of a JSON value.
 * @throws QueryFault if the value has no such field
 */
export function fieldValue(of: bound.Expression, name: Identifier): bound.Expression {
  const { type } = of;
  if (type.kind === 'JSON') {
    return callByName('$json_at', [of, boundLiteral('STRING', name.name)], name.at);
  }
  if (types.isOpen(type)) return namedPart(of, name.name);
  if (type.kind !== 'STRUCT') {
    const message = `Cannot access field ${shortName(name.name)} on a value with type ${types.shortTypeName(type)}`;
    throw new QueryFault(message, name.at);
  }
  const field = types.findField(type, name.name);
  if (field === undefined) {
    const other = otherValue(of, name);
    if (other === undefined) throw noSuchField(type, name);
    return other;
  }
  if (isRepeated(field, type)) {
    throw new QueryFault(`Struct field name ${shortName(name.name)} is ambiguous`, name.at);
  }
  return fieldAt(of, type.fields.indexOf(field));
}

/** The field of this name in the record's string of untyped fields; undefined if the record has no such string. */
function otherValue(of: bound.Expression, name: Identifier): bound.Expression | undefined {
  const index = of.type.kind === 'STRUCT' ? of.type.fields.findIndex(types.holdsOthers) : -1;
  return index < 0 ? undefined : namedPart(fieldAt(of, index), name.name);
}

/** The value of this name in an open string. */
export function namedPart(text: bound.Expression, name: string): bound.Expression {
  return partOfText(text, boundLiteral('STRING', name), 0);
}

/** Whether a later field of the struct has the same name. */
function isRepeated(field: types.Field, { fields }: types.StructType): boolean {
  const name = field.name.toLowerCase();
  return fields.findLast((other) => other.name.toLowerCase() === name) !== field;
}

/** A field of a struct by index, from 0. */
export function fieldAt(of: bound.Expression, index: number): bound.Expression {
  const field = of.type.kind === 'STRUCT' ? of.type.fields[index] : undefined;
  if (of.type.kind !== 'STRUCT' || field === undefined) throw new Error('no such field');
  if (of.kind === 'struct') return of.values[index] ?? of;
  const inner = field.stored ? types.fieldType(field) : types.unstored(field.type);
  const name = types.storedNames(of.type)[index] ?? field.name;
  return { kind: 'field', of, name, stored: field.stored, type: inner };
}

function noSuchField(type: types.StructType, name: Identifier): QueryFault {
  const names = type.fields.map((field) => field.name);
  const near = didYouMean(name.name, names);
  const message = `Field name ${shortName(name.name)} does not exist in ${types.shortTypeName(type)}${near}`;
  return new QueryFault(message, name.at);
}

function valuesNamed(range: Range, wanted: string): readonly bound.Expression[] {
  const { changed } = range;
  if (changed === undefined) return ownNames(range, wanted);
  const renamed = [...changed.values()].flatMap((item) =>
    item?.name.toLowerCase() === wanted ? [item.value] : [],
  );
  return changed.has(wanted) ? renamed : [...ownNames(range, wanted), ...renamed];
}

/** The columns and fields of a range with this name, in lower case, before any change. */
export function ownNames(range: Range, wanted: string): readonly bound.Expression[] {
  const columns = range.columns.filter((column) => column.name.toLowerCase() === wanted);
  const values = columns.map(bound.columnValue);
  const { element } = range;
  if (element === undefined) return values;
  const of = bound.columnValue(element);
  const own = fieldsIn(element.type).flatMap(({ name }, index) => {
    if (name.toLowerCase() !== wanted) return [];
    return [types.isOpen(of.type) ? namedPart(of, name) : fieldAt(of, index)];
  });
  return [...values, ...own];
}

/** The fields of a record, or of the records in an open string; empty for any other type. */
export function fieldsIn(type: types.Type): readonly types.Field[] {
  return (type.kind === 'ARRAY' ? undefined : type.fields) ?? [];
}

/**
 * Changes the meaning of these names, in lower case, for unqualified names and `*`. If an element changes,
 * the range loses its name, which would mean the old value.
 */
export function changeNames(
  range: Range,
  names: ReadonlyMap<string, NamedValue | undefined>,
): Range {
  const changed = new Map([...(range.changed ?? []), ...names]);
  const { name, element } = range;
  const isValue = element !== undefined && element.type.kind !== 'STRUCT';
  const isMerged = element !== undefined && names.has(name?.toLowerCase() ?? '');
  if (!isMerged && !(isValue && names.has(element.name.toLowerCase())))
    return { ...range, changed };
  const { name: _, ...rest } = range;
  return { ...rest, changed };
}

/** Maps the values of the changed columns of a range. */
export function mapChanged(
  changed: NonNullable<Range['changed']>,
  map: (value: bound.Expression) => bound.Expression,
): NonNullable<Range['changed']> {
  return new Map(
    [...changed].map(([key, item]) => [key, item && { ...item, value: map(item.value) }]),
  );
}

/** The ids of the columns of a range. */
export function columnIds({ columns, element }: Range): readonly number[] {
  const own = element === undefined ? columns : [...columns, element];
  return own.flatMap(({ id, nullWith }) => (nullWith === undefined ? [id] : [id, nullWith.id]));
}

/** The ids of the columns of all enclosing queries. */
export function outerColumnIds({ outer }: Scope): ReadonlySet<number> {
  if (outer === undefined) return new Set();
  return new Set([...outer.ranges.flatMap(columnIds), ...outerColumnIds(outer)]);
}

/** Every name in scope, for suggestions; unnamed columns are included as empty names. */
function namesInScope(scope: Scope): readonly string[] {
  const own = scope.ranges.flatMap((range) => [range.name ?? [], columnNames(range)].flat());
  return [...own, ...(scope.outer ? namesInScope(scope.outer) : [])];
}

/** The names of a range's columns and fields, for suggestions. */
export function columnNames({ columns, changed, element }: Range): readonly string[] {
  return [
    ...columns.map((column) => column.name),
    ...[...(changed?.values() ?? [])].flatMap((item) => (item ? [item.name] : [])),
    ...(element ? fieldsIn(element.type).map((field) => field.name) : []),
  ];
}

/** Names that reveal the user or the catalog in other systems; allowed only as names of columns. */
const refusedNames: ReadonlySet<string> = new Set(
  'current_user session_user user current_catalog current_schema current_role'.split(' '),
);

/** The columns into which fields of log files are read, by the names that loggers write. */
const loggedNames: ReadonlyMap<string, string> = new Map([
  ...['msg', 'message', '@message', '@m', 'log'].map((name) => [name, 'event_message'] as const),
  ...['time', 'ts', '@timestamp', '@t'].map((name) => [name, 'timestamp'] as const),
]);

/** `; msg is read as event_message` for a field that log files have under another name than their columns. */
function loggedHint(name: string, scope: Scope): string {
  const column = loggedNames.get(name.toLowerCase());
  return column !== undefined && namesInScope(scope).includes(column)
    ? `; ${name} is read as ${column}`
    : '';
}

/** The fault for a name that refers to nothing; the hint replaces the most similar name in scope. */
export function unrecognized(name: Identifier, scope: Scope, hint = ''): QueryFault {
  if (refusedNames.has(name.name.toLowerCase())) {
    return new QueryFault(`${name.name} is not allowed`, name.at, 'accessDenied');
  }
  const near = hint || loggedHint(name.name, scope) || didYouMean(name.name, namesInScope(scope));
  return new QueryFault(`Unrecognized name: ${shortName(name.name)}${near}`, name.at);
}

/** Creates an empty collection of a block's aggregate calls; `from` is the scope of its clauses. */
export function noAggregates(from: Scope): Aggregates {
  const { aggregates: _, aliases: __, windows: ___, ...scope } = from;
  return { items: [], columns: new Map(), scope: { ...scope, clause: 'aggregate' } };
}

/** Adds an aggregate call to the grouped block and returns its column; equal calls share one. */
export function addAggregate(call: bound.Call, aggregates: Aggregates): bound.Expression {
  const { items, columns, scope } = aggregates;
  const key = fingerprint(call);
  const existing = columns.get(key);
  if (existing !== undefined) return bound.columnValue(existing);
  const column = scope.statement.newColumn(key, call.type);
  columns.set(key, column);
  items.push({ column, value: call });
  return bound.columnValue(column);
}
