import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { shorten } from '../../errors/errors.js';
import type { Mapping } from './mapping.js';

/** What the first line of a file shows: the shape that it has, or else its keys; neither if it is no JSON object. */
export type Recognized = { readonly shape: string } | { readonly keys: string } | object;

/** How much of a file is read for its first line, in bytes. */
const maxBytes = 65_536;

/** How many keys a message lists. */
const maxKeys = 8;

/** Recognizes the shape of a file by the names in its first line. Never throws. */
export function recognizeShape(
  path: string,
  shapes: Readonly<Record<string, Mapping>>,
): Recognized {
  const record = firstRecord(path);
  if (record === undefined) return {};
  const names = Object.keys(record);
  const shape = fitting(names, shapes);
  if (shape !== undefined) return { shape };
  const more = names.length > maxKeys ? ', …' : '';
  return {
    keys: `${names
      .slice(0, maxKeys)
      .map((name) => shorten(name, 30))
      .join(', ')}${more}`,
  };
}

/** Of the shapes whose time and message are there, the one that knows the fewest other names for them. */
function fitting(
  names: readonly string[],
  shapes: Readonly<Record<string, Mapping>>,
): string | undefined {
  const there = new Set(names.map((name) => name.toLowerCase()));
  const has = (wanted: readonly string[]) => wanted.some((name) => there.has(name.toLowerCase()));
  const rank = ({ timestamp, eventMessage }: Mapping) => timestamp.length + eventMessage.length;
  const fits = Object.entries(shapes).filter(
    ([, { timestamp, eventMessage }]) => has(timestamp) && has(eventMessage),
  );
  const least = Math.min(...fits.map(([, mapping]) => rank(mapping)));
  // The last of equals is pino, not bunyan, which has the same names.
  return fits.findLast(([, mapping]) => rank(mapping) === least)?.[0];
}

function firstRecord(path: string): object | undefined {
  try {
    // A pipe would wait for a writer.
    if (!statSync(path).isFile()) return undefined;
    const [line = ''] = readStart(path).split('\n');
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function readStart(path: string): string {
  const file = openSync(path, 'r');
  try {
    const buffer = Buffer.alloc(maxBytes);
    return buffer.toString('utf8', 0, readSync(file, buffer));
  } finally {
    closeSync(file);
  }
}
