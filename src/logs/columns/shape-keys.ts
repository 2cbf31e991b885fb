import * as v from 'valibot';
import { compilePattern, insertPieces } from '../shapes/linear-pattern.js';
import type { LevelMapping } from '../shapes/mapping.js';
import type { TextShape } from '../shapes/text-shape.js';

/** A text that is not empty. */
export const text = v.pipe(v.string('must be a text'), v.minLength(1, 'must not be empty'));

/** One name or several, as several. */
export function names(name: v.GenericSchema<string, string>) {
  const one = v.pipe(
    name,
    v.transform((only) => [only]),
  );
  return v.optional(v.union([one, v.array(name)], 'must be a name or a list of names'));
}

const texts = v.record(v.string(), text);

const patterns = { lines: names(text), also: names(text) };

/** How lines that are not JSON become records; see `TextShape`. */
const textKeys = v.strictObject({
  ...patterns,
  otherwise: v.optional(v.strictObject(patterns)),
  others: v.optional(v.picklist(['join', 'skip']), 'join'),
  missing: v.optional(v.array(v.string()), ['-', '']),
  open: v.optional(
    v.record(v.string(), v.picklist(['json', 'value', 'pairs', 'structured', 'priority'])),
    {},
  ),
  scale: v.optional(v.record(v.string(), v.number()), {}),
  words: v.optional(v.record(v.string(), texts), {}),
  object: v.optional(texts),
  parts: v.optional(
    v.strictObject({ by: text, flag: v.optional(text), partial: v.optional(text) }),
  ),
  attach: v.optional(v.strictObject({ same: text, name: text, values: v.array(text) })),
  table: v.optional(
    v.strictObject({
      separator: text,
      header: v.optional(text),
      columns: v.optional(v.array(text)),
      names: v.optional(texts, {}),
      isEncoded: v.optional(v.boolean(), false),
    }),
  ),
});

/** The keys of a declaration that say how the lines of another program are read. */
export const shapeKeys = {
  text: v.optional(textKeys),
  level: names(text),
  levels: v.optional(texts, {}),
  status: names(text),
  marks: v.optional(v.array(text), []),
  order: v.optional(v.number(), 0),
  records: v.optional(v.array(text), []),
  keyValues: v.optional(v.boolean(), false),
  takesFileTime: v.optional(v.boolean(), false),
};

type TextKeys = v.InferOutput<typeof textKeys>;

/**
 * The text shape that a declaration describes, with the pieces in its patterns.
 * @throws SyntaxError for a pattern that is not valid, or cannot be matched in linear time
 */
export function textShapeOf(
  { lines, also, otherwise, parts, attach, object, table, ...rest }: TextKeys,
  pieces: Readonly<Record<string, string>>,
): TextShape {
  const shape = { ...rest, ...readPatterns({ lines, also }, pieces) };
  return {
    ...shape,
    hasTime: (table ?? object) !== undefined || shape.hasTime,
    ...(parts && { parts }),
    ...(attach && { attach }),
    ...(object && { object }),
    ...(table && { table }),
    ...(otherwise && { otherwise: { ...rest, ...readPatterns(otherwise, pieces) } }),
  };
}

function readPatterns(
  { lines = [], also = [] }: Pick<TextKeys, 'lines' | 'also'>,
  pieces: Readonly<Record<string, string>>,
) {
  const read = (written: readonly string[]) => {
    const whole = written.map((pattern) => insertPieces(pattern, pieces));
    for (const pattern of whole) compilePattern(pattern);
    return whole;
  };
  const first = read(lines);
  const hasTime = /\(\?<(?:timestamp|month|time|fields)>/.test(first.join());
  return { lines: first, also: read(also), hasTime };
}

/** The fields with a level of programs that do not say which. */
const usualLevels = [
  'level',
  'severity',
  'log.level',
  'levelname',
  'level_name',
  'lvl',
  'loglevel',
];
const usualStatus = ['status', 'status_code', 'statusCode', 'response_status'];

/** How the level of the records of a declared source is found. */
export function levelMapping(declared: {
  readonly level?: readonly string[] | undefined;
  readonly levels: LevelMapping['values'];
  readonly status?: readonly string[] | undefined;
  readonly text?: TextKeys | undefined;
}): LevelMapping {
  const { level = usualLevels, levels, status = usualStatus, text: lines } = declared;
  return { from: level, values: levels, status, inMessage: lines !== undefined };
}
