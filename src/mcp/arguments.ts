import { type Given, gather } from '../endpoint/given.js';
import { type Fault, ServiceError, shortName } from '../errors/errors.js';
import { didYouMean } from '../errors/suggest.js';
import type { RunRequest } from '../service/run-request.js';

/** The arguments of a call, as JSON. */
export type Arguments = Readonly<Record<string, unknown>>;

/**
 * Reads a call's arguments as a request's parameters; null counts as absent.
 * @throws ServiceError `invalid` for an unknown name, an object, or an array of other things than texts, numbers and
 * booleans
 */
export function readArguments(
  given: Arguments,
  known: readonly string[],
): ReadonlyMap<string, Given> {
  const entries = Object.entries(given).filter(([, value]) => value !== null);
  const [first, ...others] = entries.flatMap((entry) => faultOf(entry, known));
  if (first !== undefined) throw ServiceError.of([first, ...others]);
  return new Map(entries.map(([name, value]) => [name, gather([textsOf(value)])]));
}

function faultOf([name, value]: readonly [string, unknown], known: readonly string[]) {
  const shown = shortName(name);
  if (!known.includes(name)) {
    const hint = didYouMean(name, known) || `; the arguments are ${known.join(', ') || 'none'}`;
    return [faultAt(shown, `Unknown argument ${shown}${hint}`)];
  }
  const isValid = Array.isArray(value) ? value.every(isScalar) : isScalar(value);
  const message = `Invalid value for argument ${shown}: must be a text, a number, a boolean or an array of these`;
  return isValid ? [] : [faultAt(shown, message)];
}

function faultAt(location: string, message: string): Fault {
  return { reason: 'invalid', message, location };
}

function isScalar(value: unknown): value is string | number | boolean {
  return ['string', 'number', 'boolean'].includes(typeof value);
}

function textsOf(value: unknown): string | readonly string[] {
  return Array.isArray(value) ? value.map(String) : String(value);
}

/**
 * The caller's query, if there is one.
 * @throws ServiceError `invalid` for a query in both languages, or one that is not a text
 */
export function readQuery({ sql, lql }: Arguments): RunRequest['sandbox'] {
  const [first, second] = [
    { language: 'sql', text: sql ?? '' },
    { language: 'lql', text: lql ?? '' },
  ] as const;
  for (const { language, text } of [first, second]) {
    if (typeof text !== 'string') {
      throw new ServiceError('invalid', `${language} must be a text`, { location: language });
    }
  }
  const texts = [first, second].filter(({ text }) => String(text).trim() !== '');
  const [only, other] = texts.map(({ language, text }) => ({ language, text: String(text) }));
  if (other === undefined) return only;
  throw new ServiceError('invalid', 'Give sql or lql, not both', { location: 'lql' });
}
