import { createHash } from 'node:crypto';
import { readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { digestOf } from '../common/digest-of.js';
import { ignoreErrors } from '../common/ignore-errors.js';
import { isOwnFile } from '../common/own-path.js';
import type { Part, SourceSchema } from '../types/schema.js';
import { blockFormat, decodeBlock, sizeOf } from './block.js';
import { createKeptRows, type KeptRows, type WrittenRows } from './kept-rows.js';
import type { RowsReader } from './rows-file.js';

/** A part of a source, and its rows in a file. */
export interface KeptPart extends Pick<KeptRows, 'find'> {
  readonly source: SourceSchema;
  readonly part: Part;
  /** The file, when it is complete. */
  readonly path: string;
  /** Fires when the rows are dropped. */
  readonly dropped: AbortSignal;
  /** Whether its file is being read or written, or everything that is kept is found. */
  state: 'new' | 'begun' | 'done';
  /** How often it was begun in vain. */
  readonly failures: number;
  /** The size of the rows in the file. */
  bytes(): number;
  /** Adds rows of a file, which is opened for the first of them. @throws an error of the file system */
  add(written: WrittenRows, open: () => RowsReader): void;
  /** Closes the file; nothing is found any more. */
  drop(): void;
}

/** Creates a part without rows. Finding rows throws an error if the file is damaged or cannot be read. */
export function createKeptPart(source: SourceSchema, part: Part, failures = 0): KeptPart {
  const dropping = new AbortController();
  let reader: RowsReader | undefined;
  let bytes = 0;
  const rows = createKeptRows((block) => {
    if (reader === undefined) throw new Error('the file of the newest rows is closed');
    return decodeBlock(block, reader.read(block));
  });
  return {
    source,
    part,
    path: pathOf(source, part),
    dropped: dropping.signal,
    state: 'new',
    failures,
    bytes: () => bytes,
    add(written, open) {
      if (dropping.signal.aborted) return;
      if (written.blocks.length > 0) reader ??= open();
      rows.add(written);
      for (const block of written.blocks) bytes += sizeOf(block);
    },
    find: (span, project) => (dropping.signal.aborted ? undefined : rows.find(span, project)),
    drop() {
      dropping.abort();
      ignoreErrors(() => reader?.close());
      reader = undefined;
      bytes = 0;
    },
  };
}

/**
 * Where the rows of a part are: beside its database file, with a digest of the source's name and another one of what decides
 * how the rows are encoded.
 */
export function pathOf({ name, columns, projectPath = [] }: SourceSchema, { file }: Part): string {
  const encoding = JSON.stringify([blockFormat, projectPath, digestOf(columns)]);
  return `${file}.${hexOf(name, nameLength)}${hexOf(encoding, encodingLength)}.rows`;
}

const nameLength = 8;
const encodingLength = 16;

/** Removes the files of the same part whose rows are encoded in another way, if that is possible. */
export function removeOthers(path: string): void {
  ignoreErrors(() => removeAll(othersOf(path)));
}

function othersOf(path: string): readonly string[] {
  const name = basename(path);
  const end = name.length - '.rows'.length;
  const start = name.slice(0, end - encodingLength);
  const others = readdirSync(dirname(path)).filter(
    (each) => each.startsWith(start) && each.length === name.length && each !== name,
  );
  return others.map((other) => join(dirname(path), other)).filter(isOwnFile);
}

function removeAll(paths: readonly string[]): void {
  for (const path of paths) rmSync(path, { force: true });
}

function hexOf(text: string, length: number): string {
  return createHash('sha256').update(text).digest('hex').slice(0, length);
}
