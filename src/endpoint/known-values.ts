import type { KnownValue, KnownValues } from '../compiler/rewrite/fold-constants.js';
import type { Bindings, Parameter } from './endpoint.js';

/** The maximum number of allowed values of a parameter; a query is compiled for each of them. */
const maxValues = 16;

/**
 * The properties of parameter values that a query is compiled for: whether each is NULL, and the value itself if it is
 * one of a few allowed values or a project with its own stored parts.
 */
export function knownValues(
  parameters: readonly Parameter[],
  bindings: Bindings,
  projects: ReadonlySet<string>,
): KnownValues {
  return new Map(
    parameters.map((one) => [one.name, knownValue(one, bindings[one.name] ?? null, projects)]),
  );
}

function knownValue(
  { type, isList, oneOf }: Parameter,
  value: string | null,
  projects: ReadonlySet<string>,
): KnownValue {
  if (value === null) return { isNull: true };
  const isFew = oneOf !== undefined && oneOf.length <= maxValues && oneOf.includes(value);
  const isKnown = type === 'string' && !isList && (isFew || projects.has(value));
  return isKnown ? { isNull: false, text: value } : { isNull: false };
}
