import { call, type DuckExpression, type DuckItem, integer } from './duckdb-sql.js';

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

/**
 * The same under a name of one's own. With one argument go all that are no constants: a column that
 * the body names is out of the engine's sight in a sub-select, and another's name would be hidden.
 */
export function bindAs(
  name: string,
  args: readonly DuckExpression[],
  write: (args: readonly DuckExpression[]) => DuckExpression,
  limit: number = light,
): DuckExpression {
  if (!args.some((arg) => isBindable(arg) && isHeavy(arg, limit))) return write(args);
  const bound: DuckExpression = { kind: 'name', name };
  const fields = args.flatMap((value, place): readonly DuckItem[] =>
    isConstant(value) ? [] : [{ name: `a${place}`, value }],
  );
  const body = write(
    args.map((arg, place) =>
      isConstant(arg) ? arg : { kind: 'field', of: bound, name: `a${place}` },
    ),
  );
  if (fields.length === 1 && isChainTo(bound, body)) return write(args);
  const one: DuckExpression = { kind: 'list', elements: [{ kind: 'struct', fields }] };
  const mapped = call('list_transform', one, { kind: 'lambda', parameters: [name], body });
  return call('list_extract', mapped, integer(1));
}

/** What the engine has as functions, and not as macros that may repeat what they are given. */
const functions: ReadonlySet<string> = new Set([
  ...['epoch_us', 'make_timestamp', 'make_timestamptz', 'timezone'],
]);

/** Whether a body is casts and functions around one thing, which then needs no name: a list for each row. */
function isChainTo(bound: DuckExpression, body: DuckExpression): boolean {
  if (body.kind === 'field') return body.of === bound;
  if (body.kind === 'cast') return isChainTo(bound, body.of);
  if (body.kind !== 'call' || body.path.length > 1) return false;
  const [inner, ...others] = body.args.filter((arg) => !isConstant(arg));
  const isOne = inner !== undefined && others.length === 0;
  return isOne && functions.has(body.path[0] ?? '') && isChainTo(bound, inner);
}

/** Whether there is anything to bind: no constant, and nothing that a lambda has bound already. */
export function isBindable(node: DuckExpression): boolean {
  return !isConstant(node) && !isBound(node);
}

function isBound(node: DuckExpression): boolean {
  return node.kind === 'name' || (node.kind === 'field' && isBound(node.of));
}

const constants: ReadonlySet<string> = new Set(['text', 'number', 'word', 'parameter']);

function isConstant(node: DuckExpression): boolean {
  if (node.kind === 'cast') return isConstant(node.of);
  if (node.kind !== 'call') return constants.has(node.kind);
  return node.path.length === 1 && node.args.length > 0 && node.args.every(isConstant);
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

const costly: ReadonlySet<string> = new Set(['lambda', 'case']);

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
