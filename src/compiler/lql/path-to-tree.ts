import { QueryFault } from '../../errors/query-fault.js';
import { fieldType, findField, holdsOthers, isOpen, type Type } from '../../types/types.js';
import { callNode, int64Node, pathNode, quotedName } from '../syntax/make-nodes.js';
import type { Identifier } from '../syntax/names.js';
import type { Expression, UnnestItem } from '../syntax/tree.js';
import { findColumn, type LqlRange } from './lql-scope.js';
import type { LqlPath, LqlWord } from './lql-tree.js';

/** The value of a path; its type is undefined if the path contains an unknown name. */
export interface LqlValue {
  readonly value: Expression;
  readonly type: Type | undefined;
}

/** An identifier, quoted so that GoogleSQL never reads it as a keyword. */
export function identifier({ text, at }: LqlWord): Identifier {
  return quotedName(text, at);
}

/** A column of the table. @throws QueryFault at the clause that needs it if the table does not have it */
export function neededColumn(
  range: LqlRange,
  name: string,
  { what, at }: { readonly what: string; readonly at: number },
): LqlValue {
  const column = findColumn(range, name);
  if (column === undefined) {
    throw new QueryFault(`${what} needs a column ${name}, which ${range.name} does not have`, at);
  }
  const value = pathNode(quotedName(range.alias, at), quotedName(column.name, at));
  return { value, type: column.type };
}

/**
 * A path as one value per row: the value in the first element of each repeated record, or NULL.
 * `metadata.request.path` -> `t.metadata[safe_offset(0)].request[safe_offset(0)].path`
 * Unknown names are kept; the resolver reports them.
 */
export function firstValue(path: LqlPath, range: LqlRange): Expression {
  return walk(path, range, ({ value, type }) => {
    const { at } = value;
    const index = callNode('SAFE_OFFSET', [int64Node(0, at)], at);
    return { value: { kind: 'index', of: value, index, at }, type: elementOrOwnType(type) };
  }).value;
}

/** The value of a path for each element of its repeated records; `arrays` unnest these. */
export interface EachValue extends LqlValue {
  readonly arrays: readonly UnnestItem[];
}

/**
 * A path as the values of all elements: `metadata.request.path` -> `e2.path`, with
 * `unnest(t.metadata) as e1, unnest(e1.request) as e2`. With `isElement`, an array at the end of the
 * path is unnested, too.
 */
export function eachValue(path: LqlPath, range: LqlRange, isElement: boolean): EachValue {
  const arrays: UnnestItem[] = [];
  const enter = ({ value: array, type }: LqlValue): LqlValue => {
    const alias: LqlWord = { text: `e${arrays.length + 1}`, at: array.at };
    arrays.push({ kind: 'unnest', array, alias: identifier(alias), at: array.at });
    return { value: pathNode(identifier(alias)), type: elementOrOwnType(type) };
  };
  const end = walk(path, range, enter);
  return { ...(isElement && holdsElements(end) ? enter(end) : end), arrays };
}

function walk(path: LqlPath, range: LqlRange, enter: (of: LqlValue) => LqlValue): LqlValue {
  const [first, ...rest] = path.parts;
  if (first === undefined) throw new Error('a path without parts');
  const column = findColumn(range, first.text) ?? range.columns.find(holdsOthers);
  if (column === undefined)
    return { value: pathNode(...path.parts.map(identifier)), type: undefined };
  const value = pathNode(quotedName(range.alias, first.at), identifier(first));
  const start: LqlValue = { value, type: column.type };
  return rest.reduce((of, name) => step(holdsElements(of) ? enter(of) : of, name), start);
}

function step({ value, type }: LqlValue, word: LqlWord): LqlValue {
  const name = identifier(word);
  const fields = type?.kind === 'STRUCT' ? type : undefined;
  const field = fields && (findField(fields, word.text) ?? fields.fields.find(holdsOthers));
  const inside: Expression =
    value.kind === 'path'
      ? { ...value, parts: [...value.parts, name] }
      : { kind: 'field', of: value, name, at: value.at };
  return { value: inside, type: type && isOpen(type) ? type : field && fieldType(field) };
}

/** Whether a value may have elements; an open string may contain a JSON list. */
function holdsElements({ type }: LqlValue): boolean {
  return type !== undefined && (type.kind === 'ARRAY' || isOpen(type));
}

function elementOrOwnType(type: Type | undefined): Type | undefined {
  return type?.kind === 'ARRAY' ? type.element : type;
}
