import type { Endpoint, Parameter } from './endpoint.js';
import type { FileFault } from './file-fault.js';
import { parseParameter } from './parse-parameter.js';

/** An endpoint as far as its file could be parsed, and all faults of the file's header. */
export interface ParsedEndpoint {
  readonly endpoint: Endpoint;
  /** The line that declares each parameter, in the order of `endpoint.parameters`. */
  readonly parameterLines: readonly number[];
  /** The line of the `id`; 1 if there is none. */
  readonly idLine: number;
  /** False if the type of a parameter is unknown, so that the SQL cannot be checked. */
  readonly compilable: boolean;
  readonly faults: readonly FileFault[];
}

/** The form of an endpoint's identifier, in either letter case. */
export const uuidForm = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/**
 * Parses an endpoint file: a header of comments with the settings, `-- key: value`, then one SELECT. The header ends
 * at the first line that is not a comment, or is an empty one. An invalid setting gets a placeholder value; an
 * endpoint with faults must not run.
 */
export function parseEndpoint(file: string, sql: string): ParsedEndpoint {
  const lines = readHeader(sql);
  const at = (line: number, column: number, message: string) => ({ file, line, column, message });
  const settings = readSettings(
    lines.filter((line) => !line.key.startsWith('@')),
    at,
  );
  const declared = readParameters(
    lines.filter((line) => line.key.startsWith('@')),
    at,
  );
  const { value } = settings;
  return {
    endpoint: {
      name: value('name', ''),
      id: value('id', '').toLowerCase(),
      maxRows: Number(value('max-rows', '1')),
      caching: {
        ttlSeconds: Number(value('cache-seconds', '0')),
        warmSeconds: Number(value('warm-seconds', '0')),
      },
      sandbox: value('sandbox', 'false') === 'true',
      redactPii: value('redact-pii', 'false') === 'true',
      parameters: declared.parameters,
      sql,
      file,
    },
    parameterLines: declared.lines,
    idLine: lines.find(({ key }) => key === 'id')?.line ?? 1,
    compilable: declared.typed,
    faults: [...settings.faults, ...declared.faults],
  };
}

type At = (line: number, column: number, message: string) => FileFault;

interface HeaderLine {
  readonly line: number;
  /** The text before the colon; empty if the line is not a setting. */
  readonly key: string;
  readonly value: string;
  readonly keyColumn: number;
  readonly valueColumn: number;
}

interface Rule {
  readonly must: string;
  readonly accepts: (value: string, file: string) => boolean;
}

type Key = 'name' | 'id' | 'max-rows' | 'cache-seconds' | 'warm-seconds' | 'sandbox' | 'redact-pii';

const rules: Readonly<Record<Key, Rule>> = {
  name: {
    must: 'be 1 to 100 letters, digits, ., _ or -, and the name of the file without .sql',
    accepts: (value, file) =>
      /^[A-Za-z0-9._-]{1,100}$/.test(value) && !uuidForm.test(value) && file === `${value}.sql`,
  },
  id: { must: 'be a UUID', accepts: (value) => uuidForm.test(value) },
  'max-rows': { must: 'be a whole number from 1 to 1000000', accepts: within(1, 1_000_000) },
  'cache-seconds': { must: 'be a whole number from 0 to 31536000', accepts: within(0, 31_536_000) },
  'warm-seconds': { must: 'be a whole number from 0 to 31536000', accepts: within(0, 31_536_000) },
  sandbox: { must: 'be true or false', accepts: (value) => /^(true|false)$/.test(value) },
  'redact-pii': { must: 'be true or false', accepts: (value) => /^(true|false)$/.test(value) },
};

function within(min: number, max: number): (value: string) => boolean {
  return (value) => /^\d{1,9}$/.test(value) && Number(value) >= min && Number(value) <= max;
}

function readHeader(sql: string): readonly HeaderLine[] {
  const lines = sql.split(/\r?\n/);
  const end = lines.findIndex((line) => !line.startsWith('--') || line.slice(2).trim() === '');
  return lines.slice(0, end === -1 ? lines.length : end).map(readHeaderLine);
}

