import { isJson } from '../values/json-raw.js';
import { sliceJson } from '../values/slice-json.js';

/** The settings of a token in the tokens file. */
export interface TokenSettings {
  /** Names its requests in the log. */
  readonly name?: string | undefined;
  /** The only value of the parameter `project`. */
  readonly project?: string | undefined;
  /** The endpoints that exist for the token. */
  readonly endpoints?: readonly string[] | undefined;
}

/** A token of the file, with all errors of its line; no error quotes the token. */
export interface TokenEntry extends TokenSettings {
  /** Counts from 1. */
  readonly line: number;
  /** Empty if there is none. */
  readonly token: string;
  readonly faults: readonly string[];
}

/**
 * Reads the tokens of a file: lines of `<token> [name=<label>] [project=<value>] [endpoints=a,b]`, or a JSON array of
 * objects with these keys and `token`. A value with spaces must be in double quotes, with the escapes `\"` and `\\`.
 * Empty lines and lines that begin with `#` are ignored.
 * @returns undefined if the text begins with `[` but is not valid JSON
 */
export function readTokenFile(text: string): readonly TokenEntry[] | undefined {
  if (text.trimStart().startsWith('[')) return readJson(text);
  return text.split(/\r?\n/).flatMap((whole, index) => {
    const line = whole.trim();
    return line === '' || line.startsWith('#') ? [] : [{ ...readTokenLine(line), line: index + 1 }];
  });
}

/** Reads one line of the file. */
export function readTokenLine(line: string): Omit<TokenEntry, 'line'> {
  const [token = ''] = /^\S+/.exec(line) ?? [];
  const rest = line.slice(token.length);
  const found = [...rest.matchAll(pair)];
  const read = found.reduce((sum, [text]) => sum + text.length, 0);
  const pairs = found.map(([, key = '', quoted, plain = '']) => {
    return [key, quoted?.replace(/\\(.)/g, '$1') ?? plain] as const;
  });
  return { ...toEntry(token, pairs), ...(read < rest.trimEnd().length ? { faults: [form] } : {}) };
}

/** Prints a line that {@link readTokenLine} reads. */
export function printTokenLine(token: string, settings: TokenSettings): string {
  const { name, project, endpoints } = settings;
  const pairs = Object.entries({ name, project, endpoints: endpoints?.join(',') });
  const texts = pairs.map(([key, value]) => (value === undefined ? [] : ` ${key}=${quote(value)}`));
  return `${token}${texts.flat().join('')}`;
}

const pair = /\s+([A-Za-z]+)=(?:"((?:[^"\\]|\\["\\])*)"(?!\S)|([^\s"]*)(?!\S))/gy;

const form =
  'a line must be <token> [name=<label>] [project=<value>] [endpoints=a,b], a value with spaces in double quotes';

function quote(value: string): string {
  return /^[^\s"]+$/.test(value) ? value : `"${value.replace(/["\\]/g, '\\$&')}"`;
}

function readJson(text: string): readonly TokenEntry[] | undefined {
  if (!isJson(text)) return undefined;
  let at = 0;
  return sliceJson(text).map(({ raw }) => {
    // Only a comma and white space separate elements, and no element begins with those.
    at = text.indexOf(raw, at) + raw.length;
    const line = text.slice(0, at - raw.length).split('\n').length;
    return { ...readObject(raw), line };
  });
}

function readObject(raw: string): Omit<TokenEntry, 'line'> {
  if (!raw.startsWith('{')) return { token: '', faults: ['a token must be an object'] };
  const members: Pairs = sliceJson(raw).map(({ name, raw }) => [name, JSON.parse(raw)]);
  const tokens = members.flatMap(([name, value]) => (name === 'token' ? [value] : []));
  const others = members.filter(([name]) => name !== 'token');
  const [token] = tokens;
  if (tokens.length === 1 && typeof token === 'string') return toEntry(token, others);
  return { token: '', faults: ['an object must have exactly one token, a string'] };
}

type Pairs = readonly (readonly [string, unknown])[];

function toEntry(token: string, pairs: Pairs): Omit<TokenEntry, 'line'> {
  const values = new Map(pairs);
  return {
    token,
    name: usableText(values.get('name')),
    project: usableText(values.get('project')),
    endpoints: endpointNames(values.get('endpoints')),
    faults: pairs.flatMap((pair, index) => pairFault(pair, pairs.slice(0, index)) ?? []),
  };
}

/** The rule for each key. Errors quote nothing: if a space is missing, the value may contain the token. */
const musts: ReadonlyMap<string, string> = new Map([
  ['name', 'name must be a string that is not empty'],
  ['project', 'project must be a string that is not empty'],
  ['endpoints', 'endpoints must be names of endpoints'],
]);

function pairFault([key, value]: Pairs[number], before: Pairs): string | undefined {
  const must = musts.get(key);
  if (must === undefined) return `unknown key; expected one of ${[...musts.keys()].join(', ')}`;
  if (before.some(([other]) => other === key)) return `${key} is repeated`;
  const read = key === 'endpoints' ? endpointNames(value) : usableText(value);
  return read === undefined ? must : undefined;
}

function usableText(value: unknown): string | undefined {
  const isText = typeof value === 'string' && value.trim() !== '' && !/\p{Cc}/u.test(value);
  return isText ? value : undefined;
}

function endpointNames(value: unknown): readonly string[] | undefined {
  const parts: readonly unknown[] = typeof value === 'string' ? value.split(',') : [value].flat();
  const names = parts.flatMap((part) => usableText(part)?.trim() ?? []);
  return names.length === parts.length && names.length > 0 ? names : undefined;
}
