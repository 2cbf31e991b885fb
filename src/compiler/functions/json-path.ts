import { QueryFault } from '../../errors/query-fault.js';
import type { BoundExpression } from '../bound/bound.js';
import { type DuckExpression, macro, text } from '../duckdb-sql/duckdb-sql.js';

/** One step of a path: `.name`, `."quoted name"`, `['name']`, `["name"]` or `[3]`. */
const step =
  /\.(?:"((?:[^"\\]|\\.)*)"|([^.[\]"'*]+))|\[(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|(\d+))\]/y;

/**
 * A JSONPath of BigQuery's as DuckDB's JSON pointer, which takes any key and, as BigQuery does, a
 * number for an element or a member; a literal at compile time, any other when the query runs.
 * @throws QueryFault where a literal is no path
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/json_functions#JSONPath_format
 */
export function jsonPointer(
  path: BoundExpression | undefined,
  lowered: DuckExpression | undefined,
  at: number,
): DuckExpression {
  if (path === undefined || lowered === undefined) return text('$');
  if (path.kind !== 'literal' || path.value === null) return macro('json_pointer', lowered);
  const steps = pathSteps(path.value, at);
  const escaped = steps.map((name) => name.replaceAll('~', '~0').replaceAll('/', '~1'));
  return text(escaped.length === 0 ? '$' : `/${escaped.join('/')}`);
}

/** The names and numbers of a path's steps. */
function pathSteps(path: string, at: number): readonly string[] {
  if (!path.startsWith('$')) throw new QueryFault("JSONPath must start with '$'", at);
  const steps: string[] = [];
  step.lastIndex = 1;
  for (let from = 1; from < path.length; from = step.lastIndex) {
    step.lastIndex = from;
    const found = step.exec(path);
    if (found === null) throw badStep(path.slice(from), at);
    const [, double, bare, single, bracketed, number] = found;
    const quoted = double ?? single ?? bracketed;
    steps.push(quoted?.replace(/\\(.)/gs, '$1') ?? bare ?? number ?? '');
  }
  return steps;
}

function badStep(rest: string, at: number): QueryFault {
  const message = /^(\.\*|\[\*|\.\.|\[\?|\[@)/.test(rest)
    ? `Unsupported operator in JSONPath: ${rest.replace(/^[.[]/, '').charAt(0)}`
    : `Invalid token in JSONPath at: ${rest}`;
  return new QueryFault(message, at);
}
