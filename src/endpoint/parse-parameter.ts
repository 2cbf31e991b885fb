import { type Parameter, type ParameterType, parameterTypes } from './endpoint.js';
import { printList, readValue, valueForms } from './parameters.js';

/** An error in a declaration; `offset` counts from its first character. */
export interface DeclarationFault {
  readonly offset: number;
  readonly message: string;
}

interface Part {
  readonly text: string;
  readonly offset: number;
}

/**
 * Parses the declaration after `-- @name:`, such as `string, required, one of minutely hourly daily`.
 * A declaration with errors still yields a parameter, so that the rest of the file can be checked.
 */
export function parseParameter(name: string, declaration: string) {
  const [typePart, presencePart, choicePart, extra] = split(declaration);
  const { type: named, isList } = readType(typePart?.text ?? '');
  const type = named ?? 'string';
  const presence = readPresence(presencePart, { type, isList });
  const choice = readChoice(choicePart, type);
  const typed = named !== undefined;
  const faults = [
    ...(typed ? [] : [fault(typePart, `a type must be ${typeChoice}`)]),
    ...presence.faults,
    ...choice.faults,
    ...(extra === undefined ? [] : [fault(extra, 'nothing may follow the allowed values')]),
    ...defaultNotAllowed(presencePart, presence.defaults, choice.oneOf),
  ];
  const [value] = presence.defaults;
  const parameter: Parameter = {
    name,
    type,
    ...(isList ? { isList } : {}),
    required: presence.required,
    ...(value === undefined ? {} : { default: isList ? printList(presence.defaults) : value }),
    ...(choice.oneOf === undefined ? {} : { oneOf: choice.oneOf }),
  };
  return { parameter, typed, faults };
}

/** BigQuery's names of the types. */
const bigQueryNames: Readonly<Record<string, ParameterType>> = {
  STRING: 'string',
  TIMESTAMP: 'timestamp',
  DATE: 'date',
  INT64: 'integer',
  FLOAT64: 'number',
  BOOL: 'boolean',
};

const typeChoice = `one of ${parameterTypes.join(', ')}, or array<type> of any but regexp`;

function readType(text: string) {
  const element = /^array\s*<(.*)>$/i.exec(text)?.[1]?.trim();
  if (element === undefined) return { type: typeNamed(text), isList: false };
  const type = typeNamed(element);
  // No lists of regular expressions: the engine checks each pattern separately, before the query runs.
  return { type: type === 'regexp' ? undefined : type, isList: true };
}

function typeNamed(word: string): ParameterType | undefined {
  return parameterTypes.find((type) => type === word) ?? bigQueryNames[word.toUpperCase()];
}

function split(declaration: string): readonly Part[] {
  return [...declaration.matchAll(/[^,]+/g)].map(({ 0: text, index }) => ({
    text: text.trim(),
    offset: index + text.length - text.trimStart().length,
  }));
}

function fault(part: Part | undefined, message: string): DeclarationFault {
  return { offset: part?.offset ?? 0, message };
}

interface Presence {
  readonly required: boolean;
  /** Empty without a default; several only for a list. */
  readonly defaults: readonly string[];
  readonly faults: readonly DeclarationFault[];
}

function readPresence(
  part: Part | undefined,
  { type, isList }: { readonly type: ParameterType; readonly isList: boolean },
): Presence {
  if (part?.text === 'required') return { required: true, defaults: [], faults: [] };
  if (part?.text === 'optional') return { required: false, defaults: [], faults: [] };
  const text = /^default\s+(.+)$/.exec(part?.text ?? '')?.[1];
  const fail = (message: string): Presence => ({
    required: false,
    defaults: [],
    faults: [fault(part, message)],
  });
  if (text === undefined) {
    return fail('the type must be followed by required, optional or default <value>');
  }
  const texts = isList ? text.split(/\s+/) : [text];
  const defaults = texts.flatMap((one) => readValue(type, one) ?? []);
  if (defaults.length === texts.length) return { required: false, defaults, faults: [] };
  const each = isList ? ' values separated by spaces, each' : '';
  return fail(`the default must be${each} ${valueForms[type]}`);
}

function readChoice(
  part: Part | undefined,
  type: ParameterType,
): Pick<Parameter, 'oneOf'> & Pick<Presence, 'faults'> {
  if (part === undefined) return { faults: [] };
  const words = /^one\s+of\s+(.+)$/.exec(part.text)?.[1]?.split(/\s+/);
  if (words === undefined) {
    return { faults: [fault(part, 'the allowed values must be written as: one of a b c')] };
  }
  const values = words.map((word) => readValue(type, word));
  const bad = words.filter((_, index) => values[index] === undefined);
  const oneOf = values.filter((value) => value !== undefined);
  const repeated = oneOf.filter((value, index) => oneOf.indexOf(value) !== index);
  return {
    oneOf,
    faults: [
      ...bad.map((word) => fault(part, `${word} must be ${valueForms[type]}`)),
      ...repeated.map((value) => fault(part, `${value} is allowed twice`)),
    ],
  };
}

function defaultNotAllowed(
  part: Part | undefined,
  values: readonly string[],
  oneOf: readonly string[] | undefined,
): readonly DeclarationFault[] {
  if (oneOf === undefined || values.every((value) => oneOf.includes(value))) return [];
  return [fault(part, `the default must be one of ${oneOf.join(', ')}`)];
}
