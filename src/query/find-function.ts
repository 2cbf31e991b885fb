import { QueryFault } from '../query-fault.js';
import type { FunctionRow } from './functions/row.js';
import { findFunction, functionNames } from './functions/table.js';
import { refusedFunctions, unsupportedFunctions } from './functions/unsupported.js';
import { didYouMean } from './suggest.js';
import type { Call } from './tree-expression.js';

/**
 * The row of the function that a call names, and whether it stands behind SAFE.
 * @throws QueryFault for a function that is unknown, not supported, or refused for safety
 */
export function findRow(node: Call): { readonly row: FunctionRow; readonly safe: boolean } {
  const names = node.path.map((part) => part.name.toLowerCase());
  const safe = names[0] === 'safe' && names.length > 1;
  const name = (safe ? names.slice(1) : names).join('.');
  const row = findFunction(name.startsWith('$') ? '' : name);
  if (row !== undefined) return { row, safe };
  if (refusedFunctions.has(name)) {
    throw new QueryFault(`Function ${name.toUpperCase()} is not allowed`, node.at, 'accessDenied');
  }
  if (unsupportedFunctions.has(name)) {
    throw new QueryFault(`Function ${name.toUpperCase()} is not supported`, node.at);
  }
  const near = didYouMean(name, functionNames());
  throw new QueryFault(`Function not found: ${name}${near}`, node.at);
}

/** `week(monday)`, which is a date part that looks like a call. */
export function isDatePart({ path, arguments: args }: Call): boolean {
  const [name, ...rest] = path.map((part) => part.name.toLowerCase());
  return name === 'week' && rest.length === 0 && args[0]?.value.kind === 'path';
}
