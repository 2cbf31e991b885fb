import { createCompiler } from '../compiler/compile.js';
import type { Settings } from '../config/settings.js';
import { readEndpoints } from '../endpoint/catalog.js';
import { printFileFault } from '../endpoint/file-fault.js';
import { loadLogs, warningLines } from '../service/load-logs.js';
import { openSources } from '../service/source-files.js';
import { endpointFolders } from '../service/start-up.js';

/** The output of `check`, and whether all endpoints are without faults. */
export interface CheckReport {
  readonly lines: readonly string[];
  readonly ok: boolean;
}

/**
 * Compiles every endpoint against the sources as found in the log files, or as declared if there is no data folder,
 * and lists bad input in the log files.
 * @throws SetupError if a folder cannot be read
 */
export async function check(settings: Settings): Promise<CheckReport> {
  const logs = settings.data === undefined ? undefined : (await loadLogs(settings)).first;
  const compiler = createCompiler(logs?.sources ?? openSources(settings).declared);
  const { endpoints, faults, warnings } = readEndpoints(endpointFolders(settings), compiler);
  const bad = [...warnings, ...(logs === undefined ? [] : warningLines(logs))];
  const sum = `${count(endpoints.length, 'endpoint')}, ${count(faults.length, 'fault')}`;
  return { lines: [...bad, ...faults.map(printFileFault), sum], ok: faults.length === 0 };
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`;
}
