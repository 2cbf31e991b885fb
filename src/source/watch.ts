import { watch } from 'chokidar';

/** Something that can be ended. */
export interface Watching {
  close(): Promise<void>;
}

/** How deep below the data folder log files are: in the folder of their source. */
const depth = 1;

/**
 * Calls `onChange` for whatever happens to the files of a folder; often for one and the same change.
 * @see https://github.com/paulmillr/chokidar#readme
 */
export function watchFolder(dataFolder: string, onChange: () => void): Watching {
  const watcher = watch(dataFolder, { depth, ignoreInitial: true });
  watcher.on('all', onChange);
  watcher.on('error', onChange);
  return { close: () => watcher.close() };
}
