import { QueryFault } from '../../errors/query-fault.js';
import type * as bound from '../bound/bound.js';
import type { FunctionDefinition } from '../functions/definition.js';
import { findFunction } from '../functions/functions.js';
import { title } from '../functions/print-signature.js';
import { pathText } from '../syntax/print-literal.js';
import type { Expression } from '../syntax/tree.js';

/**
 * Refuses a date part that is in quotes or comes first, as in `date_trunc('hour', t)`, with a message
 * that says how to write the call. @throws QueryFault
 */
export function checkPlaceOfPart(
  args: readonly Expression[],
  definition: FunctionDefinition,
  resolve: (argument: Expression) => bound.Expression,
): void {
  const place = definition.signatures[0]?.args.findIndex(({ type }) => type === 'PART') ?? -1;
  const last = args[place];
  if (place < 1 || last === undefined) return;
  const partOf = (argument: Expression) => namedPart(argument, definition);
  const isSwapped = partOf(last) === undefined && partOf(args[0] ?? last) !== undefined;
  const isQuoted = last.kind === 'literal' && partOf(last) !== undefined;
  if (!isSwapped && !isQuoted) return;
  const part = partOf(isSwapped ? (args[0] ?? last) : last);
  // DATEDIFF of other databases has the start before the end.
  const values = isSwapped ? args.slice(1, place + 1).reverse() : args.slice(0, place);
  const name = nameFor(definition, values.map(resolve));
  const call = `${name}(${[...values.map(textOf), part].join(', ')})`;
  const message = `${title(definition.name)} takes the date part last and without quotes: ${call}`;
  throw new QueryFault(message, (isSwapped ? args[0] : last)?.at ?? last.at);
}

/** The date part that an argument names, with or without quotes; undefined if the function does not have it. */
function namedPart(argument: Expression, { parts }: FunctionDefinition): string | undefined {
  const [name] = argument.kind === 'path' && argument.parts.length === 1 ? argument.parts : [];
  const isText = argument.kind === 'literal' && argument.type === 'STRING';
  const word = (isText ? argument.value : (name?.name ?? '')).toUpperCase();
  return parts.includes(word) ? word : undefined;
}

/** `TIMESTAMP_TRUNC` for `date_trunc` of a TIMESTAMP. */
function nameFor({ name }: FunctionDefinition, [value]: readonly bound.Expression[]): string {
  const own = name.replace(/^[a-z]+(?=_)/, value?.type.kind.toLowerCase() ?? '');
  return title(findFunction(own) === undefined ? name : own);
}

function textOf(value: Expression): string {
  return value.kind === 'path' ? pathText(value.parts) : 'x';
}
