import { shortName } from '../../errors/errors.js';
import { QueryFault } from '../../errors/query-fault.js';
import { didYouMean } from '../../errors/suggest.js';
import { words } from '../../values/words.js';
import { functionHint } from '../syntax/habits.js';
import type { Call } from '../syntax/tree.js';
import type { FunctionDefinition } from './definition.js';
import { findFunction, functionNames } from './functions.js';
import { isListed, refusedFunctions, unsupportedFunctions } from './unsupported.js';

/**
 * Finds the function that a call names, and whether it is called as `SAFE.f(…)`.
 * @throws QueryFault for a function that is unknown, not supported, or refused for safety
 */
export function findCalledFunction(node: Call): {
  readonly definition: FunctionDefinition;
  readonly safe: boolean;
} {
  const written = node.path.map((part) => part.name).join('.');
  const names = node.path.map((part) => part.name.toLowerCase());
  const safe = names[0] === 'safe' && names.length > 1;
  const name = (safe ? names.slice(1) : names).join('.');
  const definition = findFunction(name.startsWith('$') ? '' : name);
  if (definition !== undefined) return { definition, safe };
  if (isListed(name, refusedFunctions)) {
    throw new QueryFault(`Function ${shortName(written)} is not allowed`, node.at, 'accessDenied');
  }
  if (isListed(name, unsupportedFunctions)) {
    throw new QueryFault(`Function ${shortName(name.toUpperCase())} is not supported`, node.at);
  }
  const near = functionHint(name) || didYouMean(name, functionNames());
  throw new QueryFault(`Function not found: ${shortName(name)}${near}`, node.at);
}

/** Words that look like calls: the date part `WEEK(MONDAY)`, and subscripts such as `OFFSET(0)`. */
const callWords = words('week offset ordinal safe_offset safe_ordinal');

/** Whether a call is one of these words. If the word is misplaced, the resolver reports an unknown function. */
export function isCallWord({ path }: Call): boolean {
  const [first, ...rest] = path;
  return first !== undefined && rest.length === 0 && callWords.has(first.name.toLowerCase());
}
