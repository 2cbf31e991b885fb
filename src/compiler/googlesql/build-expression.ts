import { type StructType, storedNames, type Type } from '../../types/types.js';
import type * as bound from '../bound/bound.js';
import { callNode, int64Node, quotedName, testNode, word, wordNode } from '../syntax/make-nodes.js';
import type { Expression } from '../syntax/tree.js';
import { buildCall } from './build-call.js';
import { absentValue, buildLiteral, castNode, nullAsType } from './build-literal.js';
import type { BuildScope } from './build-scope.js';
import { buildType } from './build-type.js';

type Kind = bound.Expression['kind'];
type Node<K> = bound.Expression & { readonly kind: K };
type Builders = { readonly [K in Kind]: (node: Node<K>, scope: BuildScope) => Expression };

/** Builds the syntax tree of an expression. */
export function buildExpression<K extends Kind>(node: Node<K>, scope: BuildScope): Expression {
  return builders[node.kind](node, scope);
}

const builders: Builders = {
  column: ({ column }, { columns }) => {
    const found = columns.get(column.id);
    if (found === undefined) throw new Error(`column ${column.id} is not in scope`);
    return found;
  },
  literal: ({ value, type }) => buildLiteral(value, type),
  parameter: ({ name }) => ({ kind: 'parameter', name: `p_${name}`, at: 0 }),
  part: ({ part }) => partNode(part),
  field: buildField,
  // BigQuery stores arrays as arrays, so there is nothing to convert.
  plain: ({ of }, { build }) => build(of),
  only: ({ of }, { build }) => {
    const index = callNode('SAFE_OFFSET', [int64Node(0)]);
    return { kind: 'index', of: build(of), index, at: 0 };
  },
  // The cast prevents BigQuery from treating the value as a literal.
  inlined: ({ of, type }, { build }) =>
    of.kind === 'literal' ? castNode(buildLiteral(of.value, type), type) : build(of),
  cast: ({ of, type, safe, limits }, { build }) => {
    if (of.kind === 'literal' && of.value === null) return nullAsType(type);
    return { kind: 'cast', operand: build(of), type: buildType(type, limits), safe, at: 0 };
  },
  'is-null': ({ of }, { build }) => testNode(build(of), 'NULL'),
  call: buildCall,
  case: ({ operand, whens, otherwise }, { build }) => ({
    kind: 'case',
    ...(operand && { operand: build(operand) }),
    whens: whens.map(({ when, result }) => ({ when: build(when), result: build(result) })),
    otherwise: build(otherwise),
    at: 0,
  }),
  array: ({ elements, type, isUntyped }, { build }) => ({
    kind: 'array',
    ...(!isUntyped && { type: buildType(type.element) }),
    elements: elements.map(build),
    at: 0,
  }),
  struct: ({ values, type }, { build }) => ({
    kind: 'struct',
    type: buildType(type),
    // The type has only the stored fields.
    fields: values
      .filter((_, index) => type.fields[index]?.stored)
      .map((value) => ({ value: build(value) })),
    at: 0,
  }),
  subquery: ({ form, operand, query }, { build, buildQuery }) => {
    const inner = buildQuery(query);
    if (form !== 'IN') return { kind: 'subquery', form, query: inner, at: 0 };
    if (operand === undefined) throw new Error('IN without an operand');
    return { kind: 'in', operand: build(operand), not: false, values: inner, at: 0 };
  },
};

/** `DAY`, or `WEEK(MONDAY)` */
function partNode(part: string): Expression {
  const [, outer = part, inner] = /^(\w+)\((\w+)\)$/.exec(part) ?? [];
  return inner === undefined ? wordNode(outer) : callNode(outer, [wordNode(inner)]);
}

/**
 * Builds a field. A field that the table does not have is NULL, or an empty array unless its record is NULL; a field
 * without a unique name is read by its position.
 */
function buildField({ of, name, stored, type }: bound.Field, { build }: BuildScope): Expression {
  const record = build(of);
  if (!stored) return type.kind === 'ARRAY' ? unlessNull(record, type) : nullAsType(type);
  const index = of.type.kind === 'STRUCT' ? fieldPosition(of.type, name) : undefined;
  if (index !== undefined) {
    return { kind: 'index', of: record, index: callNode('OFFSET', [int64Node(index)]), at: 0 };
  }
  if (record.kind !== 'path') return { kind: 'field', of: record, name: quotedName(name), at: 0 };
  return { ...record, parts: [...record.parts, quotedName(name)] };
}

/** `CASE WHEN record IS NULL THEN CAST(NULL AS type) ELSE ARRAY<…>[] END` */
function unlessNull(record: Expression, type: Type): Expression {
  const whens = [{ when: testNode(record, 'NULL'), result: nullAsType(type) }];
  return { kind: 'case', whens, otherwise: absentValue(type), at: 0 };
}

/** The position of a field that has no name, or shares it with another field; undefined for any other field. */
function fieldPosition(type: StructType, name: string): number | undefined {
  const names = storedNames(type).filter((_, at) => type.fields[at]?.stored);
  const index = names.indexOf(name);
  const isOwn = (field: StructType['fields'][number]) =>
    field.stored && field.name.toLowerCase() === name.toLowerCase();
  const owners = type.fields.filter(isOwn);
  return owners.length === 1 || index === -1 ? undefined : index;
}

/** A range, or a column of it. */
export function columnPath(...names: readonly string[]): Expression {
  const [range = '', ...rest] = names;
  return { kind: 'path', parts: [word(range), ...rest.map(quotedName)], at: 0 };
}
