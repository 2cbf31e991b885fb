import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { constants, gunzipSync } from 'node:zlib';
import { Decompress } from 'fzstd';
import { shorten } from '../../errors/errors.js';
import type { Mapping } from '../shapes/mapping.js';
import { type Recognized, recognizeLines } from '../shapes/recognize.js';
import { type Content, contentOf } from './content.js';
import { createArraySplitter } from './split-array.js';

/** What the first lines of a file show: their shape, or else the keys of the first one, if it is a JSON object. */
export type FileLook =
  | Recognized
  | { readonly keys: string }
  | { readonly isBinary: true }
  | object;

/** How much of a file is read and unpacked, in bytes, and how many of its lines. */
const maxBytes = 65_536;
const maxLines = 200;

/** How many keys a message lists. */
const maxKeys = 8;

/** Recognizes the shape of a file by its first lines. Never throws. */
export function recognizeShape(path: string, shapes: Readonly<Record<string, Mapping>>): FileLook {
  const text = readText(path);
  if (text === undefined) return {};
  if (text.includes('\0')) return { isBinary: true };
  const lines = text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(0, maxLines);
  return recognizeLines(lines, shapes) ?? keysOf(lines[0] ?? '');
}

function keysOf(line: string): FileLook {
  try {
    const names = Object.keys(JSON.parse(line));
    const more = names.length > maxKeys ? ', …' : '';
    const shown = names.slice(0, maxKeys).map((name) => shorten(name, 30));
    return { keys: `${shown.join(', ')}${more}` };
  } catch {
    return {};
  }
}

/** The whole lines at the start of a file; undefined if it cannot be read. */
function readText(path: string): string | undefined {
  try {
    // A pipe would wait for a writer.
    if (!statSync(path).isFile()) return undefined;
    const packed = readStart(path);
    const name = path.slice(path.lastIndexOf('/') + 1);
    const head = unpack(packed, contentOf(packed, { name }));
    const content = contentOf(head, { name });
    const text = decode(head, content);
    const isWhole = head.length < maxBytes;
    return isWhole ? text : text.slice(0, text.lastIndexOf('\n') + 1);
  } catch {
    return undefined;
  }
}

function decode(head: Buffer, content: Content): string {
  if (content === 'utf-16le' || content === 'utf-16be')
    return new TextDecoder(content).decode(head);
  return (content === 'array' ? createArraySplitter().split(head) : head)
    .toString()
    .replace(/^\ufeff/, '');
}

function unpack(head: Buffer, content: Content): Buffer {
  if (content === 'gzip') {
    const whole = gunzipSync(head, { finishFlush: constants.Z_SYNC_FLUSH });
    return whole.subarray(0, maxBytes);
  }
  if (content !== 'zstd') return head;
  const chunks: Uint8Array[] = [];
  new Decompress((chunk) => chunks.push(chunk)).push(head);
  return Buffer.concat(chunks).subarray(0, maxBytes);
}

function readStart(path: string): Buffer {
  const file = openSync(path, 'r');
  try {
    const buffer = Buffer.alloc(maxBytes);
    return buffer.subarray(0, readSync(file, buffer));
  } finally {
    closeSync(file);
  }
}
