import type { Dice } from '../../../test/support/random-scope.js';
import { templates } from './templates.js';
import { type ValueType, valueSources, words } from './values.js';

/** The context in which random expressions are made. */
export interface Room {
  readonly dice: Dice;
  /** The prefix of a column, such as `r.`; undefined if there are literals only. */
  readonly row: string | undefined;
}

/** A random expression of a type: calls nested up to `depth` deep over columns and literals. */
export function expression(room: Room, type: ValueType, depth = 2): string {
  const { dice } = room;
  const choices = templates[type];
  if (depth === 0 || choices.length === 0 || dice.oneIn(6)) return leaf(room, type);
  const text = fill(room, dice.pick(choices), depth - 1);
  return /^[\w.]+\(.*\)$/.test(text) ? text : `(${text})`;
}

/** A template with its `{name}`s replaced: by an expression of that type, or by one of these words. */
export function fill(room: Room, template: string, depth: number): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const choices = words[name];
    return choices === undefined
      ? expression(room, name as ValueType, depth)
      : room.dice.pick(choices);
  });
}

function leaf({ dice, row }: Room, type: ValueType): string {
  const { column, literals } = valueSources[type];
  return row === undefined || dice.oneIn(3) ? dice.pick(literals) : `${row}${column}`;
}

/** One of the types. */
export function pickType(dice: Dice, types: readonly ValueType[] = scalars): ValueType {
  return dice.pick(types);
}

/** The types of which values can be compared. */
export const scalars: readonly ValueType[] = [
  'int',
  'float',
  'numeric',
  'bignumeric',
  'string',
  'bytes',
  'bool',
  'date',
  'datetime',
  'timestamp',
  'time',
];

/** The types by which rows can be grouped, of which the answer is the same in all of a group. */
export const keys: readonly ValueType[] = ['int', 'string', 'bool', 'date', 'timestamp', 'numeric'];
