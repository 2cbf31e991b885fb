import { basename } from 'node:path';
import type { NamedSource } from './files.js';

/** The longest name of a source. */
const maxLength = 100;

const extension = /\.(?:log|txt|json|jsonl|ndjson|csv|tsv|parquet|clef|gz|zst)$/i;

/** `.1`, `-20260101`, `.2026-01-01`, or a time too: `-2026-03-10_120000`; `log20260101` of Serilog, `u_ex260101` of IIS. */
const rotation =
  /\.\d{1,5}$|(?<=^u_(?:ex|nc|in))\d{6,8}$|(?:[-_.]|(?<=[a-z]))(?:19|20)\d\d(-?)(?:0[1-9]|1[0-2])\1(?:[0-2]\d|3[01])(?:[-_.T]?\d{2}(?:[-:.]?\d\d){0,2})?$/;

/** The log of a container: `pod_namespace_container-<id>.log`. */
const container = /^[^_]+_[^_]+_([^_]+)-[0-9a-f]{64}\.log(?:\.|$)/;

/** Names that say nothing: they begin with a digit, hold an id, or are usual for cloud log deliveries. */
const nameless: readonly RegExp[] = [
  /^\d/,
  /[0-9a-f]{12}/i,
  /^[A-Z0-9]{10,16}\.\d{4}(?:-\d\d){3}\.[0-9a-f]+$/,
  /^PT\d+[HM]$/,
  /^[^a-z0-9]*$/i,
];

/**
 * Names the source of a file or folder, whose shape may be known: `edge-logs.ndjson` -> `edge_logs`,
 * `access.log.2.gz` -> `access`. `-` is standard input.
 * @returns the name, and the file's name without extensions, rotation and shape as `stem`; without a stem, the source
 * has the name of its shape, because the file's name says nothing
 */
export function sourceName(path: string, shape?: string) {
  const file = basename(path);
  const stem = file === '-' ? 'stdin' : (container.exec(file)?.[1] ?? withoutEndings(file, shape));
  if (nameless.some((pattern) => pattern.test(stem))) {
    const called = toName(shape || `_${stem}`);
    return shape ? { name: called } : { name: called, stem };
  }
  return { name: toName(stem), stem };
}

/**
 * Returns the shape before the extensions of a name, such as `pino` in `api.pino.log`; undefined if it is not a known
 * shape.
 */
export function shapeInName(
  path: string,
  shapes: Readonly<Record<string, unknown>>,
): string | undefined {
  const word = withoutEndings(basename(path)).split('.').slice(1).at(-1);
  return word !== undefined && Object.hasOwn(shapes, word) ? word : undefined;
}

/** Returns the name without its extensions and rotation, and then without a shape at its end. */
function withoutEndings(file: string, shape?: string): string {
  const shorter = file.replace(extension, '').replace(rotation, '');
  if (shorter !== file) return withoutEndings(shorter, shape);
  return shape && file.endsWith(`.${shape}`) ? file.slice(0, -shape.length - 1) : file;
}

function toName(text: string): string {
  const name = text.toLowerCase().replaceAll(/[^a-z0-9_]/g, '_');
  return name.replace(/^(?=\d)/, '_').slice(0, maxLength);
}

/** Returns the name, or the first of `name_2`, `name_3` … that is free. */
export function freeName(name: string, taken: { has(name: string): boolean }): string {
  for (let number = 1; ; number += 1) {
    const next = number === 1 ? name : `${name.slice(0, maxLength - 6)}_${number}`;
    if (!taken.has(next)) return next;
  }
}

/** Returns a source's names in lower case, because names that differ only in case would be one table. */
export function lowerCaseNames({ name, aliases = [] }: NamedSource): readonly string[] {
  return [name, ...aliases].map((each) => each.toLowerCase());
}
