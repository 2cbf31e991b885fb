import { statSync } from 'node:fs';
import { basename } from 'node:path';
import { constants, gunzipSync } from 'node:zlib';
import { ignoreErrors } from '../../process/ignore-errors.js';
import type { Mapping } from '../shapes/mapping.js';
import { type Recognized, recognizeLines } from '../shapes/recognize.js';
import type { TextShape } from '../shapes/text-shape.js';
import { createZstdUnpacker } from './chunks.js';
import { type Content, recognizeContent } from './content.js';
import { readHead, withFile } from './file-state.js';
import type { LogFile } from './files.js';
import { createArraySplitter } from './split-array.js';

/** The result of reading a file's first lines; empty if it cannot be read, or is empty. */
export type FileLook = Recognized | { readonly isBinary: true } | object;

/** The maximum number of bytes to read and to unpack, and of lines. */
const maxBytes = 65_536;
const maxLines = 200;

/** Recognizes the shape of a file by its first lines. Never throws. */
export function recognizeShape(path: string, shapes: Readonly<Record<string, Mapping>>): FileLook {
  const text = ignoreErrors(() => readText(path));
  if (text === undefined) return {};
  if (text.includes('\0')) return { isBinary: true };
  const lines = text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(0, maxLines);
  return (lines.length > 0 && recognizeLines(lines, shapes)) || {};
}

/** Chooses how to read the lines of a text file. Only its beginning decides, so that growth changes nothing. */
export function chooseText({
  path,
  mapping,
}: Pick<LogFile, 'path' | 'mapping'>): TextShape | undefined {
  const { text } = mapping ?? {};
  if (mapping === undefined || text?.otherwise === undefined) return text;
  const look = recognizeShape(path, { text: mapping });
  return 'fitting' in look && 10 * look.fitting >= look.lines ? text : text.otherwise;
}

/**
 * Returns the complete lines at the start of a file; undefined if it is not a regular file. @throws an error of zlib
 * or the system
 */
function readText(path: string): string | undefined {
  if (!statSync(path).isFile()) return undefined;
  const packed = withFile(path, (fd) => readHead(fd, maxBytes));
  const name = basename(path);
  const head = unpack(packed, recognizeContent(packed, { name }));
  const content = recognizeContent(head, { name });
  const text = decode(head, content);
  const end = head.length < maxBytes ? text.length : text.lastIndexOf('\n') + 1;
  return text.slice(0, end || text.length);
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
  const unpackNext = createZstdUnpacker();
  let unpacked = Buffer.alloc(0);
  // Few bytes at a time, because they may unpack to millions.
  for (let at = 0; at < head.length && unpacked.length < maxBytes; at += 256)
    unpacked = Buffer.concat([unpacked, unpackNext(head.subarray(at, at + 256))]);
  return unpacked.subarray(0, maxBytes);
}
