import { createCompiler } from '../compiler/compile.js';
import type { Settings } from '../config/settings.js';
import { readEndpoints } from '../endpoint/catalog.js';
import { printFileFault } from '../endpoint/file-fault.js';
import { inputLines } from '../service/input-lines.js';
import { loadLogs } from '../service/load-logs.js';
import { warningLines } from '../service/logs.js';
import { openBigQuery } from '../service/open-bigquery.js';
import { openSources } from '../service/source-files.js';
import { endpointFolders } from '../service/start-up.js';
import { checkOnBigQuery } from './check-bigquery.js';
import { type CheckReport, countOf } from './check-report.js';

/**
 * Compiles every endpoint against the sources as found in the log files, or as declared if there is no data folder,
 * and lists bad input in the log files.
 * @throws SetupError if a folder cannot be read
 */
export async function check(settings: Settings): Promise<CheckReport> {
  const bigQuery = await openBigQuery(settings);
  if (bigQuery !== undefined) return checkOnBigQuery(settings, bigQuery);
  const { data, paths } = settings;
  const logs = (data ?? paths) === undefined ? undefined : (await loadLogs(settings)).first;
  const declared = logs?.declared ?? openSources(settings).declared;
  const compiler = createCompiler(logs?.sources ?? declared);
  const folders = endpointFolders(settings, declared);
  const { endpoints, faults, warnings } = readEndpoints(folders, compiler);
  const inputs = logs === undefined ? [] : inputLines(logs).map(({ line }) => line);
  const bad = [...inputs, ...warnings, ...(logs === undefined ? [] : warningLines(logs))];
  const sum = `${countOf(endpoints.length, 'endpoint')}, ${countOf(faults.length, 'fault')}`;
  return { lines: [...bad, ...faults.map(printFileFault), sum], ok: faults.length === 0 };
}
