import { ServiceError } from '../errors/errors.js';
import { boundList } from './bind-list.js';
import type { Parameter } from './endpoint.js';
import { type Given, givenTexts, onlyText } from './given.js';
import { printList } from './parameters.js';

/** The permissions of a token. */
export interface CallerScope {
  /** The only value of the parameter `project`, in endpoints that declare it; absent if any value is allowed. */
  readonly project?: string;
  /** The names of the endpoints that exist for the token; absent for all. */
  readonly endpoints?: ReadonlySet<string>;
  /** Equal exactly for equal scopes. */
  readonly key: string;
}

/** The scope of an unrestricted token. */
export const unbound: CallerScope = { key: '' };

/** Creates a scope, with its key. */
export function createScope({ project, endpoints }: Omit<CallerScope, 'key'>): CallerScope {
  if (project === undefined && endpoints === undefined) return unbound;
  const names = endpoints === undefined ? null : [...endpoints].sort();
  return {
    ...(project === undefined ? {} : { project }),
    ...(endpoints === undefined ? {} : { endpoints }),
    key: JSON.stringify([project ?? null, names]),
  };
}

/**
 * Applies a token's scope to a request's parameters: fills in a bound parameter that is absent or empty.
 * @throws ServiceError `outOfScope` if the request has another value
 */
export function bindScope(
  parameters: readonly Parameter[],
  given: ReadonlyMap<string, Given>,
  { project }: CallerScope,
): ReadonlyMap<string, Given> {
  // A file may declare it as @Project: parameter names are case-insensitive in GoogleSQL.
  const declared = parameters.find((one) => one.name.toLowerCase() === boundParameter);
  if (project === undefined || declared === undefined) return given;
  const { name, isList } = declared;
  const asked = given.get(name) ?? '';
  const isOnly = (texts: readonly string[] | undefined) => texts?.every((text) => text === project);
  if (isOnly(givenTexts(asked)) || (isList && isOnly(boundList(asked)))) {
    // An array, because a list parameter would split a string at its commas.
    const bound: Given = isList ? { kind: 'array', texts: [project], hasArray: true } : project;
    return isList || onlyText(asked) !== undefined ? new Map([...given, [name, bound]]) : given;
  }
  const message = `The token is bound to another value of parameter ${name}`;
  throw new ServiceError('outOfScope', message, { location: name });
}

/** Returns the parameters of a request in the scope: the bound parameter is optional. */
export function parametersWithin(
  parameters: readonly Parameter[],
  { project }: CallerScope,
): readonly Parameter[] {
  if (project === undefined) return parameters;
  return parameters.map((one) => {
    if (one.name.toLowerCase() !== boundParameter) return one;
    return { ...one, required: false, default: one.isList ? printList([project]) : project };
  });
}

const boundParameter = 'project';
