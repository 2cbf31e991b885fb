import { statSync } from 'node:fs';
import { type FSWatcher, watch } from 'chokidar';

/** Something that can be ended. */
export interface Watching {
  close(): Promise<void>;
}

/** How deep below the data folder log files are: in the folder of their source. */
const depth = 1;

/** How often is looked whether the folder is still the one that is watched, in milliseconds. */
const folderMs = 1_000;

/** How often a change is taken for granted: not every file system tells of all, in milliseconds. */
const anywayMs = 10_000;

/**
 * Calls `onChange` for whatever happens to the files of a folder; often for one and the same change.
 * Where the folder goes and comes back, or its name becomes that of another, that one is watched.
 * @see https://github.com/paulmillr/chokidar#readme
 */
export function watchFolder(dataFolder: string, onChange: () => void): Watching {
  let inode = inodeOf(dataFolder);
  // One that comes back before anybody looked is watched no more.
  const onGone = () => {
    inode = undefined;
  };
  let watcher = startWatcher(dataFolder, onChange, onGone);
  const look = () => {
    const now = inodeOf(dataFolder);
    if (now === inode) return;
    inode = now;
    void watcher.close().catch(onChange);
    watcher = startWatcher(dataFolder, onChange, onGone);
    onChange();
  };
  const timers = [setInterval(look, folderMs), setInterval(onChange, anywayMs)];
  for (const timer of timers) timer.unref();
  return {
    close() {
      for (const timer of timers) clearInterval(timer);
      return watcher.close();
    },
  };
}

function startWatcher(
  dataFolder: string,
  onChange: () => void,
  onFolderGone: () => void,
): FSWatcher {
  const watcher = watch(dataFolder, { depth, ignoreInitial: true });
  watcher.on('all', onChange);
  watcher.on('unlinkDir', onFolderGone);
  watcher.on('ready', onChange);
  watcher.on('error', onChange);
  return watcher;
}

/** Undefined where there is no such folder now. */
function inodeOf(folder: string): number | undefined {
  try {
    return statSync(folder).ino;
  } catch {
    return undefined;
  }
}
