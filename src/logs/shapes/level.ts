import { levelName } from '../../values/levels.js';
import type { LevelMapping } from './mapping.js';
import { ownValue } from './member.js';

/** The levels of status codes of HTTP, by their first digit. */
const statusLevels: Readonly<Record<string, string>> = { 4: 'warning', 5: 'error' };

/** The level of a record: of the first field that has one, else of a status, else of the word that its message begins with. */
export function levelOf(
  { from, values, status, inMessage }: LevelMapping,
  read: (name: string) => string | undefined,
  message: string,
): string | undefined {
  for (const name of from) {
    const text = read(name);
    const level = text === undefined ? undefined : (levelOfValue(text, values) ?? sumLevel(text));
    if (level !== undefined) return level;
  }
  const code = status.map(read).find((text) => text !== undefined && /^[1-5]\d\d$/.test(text));
  if (code !== undefined) return statusLevels[code.charAt(0)] ?? 'info';
  return (inMessage ? leadingLevel(message) : undefined) ?? values[''];
}

function levelOfValue(text: string, values: LevelMapping['values']): string | undefined {
  const own = ownValue(values, text) ?? levelName(text);
  return own ?? (text.trim() === '' ? undefined : stepBelow(Number(text), values));
}

/** The level of the highest number that is not above. */
function stepBelow(number: number, values: LevelMapping['values']): string | undefined {
  const steps = Object.keys(values)
    .map(Number)
    .filter((step) => step <= number);
  return steps.length === 0 ? undefined : values[String(Math.max(...steps))];
}

const bases: Readonly<Record<string, number>> = { DEBUG: -4, INFO: 0, WARN: 4, ERROR: 8 };

/** A level of Go's slog between the named ones: `ERROR+4`. */
function sumLevel(text: string): string | undefined {
  const [, name = '', more = ''] = /^([A-Z]+)([+-]\d{1,3})$/.exec(text) ?? [];
  const base = bases[name];
  if (base === undefined) return undefined;
  return stepBelow(base + Number(more), {
    '-99': 'debug',
    0: 'info',
    4: 'warning',
    8: 'error',
    12: 'critical',
  });
}

/** The level of a word that stands first: `ERROR: …`, `[warn] …`. */
function leadingLevel(message: string): string | undefined {
  const [, bracketed, word = bracketed] = /^(?:\[(\w{1,16})\]|(\w{1,16}):)/.exec(message) ?? [];
  return word === undefined ? undefined : levelName(word);
}
