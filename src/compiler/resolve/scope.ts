import { shortName } from '../../errors/errors.js';
import { QueryFault } from '../../errors/query-fault.js';
import { didYouMean } from '../../errors/suggest.js';
import type { SourceSchema } from '../../types/schema.js';
import {
  findField,
  type StructType,
  shortTypeName,
  storedNames,
  structOf,
  type Type,
  unstored,
} from '../../types/type.js';
import {
  type BoundCall,
  type BoundCte,
  type BoundExpression,
  type BoundItem,
  type BoundQuery,
  type Column,
  columnValue,
} from '../bound/bound.js';
import { callByName } from '../functions/match-call.js';
import type { Identifier, Query, WindowSpec } from '../syntax/tree.js';

/** What is the same in the whole statement. */
export interface Statement {
  /** Undefined in a caller's query, which reads no source. */
  readonly sources: ReadonlyMap<string, SourceSchema> | undefined;
  readonly parameters: ReadonlyMap<string, Type>;
  readonly newColumn: (name: string, type: Type, isLogField?: boolean) => Column;
  /** @throws QueryFault where the names of select items stand for too much */
  readonly countRepeated: (value: BoundExpression) => void;
  readonly resolveQuery: (query: Query, scope: Scope) => BoundQuery;
}

/** Something that FROM brings into scope: a table with columns, or the element of an array. */
export interface Range {
  readonly name?: string;
  readonly columns: readonly Column[];
  /** Set for an array's element, which the range's name means; a struct's fields are names too. */
  readonly element?: Column;
  /** Columns that USING has merged: no longer found by their bare names, in lower case. */
  readonly hidden?: ReadonlySet<string>;
}

/** Gathers the aggregate calls of a block, each once. */
export interface Aggregates {
  readonly items: BoundItem[];
}

/** The names that an expression sees. */
export interface Scope {
  readonly statement: Statement;
  readonly ctes: readonly BoundCte[];
  readonly ranges: readonly Range[];
  /** Names of select items, which beat columns. */
  readonly aliases?: ReadonlyMap<string, BoundExpression>;
  readonly aggregates?: Aggregates;
  /** The named windows, where window functions may stand. */
  readonly windows?: ReadonlyMap<string, WindowSpec>;
  /** The clause, for the message that refuses an aggregate in it. */
  readonly clause?: string;
  /** The query around this one. */
  readonly outer?: Scope;
}

/** A scope with no table in it yet. */
export function emptyScope(statement: Statement, ctes: readonly BoundCte[], outer?: Scope): Scope {
  return { statement, ctes, ranges: [], ...(outer === undefined ? {} : { outer }) };
}

/**
 * What a name means, by rules 1 to 4 of the dialect: an alias of the SELECT list where those count,
 * then a range, then a column or the field of an unnested record, then the query around.
 * @throws QueryFault where two ranges have the name
 */
export function findName(name: Identifier, scope: Scope): BoundExpression | undefined {
  const wanted = name.name.toLowerCase();
  const alias = scope.aliases?.get(wanted);
  if (alias !== undefined) {
    scope.statement.countRepeated(alias);
    return alias;
  }
  const range = findRange(wanted, scope);
  if (range !== undefined) return rangeValue(range);
  const found = scope.ranges.flatMap((candidate) => namesOf(candidate, wanted));
  if (found.length > 1) {
    throw new QueryFault(`Column name ${shortName(name.name)} is ambiguous`, name.at);
  }
  return found[0] ?? (scope.outer && findName(name, scope.outer));
}

/** The range of this name in the innermost query; names are matched without letter case. */
export function findRange(name: string, scope: Scope): Range | undefined {
  const wanted = name.toLowerCase();
  return scope.ranges.find((range) => range.name?.toLowerCase() === wanted);
}

/** A range as a value: the element, or the row as a struct. */
function rangeValue(range: Range): BoundExpression {
  if (range.element !== undefined) return columnValue(range.element);
  const fields = range.columns.map(({ name, type }) => ({ name, type }));
  return { kind: 'struct', values: range.columns.map(columnValue), type: structOf(fields) };
}