function readHeaderLine(text: string, index: number): HeaderLine {
  const match = /^(--\s*)(@?[A-Za-z_][\w-]*)(\s*:\s*)(.*)$/.exec(text);
  const [, dashes = '', key = '', colon = '', value = ''] = match ?? [];
  const keyColumn = dashes.length + 1;
  const valueColumn = keyColumn + key.length + colon.length;
  return { line: index + 1, key, value: value.trimEnd(), keyColumn, valueColumn };
}

function readSettings(
  lines: readonly HeaderLine[],
  at: At,
): {
  value: (key: Key, placeholder: string) => string;
  faults: readonly FileFault[];
} {
  const seen = new Map<string, HeaderLine>();
  const good = new Map<string, HeaderLine>();
  const faults: FileFault[] = [];
  for (const setting of lines) {
    const fault = checkSetting(setting, seen, at);
    if (fault === undefined) good.set(setting.key, setting);
    else faults.push(fault);
    if (!seen.has(setting.key)) seen.set(setting.key, setting);
  }
  const missing = Object.keys(rules).filter((key) => !seen.has(key));
  faults.push(...missing.map((key) => at(1, 1, `missing key: ${key}`)), ...checkWarming(good, at));
  return { value: (key, placeholder) => good.get(key)?.value ?? placeholder, faults };
}

function checkSetting(
  { key, value, line, keyColumn, valueColumn }: HeaderLine,
  seen: ReadonlyMap<string, HeaderLine>,
  at: At,
): FileFault | undefined {
  if (key === '') {
    return at(line, 1, 'not a setting: write -- key: value, or -- alone to end the header');
  }
  if (!isKey(key)) return at(line, keyColumn, `unknown key: ${key}`);
  const first = seen.get(key);
  if (first !== undefined) {
    return at(line, keyColumn, `repeated key: ${key} (first on line ${first.line})`);
  }
  const { must, accepts } = rules[key];
  const { file } = at(line, 1, '');
  return accepts(value, file) ? undefined : at(line, valueColumn, `${key} must ${must}`);
}

function isKey(key: string): key is Key {
  return Object.hasOwn(rules, key);
}

function checkWarming(good: ReadonlyMap<string, HeaderLine>, at: At): readonly FileFault[] {
  const warm = good.get('warm-seconds');
  const cache = good.get('cache-seconds');
  if (warm === undefined || cache === undefined || Number(warm.value) === 0) return [];
  if (Number(warm.value) < Number(cache.value)) return [];
  return [at(warm.line, warm.valueColumn, 'warm-seconds must be 0 or less than cache-seconds')];
}

function readParameters(
  lines: readonly HeaderLine[],
  at: At,
): {
  parameters: readonly Parameter[];
  lines: readonly number[];
  typed: boolean;
  faults: readonly FileFault[];
} {
  const seen = new Map<string, { parameter: Parameter; typed: boolean; line: number }>();
  const faults: FileFault[] = [];
  for (const { key, value, line, keyColumn, valueColumn } of lines) {
    const name = key.slice(1);
    const first = seen.get(name.toLowerCase());
    const parsed = parseParameter(name, value);
    faults.push(
      ...parsed.faults.map((fault) => at(line, valueColumn + fault.offset, fault.message)),
    );
    if (!/^[A-Za-z_]\w*$/.test(name)) faults.push(at(line, keyColumn, `not a name: ${key}`));
    if (/^(sql|lql)$/i.test(name)) faults.push(at(line, keyColumn, `${key} is the caller's query`));
    if (first !== undefined) {
      faults.push(at(line, keyColumn, `repeated parameter: ${key} (first on line ${first.line})`));
    }
    seen.set(name.toLowerCase(), { ...parsed, line });
  }
  const declared = [...seen.values()];
  return {
    parameters: declared.map(({ parameter }) => parameter),
    lines: declared.map(({ line }) => line),
    typed: declared.every(({ typed }) => typed),
    faults,
  };
}
