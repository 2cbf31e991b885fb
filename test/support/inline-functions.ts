import { lex, type Token } from '../../src/compiler/syntax/lex.js';
import { printGoogleSql } from '../../src/compiler/syntax/print-googlesql.js';
import { parse } from '../../src/compiler/syntax/syntax.js';
import type { Call, Expression, Query } from '../../src/compiler/syntax/tree.js';

/** A temporary function of a statement. */
interface TempFunction {
  readonly name: string;
  readonly parameter: string;
  readonly body: Expression;
}

/**
 * The statement with each call of its temporary functions replaced by the function's body, since this project's compiler
 * knows no CREATE FUNCTION: `redact(a)` -> `(SELECT <body> FROM (SELECT a AS x))`.
 */
export function withoutFunctions(text: string): string {
  const functions = new Map<string, TempFunction>();
  const tokens = lex(text);
  let at = 0;
  while (tokens[at]?.key === 'CREATE') {
    // CREATE TEMP FUNCTION name(parameter TYPE) AS ( body );
    const open = at + 9;
    const close = closingOf(tokens, open);
    const [name = '', parameter = ''] = [tokens[at + 3]?.value, tokens[at + 5]?.value];
    const body = expressionOf(text.slice(tokens[open]?.end, tokens[close]?.at));
    functions.set(name, { name, parameter, body: inline(body, functions) as Expression });
    at = close + 2;
  }
  if (functions.size === 0) return text;
  return printGoogleSql(inline(parse(text.slice(tokens[at]?.at)), functions) as Query);
}

/** The index of the bracket that closes the one at an index. */
function closingOf(tokens: readonly Token[], open: number): number {
  let depth = 0;
  for (let at = open; at < tokens.length; at += 1) {
    if (tokens[at]?.text === '(') depth += 1;
    if (tokens[at]?.text === ')') depth -= 1;
    if (depth === 0) return at;
  }
  throw new Error('a bracket that nothing closes');
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
