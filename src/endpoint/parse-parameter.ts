import { type Parameter, type ParameterType, parameterSchemas } from './endpoint.js';
import { printList, readValue, valueForms } from './parameters.js';

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
  const { oneOf } = choice;
  const isAllowed = presence.defaults.every((value) => oneOf?.includes(value) ?? true);
  const typed = named !== undefined;
  const faults = [
    ...(typed ? [] : [fault(typePart, `a type must be ${typeChoice}`)]),
    ...presence.faults,
    ...choice.faults,
    ...(extra === undefined ? [] : [fault(extra, 'nothing may follow the allowed values')]),
    ...(isAllowed ? [] : [fault(presencePart, `the default must be one of ${oneOf?.join(', ')}`)]),
  ];
  const [value] = presence.defaults;
  const parameter: Parameter = {
    name,
    type,
    ...(isList ? { isList } : {}),
    required: presence.required,
    ...(value === undefined ? {} : { default: isList ? printList(presence.defaults) : value }),
    ...(oneOf && { oneOf }),
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

const typeChoice = `one of ${Object.keys(parameterSchemas).join(', ')}, or array<type> of any but regexp`;

function readType(text: string) {
  const element = /^array\s*<(.*)>$/i.exec(text)?.[1]?.trim();
  if (element === undefined) return { type: typeNamed(text), isList: false };
  const type = typeNamed(element);
  // No lists of regular expressions: the engine checks each pattern separately, before the query runs.
  return { type: type === 'regexp' ? undefined : type, isList: true };
}

function typeNamed(word: string): ParameterType | undefined {
  return isParameterType(word) ? word : bigQueryNames[word.toUpperCase()];
}

function isParameterType(word: string): word is ParameterType {
  return Object.hasOwn(parameterSchemas, word);
}

function split(declaration: string): readonly Part[] {
  return [...declaration.matchAll(/[^,]+/g)].map(({ 0: text, index }) => ({
    text: text.trim(),
    offset: index + text.length - text.trimStart().length,
  }));
}

/** An error in a declaration; `offset` counts from its first character. */
function fault(part: Part | undefined, message: string) {
  return { offset: part?.offset ?? 0, message };
}

/** `defaults` is empty without a default, and has several values only for a list. */
function readPresence(
  part: Part | undefined,
  { type, isList }: Readonly<{ type: ParameterType; isList: boolean }>,
) {
  const withoutDefault = { required: part?.text === 'required', defaults: [], faults: [] };
  if (withoutDefault.required || part?.text === 'optional') return withoutDefault;
  const text = /^default\s+(.+)$/.exec(part?.text ?? '')?.[1];
  if (text === undefined) {
    const message = 'the type must be followed by required, optional or default <value>';
    return { ...withoutDefault, faults: [fault(part, message)] };
  }
  const texts = isList ? text.split(/\s+/) : [text];
  const defaults = texts.flatMap((one) => readValue(type, one) ?? []);
  if (defaults.length === texts.length) return { ...withoutDefault, defaults };
  const each = isList ? ' values separated by spaces, each' : '';
  return {
    ...withoutDefault,
    faults: [fault(part, `the default must be${each} ${valueForms[type]}`)],
  };
}

function readChoice(part: Part | undefined, type: ParameterType) {
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
