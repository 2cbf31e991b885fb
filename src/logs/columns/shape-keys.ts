import * as v from 'valibot';
import { levelPieces } from '../shapes/level.js';
import { compilePattern, insertPieces } from '../shapes/linear-pattern.js';
import { readApacheFormat, readNginxFormat } from '../shapes/log-format.js';
import type { LevelMapping } from '../shapes/mapping.js';
import type { TextKeys, TextShape } from '../shapes/text-shape.js';
import { namesSchema, textKeys, textSchema, texts } from '../shapes/text-shape.js';
import { timePieces } from '../shapes/time-formats.js';

/** The keys of a declaration that describe the lines of another program. */
export const shapeKeys = {
  text: v.optional(textKeys),
  log_format: v.optional(textSchema),
  LogFormat: v.optional(textSchema),
  level: namesSchema(textSchema),
  levels: v.optional(texts, {}),
  status: namesSchema(textSchema),
  marks: v.optional(v.array(textSchema), []),
  order: v.optional(v.number(), 0),
  records: v.optional(v.array(textSchema), []),
  keyValues: v.optional(v.boolean(), false),
  takesFileTime: v.optional(v.boolean(), false),
};

/**
 * Returns a declaration extended with the details of its nginx or Apache log format.
 * @throws Error for a format that cannot be read, or that is combined with patterns
 */
export function withLogFormat<T extends Formatted>(declared: T): T {
  const { log_format, LogFormat, text: lines, id = [], event_message = requestNames } = declared;
  const [given, other] = Object.entries({ log_format, LogFormat, text: lines }).filter(
    ([, value]) => value !== undefined,
  );
  if (given === undefined || given[0] === 'text') return declared;
  const [key, format] = given;
  if (other !== undefined) throw new Error(`${key} and ${other[0]} describe the same lines`);
  const read = key === 'LogFormat' ? readApacheFormat : readNginxFormat;
  try {
    const { fields, ...keys } = read(String(format));
    const all = { ...fields, ...declared.fields };
    return {
      ...declared,
      id,
      event_message,
      text: v.parse(textKeys, { others: 'skip', ...keys }),
      fields: all,
    };
  } catch (error) {
    throw new Error(`${key}: ${error instanceof Error ? error.message : error}`);
  }
}

interface Formatted extends ShapeKeys {
  readonly fields: Readonly<Record<string, string>>;
  readonly id?: readonly string[] | undefined;
  readonly event_message?: readonly string[] | undefined;
}

/** The parts of a request line, if the format does not name them. */
const requestNames = [
  'event_message',
  '{request_method} {request_uri} {server_protocol}',
  '{request_method} {request_uri}',
  '{request_method} {path} {server_protocol}',
  '{request_method} {path}',
  '{request_method} {uri}',
];

/**
 * The text shape that a declaration describes, with the pieces in its patterns.
 * @throws SyntaxError for a pattern that is not valid, or cannot be matched in linear time
 */
export function readTextShape(
  { otherwise, ...keys }: TextKeys,
  pieces: Readonly<Record<string, string>>,
): TextShape {
  const read = ({ lines = [], also = [], besides = [], inside = {} }: Partial<TextKeys>) => {
    const whole = (pattern: string) =>
      insertPieces(pattern, { ...timePieces, ...levelPieces, ...pieces });
    const patterns = {
      lines: lines.map(whole),
      also: also.map(whole),
      besides: besides.map(whole),
    };
    const groups = Object.entries(inside).map(([name, all]) => [name, all.map(whole)] as const);
    const all = [...Object.values(patterns), ...groups.map(([, within]) => within)];
    for (const pattern of all.flat()) compilePattern(pattern);
    return { ...keys, ...patterns, inside: Object.fromEntries(groups) };
  };
  return { ...read(keys), ...(otherwise && { otherwise: read(otherwise) }) };
}

/** The level fields of programs that do not declare one. */
const levelKeys = 'level severity log.level levelname level_name lvl loglevel log_level'.split(' ');
const statusKeys = ['status', 'status_code', 'statusCode', 'response_status'];

type ShapeKeys = v.InferOutput<v.ObjectSchema<typeof shapeKeys, undefined>>;

/** Returns the level mapping of a declared source. */
export function levelMapping(
  declared: Pick<ShapeKeys, 'level' | 'levels' | 'status' | 'text'>,
): LevelMapping {
  const { level = levelKeys, levels, status = statusKeys, text: lines } = declared;
  return { from: level, values: levels, status, inMessage: lines !== undefined };
}
