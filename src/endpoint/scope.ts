import { ServiceError } from '../errors/errors.js';
import type { Parameter } from './endpoint.js';

/** What a token may ask for. */
export interface Scope {
  /** The one value of the parameter `project`, in endpoints that declare it, in any letter case; any where absent. */
  readonly project?: string;
  /** The names of the endpoints that exist for it; all where absent. */
  readonly endpoints?: ReadonlySet<string>;
  /** Equal for equal scopes, and for no others. */
  readonly key: string;
}

/** The scope of a token that may ask for anything. */
export const unbound: Scope = { key: '' };

/** A scope, with its key. */
export function scopeOf({ project, endpoints }: Omit<Scope, 'key'>): Scope {
  if (project === undefined && endpoints === undefined) return unbound;
  const names = endpoints === undefined ? null : [...endpoints].sort();
  return {
    ...(project === undefined ? {} : { project }),
    ...(endpoints === undefined ? {} : { endpoints }),
    key: JSON.stringify([project ?? null, names]),
  };
}

/**
 * A request's parameters as its token binds them: a bound one that is absent or empty is filled in.
 * @throws ServiceError `outOfScope` where the request has another value
 */
export function bindScope(
  parameters: readonly Parameter[],
  given: ReadonlyMap<string, string>,
  { project }: Scope,
): ReadonlyMap<string, string> {
  // A file may declare it as @Project: to GoogleSQL that is the same parameter.
  const name = parameters.find((one) => one.name.toLowerCase() === bound)?.name;
  if (project === undefined || name === undefined) return given;
  const asked = given.get(name) ?? '';
  if (asked === '' || asked === project) return new Map([...given, [name, project]]);
  const message = `The token is bound to another value of parameter ${name}`;
  throw new ServiceError('outOfScope', message, { location: name });
}

const bound = 'project';
