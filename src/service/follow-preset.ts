import type { Logger } from 'pino';
import { ownPresets, readPreset } from '../config/preset.js';
import { type Watching, watchFolder } from '../logs/refresh/watch.js';

/** Tells when the settings of a preset are no longer those that the server runs with. */
export interface PresetFollower {
  /** Starts to follow changes to the preset's file. */
  watch(): void;
  /** Looks at the file as it is now. */
  refresh(): void;
  close(): Promise<void>;
}

/** Creates a follower of the preset with which the server has started, if there is one. */
export function createPresetFollower(preset: string | undefined, log: Logger): PresetFollower {
  const files = ownPresets(preset);
  const read = () => files.flatMap((file) => [...readPreset(file).settings]);
  const first = new Map(read());
  const watching: Watching[] = [];
  let told = '';

  function refresh(): void {
    let now: ReadonlyMap<string, string>;
    try {
      now = new Map(read());
    } catch {
      // Whoever reads its sources and endpoints reports it.
      return;
    }
    const names = [...new Set([...first.keys(), ...now.keys()])];
    const settings = names.filter((name) => first.get(name) !== now.get(name));
    const change = JSON.stringify([...now]);
    if (settings.length > 0 && change !== told) {
      log.warn({ settings }, 'preset: restart to apply its settings');
    }
    told = change;
  }

  return {
    watch: () => void watching.push(...files.map((file) => watchFolder(file, refresh))),
    refresh,
    close: async () => void (await Promise.all(watching.map((one) => one.close()))),
  };
}
