import { createHash } from 'node:crypto';
import * as v from 'valibot';
import type { Endpoint, Parameter } from './endpoint.js';
import type { FileFault } from './file-fault.js';
import { parseParameter } from './parse-parameter.js';

/** The parts of an endpoint that could be parsed, and all errors in the file's header. */
export type ParsedEndpoint = ReturnType<typeof parseEndpoint>;

/** The form of an endpoint's identifier, in either letter case. */
export const uuidForm = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/**
 * Parses an endpoint file: a header of comments with the settings, `-- key: value`, then one SELECT. The header ends
 * at the first line that is not a comment, or is an empty one. Every setting has a default, which also replaces an
 * invalid value; an endpoint with errors must not run.
 */
export function parseEndpoint(file: string, sql: string) {
  const lines = readHeader(sql);
  const at = (line: number, column: number, message: string) => ({ file, line, column, message });
  const isParameter = ({ key }: HeaderLine) => key.startsWith('@');
  const settings = readSettings(
    lines.filter((line) => !isParameter(line)),
    at,
  );
  const declared = readParameters(lines.filter(isParameter), at);
  const { values } = settings;
  const endpoint: Endpoint = {
    name: values.name,
    id: values.id,
    maxRows: values['max-rows'],
    caching: { ttlSeconds: values['cache-seconds'], warmSeconds: values['warm-seconds'] },
    sandbox: values.sandbox,
    redactPii: values['redact-pii'],
    allSources: values['all-sources'],
    parameters: declared.parameters,
    sql,
    file,
  };
  return {
    endpoint,
    /** The line that declares each parameter, in the order of `endpoint.parameters`. */
    parameterLines: declared.lines,
    /** The line of the `id`; 1 if there is none. */
    idLine: lines.find(({ key }) => key === 'id')?.line ?? 1,
    /** False if the type of a parameter is unknown, so that the SQL cannot be checked. */
    compilable: declared.typed,
    faults: [...settings.faults, ...declared.faults, ...checkProject(lines, declared, at)],
  };
}

/** Checks that `all-sources` comes with the parameter `project`, by which the CTEs of sources filter. */
function checkProject(
  lines: readonly HeaderLine[],
  { parameters }: Pick<Endpoint, 'parameters'>,
  at: At,
): readonly FileFault[] {
  const own = lines.find(({ key, value }) => key === 'all-sources' && value === 'true');
  const isDeclared = parameters.some(({ name, type, required, isList }) => {
    return name.toLowerCase() === 'project' && type === 'string' && required && !isList;
  });
  if (own === undefined || isDeclared) return [];
  const message = 'all-sources needs the parameter @project: string, required';
  return [at(own.line, own.valueColumn, message)];
}

type At = (line: number, column: number, message: string) => FileFault;

type HeaderLine = ReturnType<typeof readHeaderLine>;

/**
 * The settings of a file's header; the file's name is the default of `name`, from which the default of `id` is derived.
 */
function headerSchema(file: string) {
  const name = file.replace(/\.sql$/, '');
  return v.object({
    name: v.optional(
      setting(
        'be 1 to 100 letters, digits, ., _ or -, and the name of the file without .sql',
        (text) =>
          /^[A-Za-z0-9._-]{1,100}$/.test(text) && !uuidForm.test(text) && file === `${text}.sql`,
      ),
      name,
    ),
    id: v.optional(
      v.pipe(
        setting('be a UUID', (text) => uuidForm.test(text)),
        v.toLowerCase(),
      ),
      nameToUuid(name),
    ),
    'max-rows': v.optional(wholeNumber(1, 1_000_000), '1000'),
    'cache-seconds': v.optional(wholeNumber(0, 31_536_000), '0'),
    'warm-seconds': v.optional(wholeNumber(0, 31_536_000), '0'),
    sandbox: v.optional(yesOrNo, 'false'),
    'redact-pii': v.optional(yesOrNo, 'false'),
    'all-sources': v.optional(yesOrNo, 'false'),
  });
}

