import type { FieldSchema } from '../../types/table-schema.js';
import { levelName, levels as levelWords } from '../../values/levels.js';
import { type AnswerRow, type AnswerValue, isAnswerRow } from './endpoint.js';
import { leafField, leafPaths, quoteField, type RecordPath } from './record-paths.js';

/** The severity of a record, as shown on the page. */
export type Level = 'error' | 'warn' | 'info' | 'debug';

/** All levels, the most severe first. */
export const shownLevels: readonly Level[] = ['error', 'warn', 'info', 'debug'];

/** The roles of columns in log records. */
export interface Roles {
  readonly time: string;
  readonly message: string;
  readonly level?: RecordPath | undefined;
  readonly status?: RecordPath | undefined;
}

const levelNames =
  `level severity error_severity log_level loglevel severity_text levelname lvl severitytext
  priority`.split(/\s+/);
const statusNames =
  `status_code statuscode status response_code http_status response_status sc_status
  code`.split(/\s+/);
const time = 'timestamp';
const messageNames = ['event_message', 'message', 'msg'];

/** Finds the roles of columns; undefined for rows other than log records, which have a time and a message. */
export function findRoles(columns: readonly FieldSchema[]): Roles | undefined {
  const has = (wanted: string, type: string) =>
    columns.some((one) => one.name === wanted && one.type === type && one.mode !== 'REPEATED');
  const message = messageNames.find((name) => has(name, 'STRING'));
  if (!has(time, 'TIMESTAMP') || message === undefined) return undefined;
  const leaves = leafPaths(columns).filter((path) => leafField(path).mode !== 'REPEATED');
  const level = bestPath(leaves, levelNames, ['STRING', 'INT64', 'FLOAT64']);
  const status =
    bestPath(leaves, statusNames, ['INT64']) ??
    bestPath(leaves, statusNames.slice(0, 2), ['STRING']);
  return { time, message, level, status };
}

/**
 * The roles by which records are counted and filtered. The level that the server makes, in the last column, already
 * comes from the status of a record that states none, so the status does not count again.
 */
export function levelRoles(fields: readonly FieldSchema[]): Roles | undefined {
  const roles = findRoles(fields);
  return roles && isMade(roles, fields) ? { ...roles, status: undefined } : roles;
}

/** Whether the server made the level, which then has names of levels; other fields may hold a logger's numbers. */
export function isMade({ level }: Roles, fields: readonly FieldSchema[]): boolean {
  const [column] = level ?? [];
  return column?.name === 'level' && column.type === 'STRING' && column === fields.at(-1);
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
    const { name, type } = leafField(path);
    const at = names.indexOf(name.toLowerCase());
    return at < 0 || !types.includes(type) ? -1 : path.length * 100 + at;
  };
  return paths.filter((path) => rank(path) >= 0).toSorted((a, b) => rank(a) - rank(b))[0];
}

/** A value through records and the first elements of repeated records; NULL if there is none. */
export function readFirst(row: AnswerRow, path: RecordPath): AnswerValue {
  let value: AnswerValue = row;
  for (const { name } of path) {
    const record: AnswerValue = Array.isArray(value) ? (value[0] ?? null) : value;
    if (!isAnswerRow(record)) return null;
    value = record[name] ?? null;
  }
  return value;
}

/** The page's level for each name of a level; any other is an error. */
const pageLevels: Readonly<Record<string, Level>> = {
  debug: 'debug',
  info: 'info',
  notice: 'info',
  warning: 'warn',
};

/** The words for the numbers of pino and bunyan, which are 10, 20 and so on. */
const numberWords: Readonly<Record<string, string>> = Object.fromEntries(
  ['trace', 'debug', 'info', 'warn', 'error', 'fatal'].map((word, at) => [`${at + 1}0`, word]),
);

/** Returns the page's level for a word of a log. */
function levelOfWord(word: string): Level | undefined {
  const name = levelName(word);
  return name === undefined ? undefined : (pageLevels[name] ?? 'error');
}

/** The level of a record, if it states one or its status implies one, with the words in its columns. */
export function recordLevel(row: AnswerRow, roles: Roles) {
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

/**
 * GoogleSQL for the name of a record's level, by the same rules as {@link recordLevel}; NULL if it has none. `root` is the
 * alias of the table, if the name of a column alone may be ambiguous.
 */
export function levelExpression(roles: Roles, root = ''): string {
  const cases = [wordTest, statusTest].flatMap((writeTest) =>
    shownLevels.map((level) => {
      const test = writeTest(roles, level, root);
      return test && `when ${test} then '${level}'`;
    }),
  );
  const known = cases.filter(Boolean);
  return known.length === 0 ? 'cast(null as string)' : `case ${known.join(' ')} end`;
}

/** GoogleSQL that is true for the records of a level. */
export function levelCondition(roles: Roles, level: Level, root: string): string {
  // A status counts only for records without a level.
  if (roles.level && roles.status) return `${levelExpression(roles, root)} = '${level}'`;
  return wordTest(roles, level, root) ?? statusTest(roles, level, root) ?? 'false';
}

function wordTest({ level: path }: Roles, level: Level, root: string): string | undefined {
  if (path === undefined) return undefined;
  const written = `lower(cast(${firstExpression(path, root)} as string))`;
  // `[warn]` means warn.
  return `regexp_replace(${written}, r'[\\s\\[\\]()<>]', '') in (${levelWordList(level)})`;
}

/** The first digits of the statuses that mean a level. */
const statusDigits = { error: '5', warn: '4', info: '[123]', debug: undefined };

function statusTest({ status: path }: Roles, level: Level, root: string): string | undefined {
  const digit = statusDigits[level];
  if (path === undefined || digit === undefined) return undefined;
  return `regexp_contains(cast(${firstExpression(path, root)} as string), r'^${digit}\\d\\d$')`;
}

function levelWordList(level: Level): string {
  const numbers = Object.entries(numberWords).flatMap(([number, word]) =>
    levelOfWord(word) === level ? [number] : [],
  );
  const words = levelWords.flat().filter((word) => levelOfWord(word) === level);
  return [...words, ...numbers].map((word) => `'${word}'`).join(', ');
}

/** Reads a path through the first elements of its repeated records: `metadata[safe_offset(0)].level`. */
function firstExpression(path: RecordPath, root: string): string {
  const names = path.map(({ name, mode }, index) => {
    const isLast = index === path.length - 1;
    return quoteField(name) + (mode === 'REPEATED' && !isLast ? '[safe_offset(0)]' : '');
  });
  return [...(root === '' ? [] : [quoteField(root)]), ...names].join('.');
}
