import { type Field, isRecords, otherFields, type Type } from '../../types/types.js';
import { holdsAddress } from '../../values/address-key.js';
import { emptyShape, fieldsByName, recordShape, type Shape } from './shape.js';

/** The limit on the fields of a source that get types of their own. */
export interface FieldBudget {
  /** The number of undeclared fields; declared ones do not count. */
  readonly maxFields: number;
  /** The fields that already have types, and keep them. */
  readonly known: readonly Field[];
}

/** The default of {@link FieldBudget.maxFields}. */
export const defaultMaxFields = 2000;

/**
 * The names of undeclared fields have at most this many characters on average: statements print all names, and are
 * limited in length.
 */
const charactersPerField = 16;

/** A field is rare if fewer than one record in twenty has it. */
const rareShare = 20;

/**
 * The table stores a value, even if NULL, for each typed field of each record. Rare fields may add this many values
 * in total: without a limit, the table could grow much faster than the log.
 */
const maxRareValues = 2 ** 22;

/** Undeclared fields have types down to this level: ten levels of records below `metadata`. */
const maxLevel = 11;

/** BigQuery's limit. */
const maxNameLength = 300;

/**
 * Whether the key of an undeclared field can be its name. DuckDB allows neither an empty name nor the character NUL.
 * Names are not redacted, so a name must not be an address.
 */
export function isFieldName(key: string): boolean {
  const isUsable = key !== '' && key.length <= maxNameLength && !key.includes('\0');
  return isUsable && !key.toLowerCase().startsWith(otherFields) && !holdsAddress(key);
}

/** A field of the files, by its name in lower case. */
interface Choice {
  readonly name: string;
  readonly path: string;
  readonly level: number;
  /** The number of records that have it. */
  readonly count: number;
  readonly isKnown: boolean;
  isChosen: boolean;
  /** The inner fields that may have types; undefined if this is not a record. */
  readonly inner: Choices | undefined;
}

type Choices = ReadonlyMap<string, Choice>;

/**
 * Chooses the fields of a shape that get types, and returns a function that removes all others from that shape or
 * from a part of it. Keeps all declared fields, and as many others as the budget allows, in number and in characters of
 * their names: lowest level first, then most frequent, then by name. With very many records, the rarest get none. Objects
 * with other fields become partial, or keep the key `''` if those fields only lack a name.
 */
export function chooseFields(
  shape: Shape,
  declared: readonly Field[],
  { known, maxFields }: FieldBudget,
): (shape: Shape) => Shape {
  const undeclared: Choice[] = [];
  const choices = choicesIn({ shape, declared, known, path: '', level: 0 }, undeclared);
  let records = 0;
  for (const { count } of shape.fields?.values() ?? []) records = Math.max(records, count);
  // A power of two, so that a few more records do not cost a field its type on the next load.
  const roundedRecords = 2 ** Math.ceil(Math.log2(Math.max(1, records)));
  const inOrder = undeclared.toSorted(compareChoices);
  const byCount = inOrder.toSorted((one, other) => other.count - one.count);
  const ranks = new Map(byCount.map((choice, rank) => [choice, rank]));
  const isAffordable = (choice: Choice) =>
    choice.count * rareShare >= records ||
    (ranks.get(choice) ?? 0) * roundedRecords <= maxRareValues;
  const maxCharacters = charactersPerField * Math.max(maxFields, defaultMaxFields);
  let characters = 0;
  for (const [index, choice] of inOrder.entries()) {
    characters += choice.name.length;
    const isWithin = index < maxFields && characters <= maxCharacters;
    choice.isChosen = choice.isKnown || (isWithin && isAffordable(choice));
  }
  return (each) => keepChosen(each, choices);
}

function compareChoices(one: Choice, other: Choice): number {
  const byPath = one.path < other.path ? -1 : 1;
  return (
    Number(other.isKnown) - Number(one.isKnown) ||
    one.level - other.level ||
    other.count - one.count ||
    byPath
  );
}

/** A record of the files, or a field of it. */
interface ValueAt {
  readonly shape: Shape;
  readonly declared: readonly Field[] | undefined;
  readonly known: readonly Field[] | undefined;
  readonly path: string;
  readonly level: number;
}

/** Returns the fields of a record; also appends the undeclared ones to `undeclared`. */
function choicesIn({ shape, path, level, ...record }: ValueAt, undeclared: Choice[]): Choices {
  const [declared, known] = [byName(record.declared), byName(record.known)];
  const choices = new Map<string, Choice>();
  for (const [name, { shape: own }] of fieldsByName(recordShape(shape))) {
    const isDeclared = declared.has(name);
    if (!isDeclared && (level > maxLevel || !isFieldName(name))) continue;
    const below = {
      shape: own,
      declared: isDeclared ? repeatedFields(declared.get(name)) : [],
      known: repeatedFields(known.get(name)),
      path: `${path}\0${name}`,
      level: level + 1,
    };
    const isRecord = !isDeclared || below.declared !== undefined;
    const choice = {
      name,
      path: below.path,
      level,
      count: own.count,
      isKnown: known.has(name),
      isChosen: isDeclared,
      inner: isRecord ? choicesIn(below, undeclared) : undefined,
    };
    choices.set(name, choice);
    if (!isDeclared) undeclared.push(choice);
  }
  return choices;
}

function byName(fields: readonly Field[] = []): ReadonlyMap<string, Type> {
  return new Map(fields.map(({ name, type }) => [name.toLowerCase(), type]));
}

/** The fields of a repeated record; undefined for any other type. */
function repeatedFields(type: Type | undefined): readonly Field[] | undefined {
  return type && isRecords(type) ? type.element.fields : undefined;
}

function keepChosen(shape: Shape, inner: Choices | undefined): Shape {
  const { fields, elements } = shape;
  const kept = inner === undefined ? firstKey(shape) : chosenFields(fields, inner);
  const found = [...(fields?.keys() ?? [])];
  const isOver = (key: string) => inner?.get(key.toLowerCase())?.isChosen !== true;
  const isCut = inner !== undefined && found.some((key) => isOver(key) && isFieldName(key));
  return {
    ...shape,
    fields: fields && kept,
    elements: elements && keepChosen(elements, inner),
    isPartial: shape.isPartial || isCut,
  };
}

function chosenFields(fields: Shape['fields'], inner: Choices): Map<string, Shape> {
  const kept = new Map<string, Shape>();
  for (const [key, child] of fields ?? []) {
    const choice = inner.get(key.toLowerCase());
    if (choice?.isChosen) kept.set(key, keepChosen(child, choice.inner));
    else if (!isFieldName(key)) kept.set('', emptyShape());
  }
  return kept;
}

/** A value that is not a record keeps only its first key, without contents, as a sign that it contains objects. */
function firstKey({ fields }: Shape): Map<string, Shape> {
  const [key] = fields?.keys() ?? [];
  return new Map(key === undefined ? [] : [[isFieldName(key) ? key : '', emptyShape()]]);
}
