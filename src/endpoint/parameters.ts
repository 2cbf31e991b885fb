import { type Fault, type Reason, ServiceError } from '../errors/errors.js';
import type { Bindings, Parameter, ParameterType } from './endpoint.js';
import { parseDate, parseTimestamp } from './timestamp.js';

const noNames: ReadonlySet<string> = new Set();

/**
 * Binds every declared parameter to its value in canonical form; undeclared names are ignored. Lone surrogates in
 * a string become U+FFFD.
 * @param conflicts names given with several values; refused, so that a caller cannot override what a gateway sets.
 * `sql` and `lql` count as declared
 * @throws ServiceError with every fault: `required` (absent or empty), `invalid` (wrong type, not allowed, several
 * values)
 */
export function bindParameters(
  parameters: readonly Parameter[],
  given: ReadonlyMap<string, string>,
  conflicts = noNames,
): Bindings {
  const faults = ['sql', 'lql'].filter((name) => conflicts.has(name)).map(conflictFault);
  const bound = parameters.map((parameter) => {
    const { name } = parameter;
    const text = given.get(name) ?? '';
    const outcome = conflicts.has(name) ? conflictFault(name) : bindParameter(parameter, text);
    if ('value' in outcome) return [parameter.name, outcome.value] as const;
    faults.push(outcome);
    return [parameter.name, null] as const;
  });
  const [first, ...others] = faults;
  if (first !== undefined) throw ServiceError.of([first, ...others]);
  // Not an object literal filled by name: a parameter may be called __proto__.
  return Object.fromEntries(bound);
}

/** The canonical form of a value, or undefined if it is not of that type. */
export function readValue(type: ParameterType, text: string): string | undefined {
  return readers[type](text);
}

/** The form of each type's values, for messages. */
export const valueForms: Readonly<Record<ParameterType, string>> = {
  string: 'a text',
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

function bindParameter(parameter: Parameter, text: string): { value: string | null } | Fault {
  const { name, type, oneOf } = parameter;
  if (text === '') return bindAbsent(parameter);
  const value = readValue(type, text);
  if (value === undefined) {
    return fault(
      'invalid',
      name,
      `Invalid value for parameter ${name}: must be ${valueForms[type]}`,
    );
  }
  if (oneOf !== undefined && !oneOf.includes(value)) {
    return fault('invalid', name, `Invalid value for parameter ${name}: must be ${choice(oneOf)}`);
  }
  return { value };
}

function bindAbsent(parameter: Parameter): { value: string | null } | Fault {
  const { name, required, oneOf } = parameter;
  if (!required) return { value: parameter.default ?? null };
  const allowed = oneOf === undefined ? '' : `: must be ${choice(oneOf)}`;
  return fault('required', name, `Missing required parameter ${name}${allowed}`);
}

function conflictFault(name: string): Fault {
  const message = `Parameter ${name} is given more than once, with different values`;
  return fault('invalid', name, message);
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
