import { ServiceError } from '../errors.js';
import type { Parameter } from './endpoint.js';

/** What a token may ask for. */
export interface Scope {
  /** The one value of the parameter `project`, in endpoints that declare it; any where absent. */
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
  if (project === undefined || !parameters.some(({ name }) => name === bound)) return given;
  const asked = given.get(bound) ?? '';
  if (asked === '' || asked === project) return new Map([...given, [bound, project]]);
  const message = `The token is bound to another value of parameter ${bound}`;
  throw new ServiceError('outOfScope', message, { location: bound });
}

const bound = 'project';