/**
 * `of.name`.
 * @throws QueryFault where the value has no such field
 */
export function fieldValue(of: BoundExpression, name: Identifier): BoundExpression {
  const { type } = of;
  if (type.kind === 'JSON') {
    const key: BoundExpression = { kind: 'literal', value: name.name, type: { kind: 'STRING' } };
    return callByName('$json_at', [of, key], name.at);
  }
  if (type.kind !== 'STRUCT') {
    const message = `Cannot access field ${shortName(name.name)} on a value with type ${shortTypeName(type)}`;
    throw new QueryFault(message, name.at);
  }
  const field = findField(type, name.name);
  if (field === undefined) throw noSuchField(type, name);
  return fieldAt(of, type.fields.indexOf(field));
}

/** A struct's field by its place, from 0. */
export function fieldAt(of: BoundExpression, place: number): BoundExpression {
  const field = of.type.kind === 'STRUCT' ? of.type.fields[place] : undefined;
  if (of.type.kind !== 'STRUCT' || field === undefined) throw new Error('no such field');
  if (of.kind === 'struct') return of.values[place] ?? of;
  const inner = field.stored ? field.type : unstored(field.type);
  const name = storedNames(of.type)[place] ?? field.name;
  return { kind: 'field', of, name, stored: field.stored, type: inner };
}

function noSuchField(type: StructType, name: Identifier): QueryFault {
  const near = didYouMean(
    name.name,
    type.fields.map((field) => field.name),
  );
  const message = `Field name ${shortName(name.name)} does not exist in ${shortTypeName(type)}${near}`;
  return new QueryFault(message, name.at);
}

function namesOf(range: Range, wanted: string): readonly BoundExpression[] {
  if (range.hidden?.has(wanted)) return [];
  const columns = range.columns.filter((column) => column.name.toLowerCase() === wanted);
  const element = range.element;
  if (element?.type.kind !== 'STRUCT') return columns.map(columnValue);
  const field = findField(element.type, wanted);
  const values = columns.map(columnValue);
  if (field === undefined) return values;
  const name = { name: field.name, quoted: true, at: 0 };
  return [...values, fieldValue(columnValue(element), name)];
}

/** Every name in scope, for suggestions. */
function namesInScope(scope: Scope): readonly string[] {
  return everyName(scope).filter((name) => name !== '');
}

function everyName(scope: Scope): readonly string[] {
  const own = scope.ranges.flatMap((range) => [
    ...(range.name === undefined ? [] : [range.name]),
    ...range.columns.map((column) => column.name),
    ...(range.element?.type.kind === 'STRUCT'
      ? range.element.type.fields.map((field) => field.name)
      : []),
  ]);
  return [...own, ...(scope.outer === undefined ? [] : everyName(scope.outer))];
}

/** Names that tell of the caller or the catalog in other systems: refused where no column has them. */
const refusedNames: ReadonlySet<string> = new Set(
  'current_user session_user user current_catalog current_schema current_role'.split(' '),
);

/** The fault of a name that means nothing here. */
export function unrecognized(name: Identifier, scope: Scope): QueryFault {
  if (refusedNames.has(name.name.toLowerCase())) {
    return new QueryFault(`${name.name} is not allowed`, name.at, 'accessDenied');
  }
  const near = didYouMean(name.name, namesInScope(scope));
  return new QueryFault(`Unrecognized name: ${shortName(name.name)}${near}`, name.at);
}

/** An aggregate call as a column of the grouped block; equal calls share one. */
export function addAggregate(call: BoundCall, key: string, scope: Scope): BoundExpression {
  const items = scope.aggregates?.items ?? [];
  const known = items.find((item) => item.column.name === key);
  if (known !== undefined) return columnValue(known.column);
  const column = scope.statement.newColumn(key, call.type);
  items.push({ column, value: call });
  return columnValue(column);
}
