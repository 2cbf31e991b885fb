import { isObject, type Json, parseJson, printJson } from '../../test/support/json.js';
import type { EmulatorName } from './install.js';
import type { Differing } from './reason.js';
import { reasons } from './reasons.js';

export const outcomes = [
  'equal',
  'equal, inlined',
  'both refuse',
  'other reason',
  'it refuses',
  'too slow',
  'differs',
  'only it answers',
] as const;
export type Outcome = (typeof outcomes)[number];

export const agreeing: ReadonlySet<Outcome> = new Set(['equal', 'equal, inlined', 'both refuse']);

/** A case on an emulator. */
export interface Tried {
  readonly suite: string;
  readonly id: string;
  readonly isRedacted: boolean;
  readonly outcome: Outcome;
  /** What the emulator said, if it refused a statement, or the types of the columns that the service could not read. */
  readonly message?: string;
  /** The values that differ. */
  readonly values: readonly Differing[];
}

/**
 * Whether the answers are equal, or a reason tells what the emulator said, or each of the values that differ. An answer that
 * comes too late says nothing.
 */
export function isExplained(name: EmulatorName, tried: Tried): boolean {
  const { id, outcome, message = '', values } = tried;
  if (agreeing.has(outcome) || outcome === 'too slow') return true;
  const own = reasons[name].filter(({ cases = [id] }) => cases.includes(id));
  if (outcome === 'it refuses') return own.some(({ says }) => says?.test(message));
  if (outcome === 'other reason') {
    return own.some(({ says, fails }) => says?.test(message) || fails?.test(message));
  }
  return values.length > 0 && values.every((each) => own.some(({ gives }) => gives?.(each)));
}

/** An answer as `answerOf` reads it: the status, and the body, the rows in any order, or the reason of a refusal. */
export type Answer = readonly unknown[];

/** The values of two answers that differ. Of lists that are not equally long, the whole differs. */
export function differingValues(ours: Answer, theirs: Answer): readonly Differing[] {
  const [own, other] = [ours[1], theirs[1]];
  if (!Array.isArray(own) || !Array.isArray(other)) return compare(read(own), read(other));
  // Rows in any order.
  const without = (rows: readonly string[], both: readonly string[]) =>
    rows.filter((row) => !both.includes(row)).map(parseJson);
  return compare(without(own, other), without(other, own));
}

function read(content: unknown): Json {
  const text = String(content);
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}

function compare(own: Json | undefined, other: Json | undefined): readonly Differing[] {
  const [ours, theirs] = [printJson(own), printJson(other)];
  if (ours === theirs) return [];
  if (Array.isArray(own) && Array.isArray(other) && own.length === other.length) {
    return own.flatMap((each, at) => compare(each, other[at]));
  }
  if (isObject(own) && isObject(other) && `${Object.keys(own)}` === `${Object.keys(other)}`) {
    return Object.keys(own).flatMap((key) => compare(own[key], other[key]));
  }
  return [{ ours, theirs }];
}
