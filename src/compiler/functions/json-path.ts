import { type JsonStep, parseJsonPath } from '../../values/json-path.js';
import type * as bound from '../bound/bound.js';
import { type DuckExpression, macro, text } from '../duckdb-sql/duckdb-sql.js';
import { faultsAt } from './format-faults.js';

/**
 * Translates a JSONPath to a JSON pointer, in which DuckDB allows any key and, like BigQuery, a number
 * for an element or a member. A literal is translated when compiling, any other path when running.
 * @throws QueryFault if a literal is not a valid path
 */
export function jsonPointer(
  path: bound.Expression | undefined,
  lowered: DuckExpression | undefined,
  at: number,
): DuckExpression {
  if (path === undefined || lowered === undefined) return text('$');
  if (path.kind !== 'literal' || path.value === null) return macro('json_pointer', lowered);
  const steps = stepsOf(path.value, at).map(String);
  const escaped = steps.map((name) => name.replaceAll('~', '~0').replaceAll('/', '~1'));
  return text(escaped.length === 0 ? '$' : `/${escaped.join('/')}`);
}

/** @throws QueryFault if the path is a literal that is not valid */
export function checkJsonPath(path: bound.Expression, at: number): void {
  if (path.kind === 'literal' && path.value !== null) stepsOf(path.value, at);
}

function stepsOf(path: string, at: number): readonly JsonStep[] {
  return faultsAt(at, () => parseJsonPath(path));
}
