import { shortName } from '../../errors/errors.js';
import { QueryFault } from '../../errors/query-fault.js';
import type { Identifier } from './names.js';
import type { Cte, PipeOperator, Query, QueryBody, TableReference } from './tree.js';

/**
 * Sorts the CTEs of WITH RECURSIVE, which may read later ones, so that each follows the CTEs that it reads.
 * From here on, names resolve as after WITH. Marks the CTEs that read themselves.
 * @throws QueryFault for a cycle of several CTEs, and for a recursive CTE of a form that BigQuery refuses
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/query-syntax#recursive_cte
 */
export function orderCtes(ctes: readonly Cte[]): readonly Cte[] {
  const reading = ctes.map(withUnion).map(describe);
  const byName = new Map(reading.toReversed().map((one) => [keyOf(one.cte.name), one]));
  const ordered: Cte[] = [];
  const states = new Map<Reading, 'begun' | 'done'>();
  const visit = (one: Reading, from: TableReference | undefined): void => {
    if (states.get(one) === 'done') return;
    if (from !== undefined && states.has(one)) throw cycle(one.cte, from);
    states.set(one, 'begun');
    for (const table of one.tables) {
      const read = byName.get(nameOf(table) ?? '');
      if (read !== undefined && read !== one) visit(read, table);
    }
    states.set(one, 'done');
    ordered.push(marked(one));
  };
  for (const one of reading) visit(one, undefined);
  return ordered;
}

/** Rewrites a set operator at the end of a CTE's pipe syntax, `from t |> union all (…)`, in standard syntax. */
function withUnion(cte: Cte): Cte {
  const { body } = cte.query;
  const last = body.kind === 'pipeline' ? body.operators.at(-1) : undefined;
  if (body.kind !== 'pipeline' || last?.kind !== 'pipe-set-operation') return cte;
  const before = { ...body, operators: body.operators.slice(0, -1) };
  const first: Query = { kind: 'query', ctes: [], body: before, orderBy: [], at: body.at };
  const union = { ...last, kind: 'set-operation', operands: [first, ...last.operands] } as const;
  return { ...cte, query: { ...cte.query, body: union } };
}

/** A CTE and the tables that it names, anywhere in its query. */
interface Reading {
  readonly cte: Cte;
  readonly tables: readonly TableReference[];
}

function describe(cte: Cte): Reading {
  const tables: TableReference[] = [];
  visitNodes(cte.query, (node) => {
    if (node.kind === 'table') tables.push(node);
    if ('ctes' in node && node.ctes.length > 0) {
      throw new QueryFault('WITH is not allowed inside WITH RECURSIVE', node.at);
    }
    if ('operator' in node && node.operator === 'UNION' && node.distinct) {
      const message = 'UNION DISTINCT is not allowed inside WITH RECURSIVE: use UNION ALL';
      throw new QueryFault(message, node.at);
    }
  });
  return { cte, tables };
}

function cycle({ name }: Cte, { at }: TableReference): QueryFault {
  const message = `The CTEs of WITH RECURSIVE read each other in a cycle through ${shortName(name.name)}: a CTE can read itself, but not through another one`;
  return new QueryFault(message, at);
}

/** Returns the CTE, marked as recursive if it reads itself. */
function marked({ cte, tables }: Reading): Cte {
  const own = tables.filter((table) => nameOf(table) === keyOf(cte.name));
  const [first] = own;
  if (first === undefined) return cte;
  checkForm(cte, first);
  return { ...cte, isRecursive: true };
}

/** Only the last term of a UNION ALL may read the CTE, and only once. */
function checkForm({ name, query }: Cte, first: TableReference): void {
  const short = shortName(name.name);
  const { body, orderBy, limit } = query;
  const isUnion = body.kind === 'set-operation' && body.operator === 'UNION';
  if (!isUnion || body.match !== undefined) {
    const message = `A CTE that reads itself must be a UNION ALL of a base term and a recursive term: ${short} AS (SELECT … UNION ALL SELECT … FROM ${short} …)`;
    throw new QueryFault(message, first.at);
  }
  if (orderBy.length > 0 || limit !== undefined) {
    const message = `The recursive CTE ${short} cannot have ORDER BY or LIMIT: write them in the query that reads it`;
    throw new QueryFault(message, orderBy[0]?.value.at ?? limit?.at ?? query.at);
  }
  const [inBase] = body.operands.slice(0, -1).flatMap((operand) => readsOf(operand, name));
  if (inBase !== undefined) {
    const message = `The base term of the recursive CTE ${short} cannot read ${short}: only the term after the last UNION ALL can`;
    throw new QueryFault(message, inBase.at);
  }
  const [, second] = body.operands.slice(-1).flatMap((operand) => readsOf(operand, name));
  if (second === undefined) return;
  const message = `The recursive term of ${short} must read ${short} exactly once`;
  throw new QueryFault(message, second.at);
}

function readsOf(body: QueryBody, name: Identifier): readonly TableReference[] {
  const tables: TableReference[] = [];
  visitNodes(body, (node) => {
    if (node.kind === 'table' && nameOf(node) === keyOf(name)) tables.push(node);
  });
  return tables;
}

/** Returns the name of a table in lower case; undefined for a path of several parts, which is never a CTE. */
function nameOf({ path }: TableReference): string | undefined {
  const [first, ...rest] = path;
  return first && rest.length === 0 ? keyOf(first) : undefined;
}

function keyOf({ name }: Identifier): string {
  return name.toLowerCase();
}

type Visited = Query | Exclude<QueryBody, Query> | PipeOperator | TableReference;

const visited: ReadonlySet<unknown> = new Set([
  ...['query', 'set-operation', 'table', 'pipe-with', 'pipe-set-operation'],
]);

/** Calls `visit` for the queries, set operations and tables of a tree. */
function visitNodes(node: unknown, visit: (node: Visited) => void): void {
  if (typeof node !== 'object' || node === null) return;
  if ('kind' in node && visited.has(node.kind)) visit(node as Visited);
  for (const part of Object.values(node)) visitNodes(part, visit);
}
