import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { openLines } from './write-lines.mjs';
import { openParquet } from './write-parquet.mjs';

/** @typedef {import('./fill.mjs').Fill} Fill */
/** @typedef {import('./fill.mjs').PendingRecord} PendingRecord */
/** @typedef {import('./options.mjs').Options} Options */

/**
 * An open file of records.
 * @typedef {object} Target
 * @property {(record: PendingRecord) => boolean} add returns true if the target must be flushed before the next record
 * @property {() => Promise<void>} flush
 * @property {() => Promise<void>} close
 */

/** The file or files of a source. @typedef {Target} SourceWriter */

/**
 * Writes the records of a source to one file, or to a new file after every `files` records.
 * @param {string} source
 * @param {Pick<Options, 'folder' | 'files' | 'isFolder' | 'format' | 'gzip'>} options
 * @param {Fill} fill
 * @returns {SourceWriter}
 */
export function createSourceWriter(source, options, fill) {
  const { files, format } = options;
  /** @type {Target | undefined} */
  let target;
  let opened = 0;
  let count = 0;
  const open = () => {
    opened += 1;
    const file = pathOf(source, opened, options);
    return format === 'parquet' ? openParquet(file, fill) : openLines(file, { ...options, fill });
  };
  const close = async () => {
    await target?.close();
    target = undefined;
    count = 0;
  };
  return {
    add(record) {
      target ??= open();
      count += 1;
      return target.add(record) || count >= files;
    },
    flush: async () => (count >= files ? close() : target?.flush()),
    close,
  };
}

/** @param {string} source @param {number} opened @param {Pick<Options, 'folder' | 'files' | 'isFolder' | 'format' | 'gzip'>} options */
function pathOf(source, opened, { folder, isFolder, format, gzip }) {
  const name = isFolder ? join(source, String(opened).padStart(6, '0')) : source;
  if (isFolder) mkdirSync(join(folder, source), { recursive: true });
  return join(folder, `${name}.${format}${gzip ? '.gz' : ''}`);
}
