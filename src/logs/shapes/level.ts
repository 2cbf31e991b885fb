import { levelName, levelWords, vagueWords } from '../../values/levels.js';
import type { LevelMapping } from './mapping.js';
import { ownValue, remembered } from './member.js';

/** The levels of HTTP status codes, by first digit. */
const statusLevels: Readonly<Record<string, string>> = { 4: 'warning', 5: 'error' };

/**
 * Creates a function that finds the level of a record: from the first of some texts that has one, else from a status,
 * else from the first word of its message.
 */
export function createLevelFinder({ values, inMessage }: LevelMapping) {
  const rememberedLevel = remembered((text) => readLevel(text, values) ?? '');
  return (texts: readonly string[], statuses: readonly string[], message: string) => {
    for (const text of texts) {
      const level = rememberedLevel(text);
      if (level !== '') return level;
    }
    const code = statuses.find((text) => /^[1-5]\d\d$/.test(text));
    if (code !== undefined) return statusLevels[code.charAt(0)] ?? 'info';
    // A leading word: `ERROR: …`, `[warn] …`
    const pattern = /^(?:\[(\w{1,16})\]|(\w{1,16}):)/;
    const [, bracketed = '', word = bracketed] = (inMessage && pattern.exec(message)) || [];
    const isVague = vagueWords.has(word.toLowerCase()) && word !== word.toUpperCase();
    return (isVague ? undefined : levelName(word)) ?? values[''];
  };
}

const plainWords = levelWords.filter((word) => !/\d/.test(word));
const clearWords = plainWords.filter((word) => !vagueWords.has(word));
const capital = (word: string) => word.toUpperCase();
const title = (word: string) => `${capital(word.charAt(0))}${word.slice(1)}`;
const either = (words: readonly string[]) => `(?:${words.join('|')})\\d?\\b`;

/** The pieces of patterns for levels: in capitals, and in any letters. */
export const levelPieces: Readonly<Record<string, string>> = {
  SEVERITY: either(clearWords.map(capital)),
  severity: either([...plainWords.map(capital), ...clearWords, ...clearWords.map(title)]),
};

function readLevel(text: string, values: LevelMapping['values']): string | undefined {
  const number = text.trim() === '' ? Number.NaN : Number(text);
  // A number that is not listed has the level of the highest listed one below it.
  const steps = Object.keys(values).filter((step) => Number(step) <= number);
  const step = values[String(Math.max(...steps.map(Number)))];
  // Go's slog appends numbers to its words; `ERROR+4` is the next level.
  const isCritical = /^ERROR\+(?:[4-9]|\d\d)/.test(text);
  const word = isCritical ? 'critical' : text.replace(/[+-]\d+$/, '');
  return ownValue(values, text) ?? step ?? levelName(word);
}
