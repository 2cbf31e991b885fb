import type { Logger } from 'pino';
import { ownPresets, readPreset } from '../config/preset.js';
import { ignoreErrors } from '../process/ignore-errors.js';

/**
 * Creates a check of the preset that the server started with, if any: it logs when the preset's settings no longer
 * match the running ones.
 */
export function createCheckPreset(preset: string | undefined, log: Logger): () => void {
  const files = ownPresets(preset);
  const read = () => files.flatMap((file) => [...readPreset(file).settings]);
  const first = new Map(read());
  let told = '';
  return () => {
    const pairs = ignoreErrors(read);
    // The reader of its sources and endpoints reports why it cannot be read.
    if (pairs === undefined) return;
    const now = new Map(pairs);
    const names = [...new Set([...first.keys(), ...now.keys()])];
    const settings = names.filter((name) => first.get(name) !== now.get(name));
    const change = JSON.stringify([...now]);
    if (settings.length > 0 && change !== told) {
      log.warn({ settings }, 'preset: restart to apply its settings');
    }
    told = change;
  };
}
