import type { Settings } from '../config/settings.js';
import { withSetupError } from '../errors/errors.js';
import { createFill } from '../generate/fill.js';
import { type Generated, generate } from '../generate/generate.js';
import { type GenerateOptions, readGenerateOptions } from '../generate/options.js';
import { createSourceWriter } from '../generate/write-source.js';
import { makeFolder } from '../process/make-folder.js';

/**
 * Writes made-up logs; `now` is the end without `--to`, in unix milliseconds.
 * @returns the output: what was written, and how to serve it
 * @throws SetupError
 */
export async function generateLogs(settings: Settings, now: number): Promise<string> {
  const options = readGenerateOptions(settings, now * 1000);
  await writeLogs(options);
  const { records, folder } = options;
  return `${records} records in ${folder}\nserve them: log-endpoints serve --data ${folder} --shift-to-now\n`;
}

/**
 * Writes the logs into their folder.
 * @throws SetupError if it cannot be created
 */
export async function writeLogs(options: GenerateOptions): Promise<Generated> {
  const { folder } = options;
  withSetupError(`the folder ${folder} cannot be created`, () => makeFolder(folder));
  const fill = createFill(options.seed);
  return generate(options, (source) => createSourceWriter(source, options, fill));
}
