import * as fs from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { ignoreErrors } from '../../process/ignore-errors.js';
import { isThere } from './entry.js';

/** Keeps the database files of an entry open, so that they can be restored if somebody removes them. */
export function createOpenFiles(folder: string) {
  const files = new Map<string, number>();
  const missing = () => [...files].filter(([name]) => !isThere(join(folder, name)));
  return {
    /** Opens these files, and closes all others. */
    keep(names: readonly string[]): void {
      for (const [name, file] of files) {
        if (names.includes(name)) continue;
        files.delete(name);
        fs.closeSync(file);
      }
      for (const name of names.filter((each) => !files.has(each))) {
        ignoreErrors(() => files.set(name, fs.openSync(join(folder, name), 'r')));
      }
    },
    /** Whether some open files were removed. */
    areMissing: () => missing().length > 0,
    /** Restores the removed files. @throws an error of the file system */
    async restore(): Promise<void> {
      for (const [name, fd] of missing()) {
        const path = join(folder, name);
        const building = `${path}.copy${process.pid}`;
        try {
          const bytes = fs.createReadStream('', { fd, start: 0, autoClose: false });
          await pipeline(bytes, fs.createWriteStream(building, { mode: 0o600 }));
          // The file may have been closed meanwhile.
          if (files.get(name) === fd) fs.renameSync(building, path);
        } finally {
          fs.rmSync(building, { force: true });
        }
      }
    },
  };
}
