import { type Fault, type Reason, ServiceError, shortName } from '../errors/errors.js';
import { boundList, listForm, maxListValues } from './bind-list.js';
import type { Bindings, Parameter, ParameterType } from './endpoint.js';
import { type Given, onlyText } from './given.js';
import { parseDate, parseTimestamp } from './timestamp.js';

/**
 * Binds every declared parameter to its value in canonical form; undeclared names are ignored. Lone surrogates in
 * a string become U+FFFD. Refuses different values of `sql`, `lql` or a parameter that is not a list, and a list that
 * differs in the URL and the body, so that a caller cannot override a value that a gateway sets.
 * @throws ServiceError with every error: `required` (absent or empty), `invalid` (wrong type, not allowed, several
 * values, a JSON array)
 */
export function bindParameters(
  parameters: readonly Parameter[],
  given: ReadonlyMap<string, Given>,
): Bindings {
  const lists = new Set(parameters.flatMap(({ name, isList }) => (isList ? [name] : [])));
  const arrays = [...given].filter(([name, one]) => hasArray(one) && !lists.has(name));
  const faults = arrays.map(([name]) => invalid(name, 'must not be an object or an array'));
  const refused = new Set(arrays.map(([name]) => name));
  for (const name of ['sql', 'lql']) {
    const isRefused = refused.has(name) || onlyText(given.get(name) ?? '') !== undefined;
    if (!isRefused) faults.push(conflictFault(name));
  }
  const bound = parameters.map((parameter) => {
    const { name, isList } = parameter;
    if (refused.has(name)) return [name, null] as const;
    const outcome = (isList ? bindList : bindParameter)(parameter, given.get(name) ?? '');
    if ('value' in outcome) return [name, outcome.value] as const;
    faults.push(outcome);
    return [name, null] as const;
  });
  const [first, ...others] = faults;
  if (first !== undefined) throw ServiceError.of([first, ...others]);
  // Not an object literal filled by name: a parameter may be called __proto__.
  return Object.fromEntries(bound);
}

function hasArray(given: Given): boolean {
  return typeof given !== 'string' && given.hasArray;
}

/** Returns the canonical form of a value, or undefined if it does not have that type. */
export function readValue(type: ParameterType, text: string): string | undefined {
  return readers[type](text);
}

/** The canonical form of a list of values in canonical form: a JSON array of strings. */
export function printList(values: readonly string[]): string {
  return JSON.stringify(values);
}

/** The form of each type's values, for messages. */
export const valueForms: Readonly<Record<ParameterType, string>> = {
  string: 'a string',
  regexp: 'a regular expression',
  timestamp: 'an ISO 8601 timestamp such as 2026-03-10T12:00:00.000000Z',
  date: 'a date such as 2026-03-10',
  integer: 'an integer of 64 bits',
  number: 'a finite number',
  boolean: 'true or false',
};

const readers: Readonly<Record<ParameterType, (text: string) => string | undefined>> = {
  string: wellFormed,
  regexp: wellFormed,
  timestamp: parseTimestamp,
  date: parseDate,
  integer: readInteger,
  number: (text) =>
    /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) && Number.isFinite(Number(text))
      ? text
      : undefined,
  boolean: (text) => (/^(true|false)$/i.test(text) ? text.toLowerCase() : undefined),
};

type Outcome = { readonly value: string | null } | Fault;

function bindParameter(parameter: Parameter, given: Given): Outcome {
  const { name, type, oneOf } = parameter;
  const text = onlyText(given);
  if (text === undefined) return conflictFault(name);
  if (text === '') return bindAbsent(parameter);
  const value = readValue(type, text);
  if (value === undefined) return invalid(name, `must be ${valueForms[type]}`);
  const isAllowed = oneOf === undefined || oneOf.includes(value);
  return isAllowed ? { value } : invalid(name, `must be ${choice(oneOf)}`);
}

/** Binds a list as a JSON array. */
function bindList(parameter: Parameter, given: Given): Outcome {
  const { name, type, oneOf } = parameter;
  if (typeof given !== 'string' && given.kind === 'conflict') return conflictFault(name);
  const texts = boundList(given);
  if (texts === undefined) return invalid(name, `must be ${listForm}`);
  if (texts.length === 0) return bindAbsent(parameter);
  if (texts.length > maxListValues) {
    return invalid(name, `must have at most ${maxListValues} values`);
  }
  const values = texts.map((text) => readValue(type, text));
  const wrong = values.indexOf(undefined);
  if (wrong !== -1) return invalid(name, `value ${wrong + 1} must be ${valueForms[type]}`);
  const other = oneOf === undefined ? -1 : values.findIndex((value = '') => !oneOf.includes(value));
  if (other !== -1) return invalid(name, `value ${other + 1} must be ${choice(oneOf ?? [])}`);
  return { value: printList(values.flatMap((value) => value ?? [])) };
}

function bindAbsent(parameter: Parameter): Outcome {
  const { name, required, oneOf } = parameter;
  if (!required) return { value: parameter.default ?? null };
  const allowed = oneOf === undefined ? '' : `: must be ${choice(oneOf)}`;
  return fault('required', name, `Missing required parameter ${name}${allowed}`);
}

function conflictFault(name: string): Fault {
  const message = `Parameter ${name} is given more than once, with different values`;
  return fault('invalid', name, message);
}

function invalid(name: string, problem: string): Fault {
  return fault('invalid', name, `Invalid value for parameter ${shortName(name)}: ${problem}`);
}

function choice(oneOf: readonly string[]): string {
  return `one of ${oneOf.join(', ')}`;
}

function fault(reason: Reason, location: string, message: string): Fault {
  return { reason, message, location };
}

function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\uFFFD');
}

function readInteger(text: string): string | undefined {
  if (!/^[+-]?\d{1,40}$/.test(text)) return undefined;
  const value = BigInt(text);
  return BigInt.asIntN(64, value) === value ? value.toString() : undefined;
}
