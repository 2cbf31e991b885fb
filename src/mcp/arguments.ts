import { maxListValues } from '../endpoint/bind-list.js';
import { type Given, gatherValues } from '../endpoint/given.js';
import { type Fault, maxFaults, ServiceError, shortName } from '../errors/errors.js';
import { didYouMean } from '../errors/suggest.js';
import type { RunRequest } from '../run/run-request.js';

/** The arguments of a call, as JSON. */
export type Arguments = Readonly<Record<string, unknown>>;

const maxArguments = 100;

/**
 * Reads a call's arguments as a request's parameters; null counts as absent.
 * @throws ServiceError `bodyTooLarge` for more than 100 arguments; `invalid` for an unknown name, an object, an array
 * with elements other than strings, numbers and booleans, or an array with more than 10,000 elements
 */
export function readArguments(
  given: Arguments,
  known: readonly string[],
): ReadonlyMap<string, Given> {
  if (Object.keys(given).length > maxArguments) {
    const message = `The call has more than its limit of ${maxArguments} arguments`;
    throw new ServiceError('bodyTooLarge', message);
  }
  const entries = Object.entries(given).filter(([, value]) => value !== null);
  const wrong = entries.filter((entry) => !isValid(entry, known)).slice(0, maxFaults);
  const [first, ...others] = wrong.map(([name]) => argumentFault(name, known));
  if (first !== undefined) throw ServiceError.of([first, ...others]);
  return new Map(
    entries.map(([name, value]) => {
      const texts = Array.isArray(value) ? value.map(String) : String(value);
      return [name, gatherValues([texts])];
    }),
  );
}

function isValid([name, value]: readonly [string, unknown], known: readonly string[]): boolean {
  const values = Array.isArray(value) ? value : [value];
  const isScalar = (one: unknown) => ['string', 'number', 'boolean'].includes(typeof one);
  return known.includes(name) && values.length <= maxListValues && values.every(isScalar);
}

function argumentFault(name: string, known: readonly string[]): Fault {
  const location = shortName(name);
  const hint = didYouMean(name, known) || `; the arguments are ${known.join(', ') || 'none'}`;
  const message = known.includes(name)
    ? `Invalid value for argument ${location}: must be a string, a number, a boolean or an array of at most ${maxListValues} of these`
    : `Unknown argument ${location}${hint}`;
  return { reason: 'invalid', message, location };
}

/**
 * Reads the caller's query, if there is one.
 * @throws ServiceError `invalid` for a query in both languages, or one that is not a string
 */
export function readQuery(given: Arguments): RunRequest['sandbox'] {
  const [only, other] = (['sql', 'lql'] as const).flatMap((language) => {
    const text = given[language] ?? '';
    if (typeof text === 'string') return text.trim() === '' ? [] : [{ language, text }];
    throw new ServiceError('invalid', `${language} must be a string`, { location: language });
  });
  if (other === undefined) return only;
  throw new ServiceError('invalid', 'Give sql or lql, not both', { location: 'lql' });
}
