import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import * as v from 'valibot';
import { SetupError } from '../errors/errors.js';
import { didYouMean } from '../errors/suggest.js';
import { packagePath } from '../process/package-paths.js';
import { parseFile } from '../process/parse-file.js';

/** Settings, sources and endpoints in one file. */
export type Preset = ReturnType<typeof readPreset>;

/** The preset of the current folder, which is used if no other is named. */
export const configFile = 'log-endpoints.json';

/** The file of a preset. */
export const preset = v.strictObject({
  $schema: v.optional(v.string()),
  settings: v.optional(v.record(v.string(), v.string()), {}),
  sources: v.optional(v.record(v.string(), v.looseObject({})), {}),
  endpoints: v.optional(v.record(v.string(), v.array(v.string())), {}),
});

const isShipped = (nameOrPath: string) => /^[A-Za-z0-9-]+$/.test(nameOrPath);

/** The names of the shipped presets. */
function shipped(): readonly string[] {
  const files = readdirSync(packagePath(join('sql', 'presets')));
  return files.map((file) => file.replace(/\.json$/, ''));
}

function unknown(name: string): string {
  const names = shipped();
  const hint = didYouMean(name, names);
  return `there is no such preset${hint || `; there is ${names.join(', ')}`}; a file is named by its path, as in ./${name}.json`;
}

/** Returns the user's own preset files. */
export function ownPresets(nameOrPath: string | undefined): readonly string[] {
  return nameOrPath === undefined || isShipped(nameOrPath) ? [] : [nameOrPath];
}

/**
 * Reads a preset: a shipped one by name, any other by the path of its file.
 * @throws SetupError if it cannot be read or is not valid
 */
export function readPreset(nameOrPath: string) {
  const isName = isShipped(nameOrPath);
  const where = isName ? packagePath(join('sql', 'presets', `${nameOrPath}.json`)) : nameOrPath;
  try {
    const { settings, sources, endpoints } = parseFile(preset, readFileSync(where, 'utf8'));
    return {
      /** Its name as given: the name of a shipped preset, or a path. */
      name: nameOrPath,
      /** The file, for messages. */
      where,
      /** The values of settings by their flags, without dashes. */
      settings: new Map(Object.entries(settings)),
      /** The declarations of sources, as JSON. */
      sources: Object.entries(sources).map(([name, source]) => {
        return { name, json: JSON.stringify(source) };
      }),
      /** The texts of endpoint files by name. */
      endpoints: new Map(
        Object.entries(endpoints).map(([name, lines]) => [`${name}.sql`, `${lines.join('\n')}\n`]),
      ),
    };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const text = isName && !shipped().includes(nameOrPath) ? unknown(nameOrPath) : reason;
    const source = basename(nameOrPath) === configFile ? nameOrPath : `--preset ${nameOrPath}`;
    throw new SetupError([`${source}: ${text}`]);
  }
}
