import type { FieldSchema } from '../../types/table-schema.js';
import { levelName, levels as levelWords } from '../../values/levels.js';
import type { AnswerRow, AnswerValue } from './endpoint.js';
import { leafOf, leafPaths, quoteField, type RecordPath } from './record-paths.js';

/** The severity of a record, as shown on the page. */
export type Level = 'error' | 'warn' | 'info' | 'debug';

/** All levels, the most severe first. */
export const shownLevels: readonly Level[] = ['error', 'warn', 'info', 'debug'];

/** The roles of columns in log records. */
export interface Roles {
  readonly time: string;
  readonly message: string;
  readonly level?: RecordPath;
  readonly status?: RecordPath;
}

const levelNames = [
  ...['level', 'severity', 'error_severity', 'log_level', 'loglevel', 'severity_text', 'levelname'],
  ...['lvl', 'severitytext', 'priority'],
];
const statusNames = [
  ...['status_code', 'statuscode', 'status', 'response_code', 'http_status', 'response_status'],
  ...['sc_status', 'code'],
];
const messageNames = ['event_message', 'message', 'msg'];

/** Finds the roles of columns; undefined for rows other than log records, which have a time and a message. */
export function findRoles(columns: readonly FieldSchema[]): Roles | undefined {
  const isOf = (type: string) => (field: FieldSchema) =>
    field.type === type && field.mode !== 'REPEATED';
  const time = columns.filter(isOf('TIMESTAMP')).find(({ name }) => name === 'timestamp');
  const texts = columns.filter(isOf('STRING'));
  const message = messageNames.find((name) => texts.some((text) => text.name === name));
  if (time === undefined || message === undefined) return undefined;
  const leaves = leafPaths(columns).filter((path) => leafOf(path).mode !== 'REPEATED');
  const level = bestPath(leaves, levelNames, ['STRING', 'INT64', 'FLOAT64']);
  const status =
    bestPath(leaves, statusNames, ['INT64']) ??
    bestPath(leaves, statusNames.slice(0, 2), ['STRING']);
  return { time: time.name, message, ...(level && { level }), ...(status && { status }) };
}

/**
 * Returns the shallowest path with one of the types whose last name is one of `names`; among equals, the first name.
 */
function bestPath(
  paths: readonly RecordPath[],
  names: readonly string[],
  types: readonly string[],
): RecordPath | undefined {
  const rank = (path: RecordPath) => {
    const { name, type } = leafOf(path);
    const at = names.indexOf(name.toLowerCase());
    return at < 0 || !types.includes(type) ? -1 : path.length * 100 + at;
  };
  return paths.filter((path) => rank(path) >= 0).toSorted((a, b) => rank(a) - rank(b))[0];
}

/** A value through records and the first elements of repeated records; NULL if there is none. */
export function readFirst(row: AnswerRow, path: RecordPath): AnswerValue {
  let value: AnswerValue = row;
  for (const { name } of path) {
    const record: AnswerValue | undefined = Array.isArray(value) ? value[0] : value;
    if (record == null || typeof record !== 'object') return null;
    value = (record as AnswerRow)[name] ?? null;
  }
  return value;
}

/** The page's level for each name of a level. */
const pageLevels: Readonly<Record<string, Level>> = {
  ...{ debug: 'debug', info: 'info', notice: 'info', warning: 'warn', error: 'error' },
  ...{ critical: 'error', alert: 'error', emergency: 'error' },
};

/** The numbers of pino and bunyan. */
const numberWords: Readonly<Record<string, string>> = {
  ...{ '10': 'trace', '20': 'debug', '30': 'info', '40': 'warn', '50': 'error', '60': 'fatal' },
};

/** Returns the page's level for a word of a log. */
function levelOfWord(word: string): Level | undefined {
  return pageLevels[levelName(word) ?? ''];
}

/** A record's level, with the words in its columns. */
export interface ShownLevel {
  /** Undefined if the record has neither a level nor a status. */
  readonly level: Level | undefined;
  readonly word: string;
  readonly status: string;
}

/** The level of a record: the level that it states, otherwise the level that its status implies. */
export function levelOf(row: AnswerRow, roles: Roles): ShownLevel {
  const read = (path: RecordPath | undefined) => (path === undefined ? null : readFirst(row, path));
  const raw = String(read(roles.level) ?? '').toLowerCase();
  const status = String(read(roles.status) ?? '');
  const word = Object.hasOwn(numberWords, raw) ? (numberWords[raw] ?? '') : raw;
  const level = levelOfWord(word) ?? levelOfStatus(status);
  return { level, word: word.replace('warning', 'warn'), status };
}

/** Returns the look of a status: `bad` for 5xx, and `odd` for 4xx. */
export function statusLook(text: string): string {
  return { error: 'bad', warn: 'odd', info: '', debug: '' }[levelOfStatus(text) ?? 'debug'];
}

function levelOfStatus(status: string): Level | undefined {
  if (!/^[1-5]\d\d$/.test(status)) return undefined;
  return status >= '500' ? 'error' : status >= '400' ? 'warn' : 'info';
}

/** GoogleSQL for the name of a record's level, by the same rules as {@link levelOf}; NULL if it has none. */
export function levelExpression(roles: Roles): string {
  const written = roles.level && `lower(cast(${firstExpression(roles.level)} as string))`;
  // `[warn]` means warn.
  const word = written && `regexp_replace(${written}, r'[\\s\\[\\]()<>]', '')`;
  const status = roles.status && `cast(${firstExpression(roles.status)} as string)`;
  const byWord = shownLevels.map(
    (level) => word && `when ${word} in (${wordsOf(level)}) then '${level}'`,
  );
  const byStatus = status && [
    `when regexp_contains(${status}, r'^5\\d\\d$') then 'error'`,
    `when regexp_contains(${status}, r'^4\\d\\d$') then 'warn'`,
    `when regexp_contains(${status}, r'^[123]\\d\\d$') then 'info'`,
  ];
  const cases = [...byWord, ...(byStatus ?? [])].filter(Boolean);
  return cases.length === 0 ? 'cast(null as string)' : `case ${cases.join(' ')} end`;
}

function wordsOf(level: Level): string {
  const numbers = Object.entries(numberWords).flatMap(([number, word]) =>
    levelOfWord(word) === level ? [number] : [],
  );
  const words = levelWords.flat().filter((word) => levelOfWord(word) === level);
  return [...words, ...numbers].map((word) => `'${word}'`).join(', ');
}

/** Reads a path through the first elements of its repeated records: `metadata[safe_offset(0)].level`. */
function firstExpression(path: RecordPath): string {
  return path
    .map(({ name, mode }, index) => {
      const isLast = index === path.length - 1;
      return quoteField(name) + (mode === 'REPEATED' && !isLast ? '[safe_offset(0)]' : '');
    })
    .join('.');
}