/** The namespace of domain names: an endpoint's name has the form of one. */
const namespace = Buffer.from('6ba7b8109dad11d180b400c04fd430c8', 'hex');

/**
 * The UUID of a name: version 5, in the namespace of domain names.
 * @see https://www.rfc-editor.org/rfc/rfc9562#name-uuid-version-5
 */
function nameToUuid(name: string): string {
  const bytes = createHash('sha1').update(namespace).update(name).digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x50, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

type Header = v.InferOutput<ReturnType<typeof headerSchema>>;

function setting(must: string, accepts: (text: string) => boolean) {
  return v.pipe(v.string(), v.check(accepts, must));
}

function wholeNumber(min: number, max: number) {
  const accepts = (text: string) =>
    /^\d{1,9}$/.test(text) && Number(text) >= min && Number(text) <= max;
  const text = setting(`be a whole number from ${min} to ${max}`, accepts);
  return v.pipe(text, v.transform(Number));
}

const yesOrNo = v.pipe(
  setting('be true or false', (text) => /^(true|false)$/.test(text)),
  v.transform((text) => text === 'true'),
);

function readHeader(sql: string): readonly HeaderLine[] {
  const lines = sql.split(/\r?\n/);
  const end = lines.findIndex((line) => !line.startsWith('--') || line.slice(2).trim() === '');
  return lines.slice(0, end === -1 ? lines.length : end).map(readHeaderLine);
}

/** `key` is the text before the colon; empty if the line is not a setting. */
function readHeaderLine(text: string, index: number) {
  const match = /^(--\s*)(@?[A-Za-z_][\w-]*)(\s*:\s*)(.*)$/.exec(text);
  const [, dashes = '', key = '', colon = '', value = ''] = match ?? [];
  const keyColumn = dashes.length + 1;
  const valueColumn = keyColumn + key.length + colon.length;
  return { line: index + 1, key, value: value.trimEnd(), keyColumn, valueColumn };
}

function readSettings(lines: readonly HeaderLine[], at: At) {
  const { file } = at(1, 1, '');
  const schema = headerSchema(file);
  const isKey = (key: string): key is keyof Header => Object.hasOwn(schema.entries, key);
  const seen = new Map<string, HeaderLine>();
  const faults: FileFault[] = [];
  for (const line of lines) {
    const fault = keyFault(line.key, isKey(line.key), seen.get(line.key));
    if (fault === undefined) seen.set(line.key, line);
    else faults.push(at(line.line, line.keyColumn, fault));
  }
  const given = Object.fromEntries([...seen].map(([key, { value }]) => [key, value]));
  const { issues = [] } = v.safeParse(schema, given);
  for (const { message, path } of issues) {
    const key = String(path?.[0].key);
    const { line, valueColumn } = seen.get(key) ?? { line: 1, valueColumn: 1 };
    faults.push(at(line, valueColumn, `${key} must ${message}`));
    delete given[key];
  }
  const values = v.parse(v.fallback(schema, fallbackFor(file)), given);
  const warming = issues.length > 0 ? [] : checkWarming(values, seen.get('warm-seconds'), at);
  return { values, faults: [...faults, ...warming] };
}

/** The defaults of a file whose name is not a valid endpoint name. */
function fallbackFor(file: string): Header {
  return { ...v.parse(headerSchema('x.sql'), {}), id: nameToUuid(file) };
}

function keyFault(key: string, isKnown: boolean, first?: HeaderLine): string | undefined {
  if (key === '') return 'not a setting: write -- key: value, or -- alone to end the header';
  if (!isKnown) return `unknown key: ${key}`;
  return first && `repeated key: ${key} (first on line ${first.line})`;
}

function checkWarming(values: Header, warm: HeaderLine | undefined, at: At): readonly FileFault[] {
  const seconds = values['warm-seconds'];
  if (warm === undefined || seconds === 0 || seconds < values['cache-seconds']) return [];
  return [at(warm.line, warm.valueColumn, 'warm-seconds must be 0 or less than cache-seconds')];
}

function readParameters(lines: readonly HeaderLine[], at: At) {
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
