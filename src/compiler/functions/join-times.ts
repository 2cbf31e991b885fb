import type { DuckExpression } from '../duckdb-sql/duckdb-sql.js';
import * as d from '../duckdb-sql/duckdb-sql.js';

/** Joins the parts of a printed time; NULL if the time is NULL. Adjacent parts share a call of strftime if possible. */
export function joinTimes(parts: readonly DuckExpression[], time: DuckExpression): DuckExpression {
  const joined: DuckExpression[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    const both = last && joinTwo(last, part);
    if (both === undefined) joined.push(part);
    else joined[joined.length - 1] = both;
  }
  const [first = d.text('')] = joined;
  const isConstant = joined.length < 2 && first.kind === 'text';
  return isConstant ? d.choose(d.isNull(time), d.nullValue, first) : d.infix('||', ...joined);
}

function joinTwo(left: DuckExpression, right: DuckExpression): DuckExpression | undefined {
  if (left.kind === 'text' && right.kind === 'text') return d.text(left.value + right.value);
  if (left.kind === 'call' && left.path[0] === 'ltrim') {
    const [inner = left, zero = d.nullValue] = left.args;
    const both = joinTwo(inner, right);
    return both && d.call('ltrim', both, zero);
  }
  const [a, b] = [strftimeOf(left), strftimeOf(right)];
  const civil = a?.civil ?? b?.civil;
  if (a === undefined || b === undefined || civil === undefined) return undefined;
  return d.call('strftime', civil, d.text(a.format + b.format));
}

/** The value and format of a call of strftime; a literal string is a format without a value. */
function strftimeOf(
  node: DuckExpression,
): { readonly civil?: DuckExpression; readonly format: string } | undefined {
  if (node.kind === 'text') return { format: node.value.replaceAll('%', '%%') };
  if (node.kind !== 'call' || node.path[0] !== 'strftime') return undefined;
  const [civil, format] = node.args;
  return civil && format?.kind === 'text' ? { civil, format: format.value } : undefined;
}
