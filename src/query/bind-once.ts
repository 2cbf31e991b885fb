import { call, type DuckExpression, type DuckItem, integer } from './duck.js';

/** Up to this weight an expression is rather written twice than bound. */
const light = 6;

/**
 * `write` of the arguments, which may name each of them many times: those that are not small are
 * bound to a name first, so that nested calls do not grow with every level, and what is random is
 * asked for once.
 */
export function once(
  args: readonly DuckExpression[],
  write: (args: readonly DuckExpression[]) => DuckExpression,
  limit: number = light,
): DuckExpression {
  return bindAs('once', args, write, limit);
}

/** The same under a name of one's own; what speaks of another of that name is bound too. */
export function bindAs(
  name: string,
  args: readonly DuckExpression[],
  write: (args: readonly DuckExpression[]) => DuckExpression,
  limit: number = light,
): DuckExpression {
  if (!args.some((arg) => isHeavy(arg, limit))) return write(args);
  const isBound = args.map((arg) => isHeavy(arg, limit) || speaksOf(arg, name));
  const bound: DuckExpression = { kind: 'name', name };
  const fields = args.flatMap((value, place): readonly DuckItem[] =>
    isBound[place] ? [{ name: `a${place}`, value }] : [],
  );
  const body = write(
    args.map((arg, place) =>
      isBound[place] ? { kind: 'field', of: bound, name: `a${place}` } : arg,
    ),
  );
  const one: DuckExpression = { kind: 'list', elements: [{ kind: 'struct', fields }] };
  const mapped = call('list_transform', one, { kind: 'lambda', parameters: [name], body });
  return call('list_extract', mapped, integer(1));
}

/** Whether a lambda's parameter is named anywhere in it, which another of the same name would hide. */
function speaksOf(node: object, name: string): boolean {
  if ('kind' in node && node.kind === 'name' && 'name' in node) return node.name === name;
  const parts: readonly unknown[] = Object.values(node);
  return parts.some((part) => typeof part === 'object' && part !== null && speaksOf(part, name));
}

/** Whether an expression is rather bound than written twice. */
export function isHeavy(expression: DuckExpression, limit: number = light): boolean {
  return weight(expression, limit) > limit;
}

/** How many nodes an expression has, macros and lambdas for some; counting ends above `limit`. */
function weight(expression: DuckExpression, limit: number): number {
  const open: unknown[] = [expression];
  let total = 0;
  while (open.length > 0 && total <= limit) {
    const node = open.pop();
    if (typeof node !== 'object' || node === null) continue;
    total += weightOf(node as { readonly kind?: unknown; readonly path?: readonly unknown[] });
    open.push(...Object.values(node));
  }
  return total;
}

const costly: ReadonlySet<string> = new Set(['lambda', 'case', 'redacted']);

function weightOf({
  kind,
  path = [],
}: {
  readonly kind?: unknown;
  readonly path?: readonly unknown[];
}) {
  if (kind === undefined) return 0;
  if (kind === 'subquery' || path[0] === 'random') return Number.POSITIVE_INFINITY;
  return path[0] === 'bq' || costly.has(String(kind)) ? light : 1;
}
