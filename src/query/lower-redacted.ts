import type { Type } from '../source/schema.js';
import type { DuckExpression, DuckQuery, DuckRedacted } from './duck.js';
import { redactValue } from './redact.js';
import { storedNames } from './type.js';

/**
 * The statement with each value that is to be redacted written so. Of a record only the fields that
 * the query reads are; a record that leaves as it is, as a column of the answer, waits for the exit,
 * which redacts every answer.
 */
export function writeRedacted(query: DuckQuery): DuckQuery {
  const { body } = query;
  const isSelect = 'kind' in body && body.kind === 'select';
  if (!isSelect || body.distinct || body.groupKeys !== undefined) return write(query);
  const items = body.items.map((item) => ({ ...item, value: leaving(item.value) }));
  return write({ ...query, body: { ...body, items } });
}

/** Nothing can be ordered or told apart by a record, so that nobody has read it before the exit. */
function leaving(value: DuckExpression): DuckExpression {
  const lifted = lift(value);
  const isRecord = lifted.kind === 'redacted' && ['ARRAY', 'STRUCT'].includes(lifted.type.kind);
  return isRecord ? lifted.of : value;
}

/** The same tree without a redacted node. */
function write<T>(node: T): T {
  if (typeof node !== 'object' || node === null) return node;
  if (Array.isArray(node)) return node.map(write) as T;
  const lifted = lift(node as unknown as DuckExpression);
  if (lifted.kind === 'redacted') return redactValue(write(lifted.of), lifted.type) as T;
  const parts = Object.entries(lifted).map(([name, part]) => [name, write(part)]);
  return Object.fromEntries(parts) as T;
}

/** `redacted(x).a` -> `redacted(x.a)`; whether a value is NULL tells nothing of its text. */
function lift(node: DuckExpression): DuckExpression {
  if (node.kind === 'is-null') {
    const of = lift(node.of);
    return of.kind === 'redacted' ? { ...node, of: of.of } : node;
  }
  if (node.kind !== 'field') return node;
  const of = lift(node.of);
  const type = of.kind === 'redacted' ? fieldType(of, node.name) : undefined;
  if (of.kind !== 'redacted' || type === undefined) return node;
  return { kind: 'redacted', of: { ...node, of: of.of }, type };
}

/** The type of a record's field by the name that it is stored under. */
function fieldType({ type }: DuckRedacted, name: string): Type | undefined {
  const record = type.kind === 'ARRAY' && type.layout === 'struct' ? type.element : type;
  if (record.kind !== 'STRUCT') return undefined;
  return record.fields[storedNames(record).indexOf(name)]?.type;
}
