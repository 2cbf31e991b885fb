import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Settings } from '../config/settings.js';
import { parseEndpoint } from '../endpoint/parse-endpoint.js';
import { SetupError } from '../errors/errors.js';
import { makeFolder } from '../process/make-folder.js';
import { packagePath } from '../process/package-paths.js';

/**
 * Writes the file of a new endpoint, which counts the requests of a project.
 * @returns the output: the file, and how to run it
 * @throws SetupError for an invalid endpoint name, and for a file that exists or cannot be written
 */
export function newEndpoint({ endpoints: folder = 'endpoints' }: Settings, name: string): string {
  const template = readFileSync(packagePath(join('sql', 'endpoints', 'new.template')), 'utf8');
  const text = template.replace('{name}', () => name);
  const { faults } = parseEndpoint(`${name}.sql`, text);
  const [fault] = faults;
  if (fault !== undefined) throw new SetupError([`${name}: ${fault.message}`]);
  const file = join(folder, `${name}.sql`);
  try {
    makeFolder(folder);
    writeFileSync(file, text, { flag: 'wx' });
  } catch (error) {
    throw new SetupError([`cannot write ${file}: ${failureText(error)}`]);
  }
  return `${file}\nrun it: log-endpoints query ${name} --endpoints ${folder} --data DIR --param project=NAME\n`;
}

function failureText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const isThere = 'code' in error && error.code === 'EEXIST';
  return isThere ? 'the file, or one with the name of its folder, exists' : error.message;
}
