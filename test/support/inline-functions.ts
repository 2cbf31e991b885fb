import { printGoogleSql } from '../../src/compiler/syntax/print-googlesql.js';
import { parse } from '../../src/compiler/syntax/syntax.js';
import type { Call, Expression, Query } from '../../src/compiler/syntax/tree.js';

/** A temporary function of a statement. */
interface TempFunction {
  readonly name: string;
  readonly parameter: string;
  readonly body: Expression;
}

const definition = /CREATE TEMP FUNCTION (\w+)\((\w+) \w+\) AS \(\n([\s\S]*?)\n\);\n/g;

/**
 * The statement with each call of its temporary functions replaced by the function's body, since this project's compiler
 * knows no CREATE FUNCTION: `redact(a)` -> `(SELECT <body> FROM (SELECT a AS x))`.
 */
export function withoutFunctions(text: string): string {
  const functions = new Map<string, TempFunction>();
  for (const [, name = '', parameter = '', body = ''] of text.matchAll(definition)) {
    const parsed = inline(expressionOf(body), functions) as Expression;
    functions.set(name, { name, parameter, body: parsed });
  }
  if (functions.size === 0) return text;
  const query = parse(text.replace(definition, ''));
  return printGoogleSql(inline(query, functions) as Query);
}

function expressionOf(text: string): Expression {
  const { body } = parse(`SELECT ${text}`);
  const [item] = body.kind === 'select' ? body.items : [];
  if (item?.kind !== 'item') throw new Error('a function without a body');
  return item.value;
}

function inline(node: unknown, functions: ReadonlyMap<string, TempFunction>): unknown {
  if (typeof node !== 'object' || node === null) return node;
  if (Array.isArray(node)) return node.map((part) => inline(part, functions));
  const entries = Object.entries(node).map(([key, part]) => [key, inline(part, functions)]);
  const mapped = Object.fromEntries(entries) as { readonly kind?: string };
  if (mapped.kind !== 'call') return mapped;
  const call = mapped as Call;
  const [name, ...more] = call.path;
  const found = more.length === 0 ? functions.get(name?.name.toLowerCase() ?? '') : undefined;
  return found === undefined ? call : bodyOver(found, call);
}

function bodyOver({ parameter, body }: TempFunction, { arguments: [argument] }: Call): Expression {
  if (argument === undefined) throw new Error('a call without an argument');
  const alias = { name: parameter, quoted: false, at: 0 };
  const select = { kind: 'select', distinct: false, windows: [], at: 0 } as const;
  const item = (value: Expression) => ({ kind: 'item', value, at: 0 }) as const;
  const query = { kind: 'query', ctes: [], orderBy: [], at: 0 } as const;
  const input: Query = {
    ...query,
    body: { ...select, items: [{ ...item(argument.value), alias }] },
  };
  const from = { kind: 'derived', query: input, at: 0 } as const;
  return {
    kind: 'subquery',
    form: 'SCALAR',
    query: { ...query, body: { ...select, items: [item(body)], from } },
    at: 0,
  };
}
