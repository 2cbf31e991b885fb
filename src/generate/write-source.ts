import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Fill } from './fill.js';
import type { GenerateOptions } from './options.js';
import { openLines, type Target } from './write-lines.js';
import { openParquet } from './write-parquet.js';

type FileOptions = Pick<GenerateOptions, 'folder' | 'files' | 'isFolder' | 'format' | 'gzip'>;

/** Writes the records of a source to one file, or to a new file after every `files` records. */
export function createSourceWriter(source: string, options: FileOptions, fill: Fill): Target {
  const { files, folder, isFolder, format, gzip } = options;
  let target: Target | undefined;
  let opened = 0;
  let count = 0;
  const open = () => {
    opened += 1;
    const name = isFolder ? join(source, String(opened).padStart(6, '0')) : source;
    if (isFolder) mkdirSync(join(folder, source), { recursive: true });
    const file = join(folder, `${name}.${format}${gzip ? '.gz' : ''}`);
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
