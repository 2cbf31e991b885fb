import { QueryFault } from '../../errors/query-fault.js';
import type { Token } from './lex.js';

/** The symbols allowed inside a hint's brackets: `{name.part = -1.5, other = @parameter}`. */
const hintSymbols: ReadonlySet<string> = new Set(['=', ',', '.', '-', '+', '(', ')', '[', ']']);

/**
 * Removes query hints, which do not change a result: `select @{name = value} 1` -> `select 1`.
 * @throws QueryFault for a hint that is not closed
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/lexical
 */
export function withoutHints(tokens: readonly Token[]): readonly Token[] {
  if (!tokens.some(({ key }) => key === '@')) return tokens;
  const kept: Token[] = [];
  for (let index = 0; index < tokens.length; index++) {
    const token = tokens[index];
    const isHint = token?.key === '@' && tokens[index + 1]?.key === '{';
    if (isHint) index = endOfHint(tokens, index + 2);
    else if (token !== undefined) kept.push(token);
  }
  return kept;
}

/** Returns the index of the hint's closing bracket. */
function endOfHint(tokens: readonly Token[], from: number): number {
  for (let index = from; ; index++) {
    const token = tokens[index];
    if (token?.key === '}') return index;
    const isPart = token?.kind !== 'symbol' || hintSymbols.has(token.text);
    if (token !== undefined && token.kind !== 'end' && isPart) continue;
    throw new QueryFault('Syntax error: Expected "}" at the end of the hint', token?.at ?? 0);
  }
}
