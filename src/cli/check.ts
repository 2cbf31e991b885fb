import { createCompiler } from '../compiler/compile.js';
import type { Settings } from '../config/settings.js';
import { readEndpoints } from '../endpoint/catalog.js';
import { inputLines } from '../start/input-lines.js';
import { loadLogs } from '../start/load-logs.js';
import { warningLines } from '../start/logs.js';
import { openBigQuery } from '../start/open-bigquery.js';
import { openSources } from '../start/source-files.js';
import { endpointFolders } from '../start/start-up.js';
import { checkOnBigQuery } from './check-bigquery.js';
import { type CheckReport, withPaths } from './check-report.js';

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
  const aboutLogs = logs === undefined ? [] : warningLines(logs);
  return {
    endpoints: endpoints.length,
    inputs,
    warnings: [...warnings, ...aboutLogs],
    errors: withPaths(faults, folders),
  };
}
