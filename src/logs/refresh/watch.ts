import { statSync } from 'node:fs';
import { type FSWatcher, watch } from 'chokidar';
import { ignoreErrors } from '../../process/ignore-errors.js';

/** A running watch. */
export interface Watching {
  close(): Promise<void>;
}

/** The depth of log files below the data folder: in their source's folder. */
const depth = 1;

/** How often to check that the folder is still the watched one, in milliseconds. */
const folderMs = 1_000;

/**
 * Calls `onChange` for every change to the files of a folder, possibly several times for the same one.
 * If the folder is removed and created again, or replaced by another, the new one is watched.
 * @see https://github.com/paulmillr/chokidar#readme
 */
export function watchFolder(dataFolder: string, onChange: () => void): Watching {
  let inode = inodeOf(dataFolder);
  // A folder that is removed and created again between two checks may get the same inode.
  const onRemoved = () => {
    inode = undefined;
  };
  let watcher = startWatcher(dataFolder, onChange, onRemoved);
  const check = () => {
    const now = inodeOf(dataFolder);
    if (now === inode) return;
    inode = now;
    void watcher.close().catch(onChange);
    watcher = startWatcher(dataFolder, onChange, onRemoved);
    onChange();
  };
  const timer = setInterval(check, folderMs).unref();
  return {
    close() {
      clearInterval(timer);
      return watcher.close();
    },
  };
}

function startWatcher(dataFolder: string, onChange: () => void, onRemoved: () => void): FSWatcher {
  const watcher = watch(dataFolder, { depth, ignoreInitial: true });
  watcher.on('all', onChange);
  watcher.on('unlinkDir', onRemoved);
  watcher.on('ready', onChange);
  watcher.on('error', onChange);
  return watcher;
}

/** Returns undefined if the folder does not exist. */
function inodeOf(folder: string): number | undefined {
  return ignoreErrors(() => statSync(folder).ino);
}
