import { statSync } from 'node:fs';
import { watch } from 'chokidar';
import { ignoreErrors } from '../../process/ignore-errors.js';

/** A running watch. */
export type Watching = ReturnType<typeof watchFolder>;

/** The depth of log files below the data folder: in their source's folder. */
const depth = 1;

/** The interval between checks that the folder is still the watched one, in milliseconds. */
const folderMs = 1_000;

/**
 * Calls `onChange` for every change to the files of a folder, possibly several times for the same one.
 * If the folder is removed and created again, or replaced by another, the new one is watched.
 * @see https://github.com/paulmillr/chokidar#readme
 */
export function watchFolder(dataFolder: string, onChange: () => void) {
  let inode = folderInode(dataFolder);
  // A folder that is removed and created again between two checks may get the same inode.
  const onRemoved = () => {
    inode = undefined;
  };
  const start = () =>
    watch(dataFolder, { depth, ignoreInitial: true })
      .on('all', (event) => event !== 'change' && onChange())
      // Chokidar drops a second `change` of a file within 50 ms, but not its raw events.
      .on('raw', onChange)
      .on('unlinkDir', onRemoved)
      .on('ready', onChange)
      .on('error', onChange);
  let watcher = start();
  const check = () => {
    const now = folderInode(dataFolder);
    if (now === inode) return;
    inode = now;
    void watcher.close().catch(onChange);
    watcher = start();
    onChange();
  };
  const timer = setInterval(check, folderMs).unref();
  return {
    close(): Promise<void> {
      clearInterval(timer);
      return watcher.close();
    },
  };
}

/** Returns undefined if the folder does not exist. */
function folderInode(folder: string): number | undefined {
  return ignoreErrors(() => statSync(folder).ino);
}
