import type { Known, KnownValue } from '../compiler/rewrite/fold-constants.js';
import type { Bindings, Parameter } from './endpoint.js';

/** A query is compiled for each word that a parameter allows, where it allows no more than these. */
const mostWords = 16;

/** What a query is compiled for beside its text: which parameters are NULL, and what those are that allow few words. */
export function knownValues(
  parameters: readonly Parameter[],
  bindings: Bindings,
  projects: ReadonlySet<string>,
): Known {
  return new Map(
    parameters.map((one) => [one.name, knownValue(one, bindings[one.name] ?? null, projects)]),
  );
}

function knownValue(
  { type, oneOf }: Parameter,
  value: string | null,
  projects: ReadonlySet<string>,
): KnownValue {
  if (value === null) return { isNull: true };
  const isFew = oneOf !== undefined && oneOf.length <= mostWords && oneOf.includes(value);
  const counts = type === 'string' && (isFew || projects.has(value));
  return counts ? { isNull: false, text: value } : { isNull: false };
}
