import * as fs from 'node:fs';
import { join, resolve } from 'node:path';
import { withSetupError } from '../errors/errors.js';

/** The data folder of a service: links to its initial files, and the records written since. */
export type DataFolder = ReturnType<typeof createDataFolder>;

const unreadable = 'data: the folder cannot be read';

/** In seconds since 1970. */
const longAgo = 1;

/**
 * Creates a data folder with links to the files of another one.
 * @throws SetupError if the other folder cannot be read
 */
export function createDataFolder(path: string, data: string | undefined) {
  fs.mkdirSync(path, { recursive: true });
  if (data !== undefined) link(resolve(data), path);
  const written = new Set<string>();
  let count = 0;
  const remove = (name: string) => {
    fs.rmSync(join(path, name), { force: true });
    written.delete(name);
  };
  const newName = (source: string): string => {
    count += 1;
    const name = `${source}/written-${count}.ndjson`;
    return fs.existsSync(join(path, name)) ? newName(source) : name;
  };
  return {
    path,
    /** Writes records of a source to a new file, strings unchanged; returns its name relative to the folder. */
    write(source: string, records: readonly (object | string)[]): string {
      const lines = records.map((record) => `${recordLine(record)}\n`);
      fs.mkdirSync(join(path, source), { recursive: true });
      const name = newName(source);
      fs.writeFileSync(join(path, name), lines.join(''), { flag: 'wx' });
      // A file that was just written to would be copied before it is read.
      fs.utimesSync(join(path, name), longAgo, longAgo);
      written.add(name);
      return name;
    },
    /** Removes a written file. */
    remove,
    /** Removes everything written. */
    clear(): void {
      for (const name of written) remove(name);
      count = 0;
    },
  };
}

/** In valid JSON, a line end is white space between two tokens. */
function recordLine(record: object | string): string {
  return typeof record === 'string' ? record.replace(/[\r\n]/g, ' ') : JSON.stringify(record);
}

/** Links the files of a folder and its subfolders: no log file is deeper. */
function link(from: string, to: string, isTop = true): void {
  for (const name of withSetupError(unreadable, () => fs.readdirSync(from))) {
    const [old, own] = [join(from, name), join(to, name)];
    // Do not link folders: that would make the original folder writable.
    if (!fs.statSync(old, { throwIfNoEntry: false })?.isDirectory()) fs.symlinkSync(old, own);
    else if (isTop) {
      fs.mkdirSync(own);
      link(old, own, false);
    }
  }
}
