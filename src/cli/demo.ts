import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Settings } from '../config/settings.js';
import { SetupError } from '../errors/errors.js';
import { goOn } from '../generate/go-on.js';
import { readGenerateOptions } from '../generate/options.js';
import { packagePath } from '../process/package-paths.js';
import { makeTemporaryFolder } from '../start/temporary-folder.js';
import { writeLogs } from './generate.js';

/** Work that the server does besides answering. */
export type Companion = Awaited<ReturnType<typeof openDemo>>['companion'];

/**
 * Writes logs that end at `now`, in unix milliseconds, and continues while the server runs. Without `--data`, their
 * folder is removed when the process exits.
 * @throws SetupError
 */
export async function openDemo(settings: Settings, now: number) {
  const { data, records, hours, seed, projects } = settings;
  refuseOldLogs(data);
  const out = data ?? join(makeTemporaryFolder(), 'demo');
  const flags = { ...ownFlags, records, hours, seed, projects, out };
  const options = readGenerateOptions(flags, now * 1000);
  const generated = await writeLogs(options);
  return {
    settings: {
      ...settings,
      data: out,
      watch: true,
      now: undefined,
      shiftToNow: false,
      noDiskCache: settings.noDiskCache || data === undefined,
    },
    companion: {
      tips,
      /** Starts when the server listens; the returned function stops it. */
      start: (onFailure: (error: unknown) => void) => goOn(generated, options, onFailure),
    },
  };
}

/** The values of flags that `generate` has and the demo lacks. */
const ownFlags = { format: 'ndjson', gzip: false, plain: false, disorder: 0, incidents: true };

function refuseOldLogs(folder: string | undefined): void {
  if (folder === undefined || !existsSync(folder)) return;
  if (!statSync(folder).isDirectory()) throw new SetupError([`${folder} is a file; name a folder`]);
  if (readdirSync(folder).length === 0) return;
  throw new SetupError([
    `the folder is not empty: ${folder}; serve what it holds with log-endpoints serve --data ${folder} --shift-to-now, or name a new folder`,
  ]);
}

/** Extra lines to print at the start: requests worth trying, as `curl` commands. */
function tips(url: string, token: string): readonly string[] {
  const text = readFileSync(packagePath('sql/demo-questions.json'), 'utf8');
  const questions: readonly Readonly<Record<'about' | 'sql', string>>[] = JSON.parse(text);
  return questions.flatMap(({ about, sql }) => [
    `${about}:`,
    `curl -s -G -H "X-API-KEY: ${token}" '${url}/api/endpoints/query/logs.all?project=bluefin' --data-urlencode ${quote(`sql=${sql}`)}`,
  ]);
}

/** Quotes a string for a shell. */
function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
