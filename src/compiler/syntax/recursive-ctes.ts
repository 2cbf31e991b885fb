import { shortName } from '../../errors/errors.js';
import { QueryFault } from '../../errors/query-fault.js';
import { queryNode } from './make-nodes.js';
import type { Identifier } from './names.js';
import { nodesIn } from './nodes-in.js';
import type { Cte, QueryBody, TableReference } from './tree.js';

/**
 * Sorts the CTEs of WITH RECURSIVE, which may read later ones, so that each follows the CTEs that it reads.
 * From here on, names resolve as after WITH. Marks the CTEs that read themselves.
 * @throws QueryFault for a cycle of several CTEs, and for a recursive CTE of a form that BigQuery refuses
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/query-syntax#recursive_cte
 */
export function orderCtes(ctes: readonly Cte[]): readonly Cte[] {
  const written = ctes.map(withUnion);
  const byName = new Map(written.toReversed().map((cte) => [nameKey(cte.name), cte]));
  const tables = new Map(written.map((cte) => [cte, tablesIn(cte.query)]));
  const ordered: Cte[] = [];
  const states = new Map<Cte, 'begun' | 'done'>();
  const visit = (cte: Cte, from: TableReference | undefined): void => {
    if (states.get(cte) === 'done') return;
    if (from !== undefined && states.has(cte)) throw cycle(cte, from);
    states.set(cte, 'begun');
    for (const table of tables.get(cte) ?? []) {
      const read = byName.get(tableKey(table) ?? '');
      if (read !== undefined && read !== cte) visit(read, table);
    }
    states.set(cte, 'done');
    ordered.push(marked(cte));
  };
  for (const cte of written) visit(cte, undefined);
  return ordered;
}

/** Rewrites a set operator at the end of a CTE's pipe syntax, `from t |> union all (…)`, in standard syntax. */
function withUnion(cte: Cte): Cte {
  const { body } = cte.query;
  const last = body.kind === 'pipeline' ? body.operators.at(-1) : undefined;
  if (body.kind !== 'pipeline' || last?.kind !== 'pipe-set-operation') return cte;
  const before = { ...body, operators: body.operators.slice(0, -1) };
  const operands = [queryNode(before), ...last.operands];
  const union = { ...last, kind: 'set-operation', operands } as const;
  return { ...cte, query: { ...cte.query, body: union } };
}

function cycle({ name }: Cte, { at }: TableReference): QueryFault {
  const message = `The CTEs of WITH RECURSIVE read each other in a cycle through ${shortName(name.name)}: a CTE can read itself, but not through another one`;
  return new QueryFault(message, at);
}

/** Returns the CTE, marked as recursive if it reads itself. */
function marked(cte: Cte): Cte {
  const [first] = cteReads(cte.query, cte.name);
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
  const [inBase] = body.operands.slice(0, -1).flatMap((operand) => cteReads(operand, name));
  if (inBase !== undefined) {
    const message = `The base term of the recursive CTE ${short} cannot read ${short}: only the term after the last UNION ALL can`;
    throw new QueryFault(message, inBase.at);
  }
  const [, second] = body.operands.slice(-1).flatMap((operand) => cteReads(operand, name));
  if (second === undefined) return;
  const message = `The recursive term of ${short} must read ${short} exactly once`;
  throw new QueryFault(message, second.at);
}

function cteReads(body: QueryBody, name: Identifier): readonly TableReference[] {
  return tablesIn(body).filter((table) => tableKey(table) === nameKey(name));
}

/** Returns the name of a table in lower case; undefined for a path of several parts, which is never a CTE. */
function tableKey({ path }: TableReference): string | undefined {
  const [first, ...rest] = path;
  return first && rest.length === 0 ? nameKey(first) : undefined;
}

function nameKey({ name }: Identifier): string {
  return name.toLowerCase();
}

/** The tables that a query names. @throws QueryFault for a clause that is not allowed in WITH RECURSIVE */
function tablesIn(body: QueryBody): readonly TableReference[] {
  const nodes = nodesIn(body);
  for (const node of nodes) {
    if ('ctes' in node && node.ctes.length > 0) {
      throw new QueryFault('WITH is not allowed inside WITH RECURSIVE', node.at);
    }
    const isSet = node.kind === 'set-operation' || node.kind === 'pipe-set-operation';
    if (isSet && node.operator === 'UNION' && node.distinct) {
      const message = 'UNION DISTINCT is not allowed inside WITH RECURSIVE: use UNION ALL';
      throw new QueryFault(message, node.at);
    }
  }
  return nodes.filter((node) => node.kind === 'table');
}
