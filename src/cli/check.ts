import { openBigQuery } from '../bigquery/bigquery.js';
import { checkOnBigQuery } from '../bigquery/check.js';
import { createCompiler } from '../compiler/compile.js';
import type { Settings } from '../config/settings.js';
import { readEndpoints } from '../endpoint/catalog.js';
import { inputLines } from '../start/input-lines.js';
import { loadLogs } from '../start/load-logs.js';
import { warningLines } from '../start/logs.js';
import { openSources } from '../start/source-files.js';
import { endpointFolders } from '../start/start-up.js';
import { type CheckReport, withPaths } from './check-report.js';

/**
 * Compiles every endpoint against the sources as found in the log files or in BigQuery, or as declared if there is no
 * data folder, and lists bad input in the log files; on BigQuery, also checks what each endpoint would read.
 * @throws SetupError if a folder cannot be read, or if BigQuery refuses the tables
 */
export async function check(settings: Settings): Promise<CheckReport> {
  const bigQuery = await openBigQuery(settings);
  const hasLogs = (bigQuery ?? settings.data ?? settings.paths) !== undefined;
  const openLogs = bigQuery?.openLogs ?? loadLogs;
  const logs = hasLogs ? (await openLogs(settings)).first : undefined;
  const declared = logs?.declared ?? openSources(settings).declared;
  const compiler = createCompiler(logs?.sources ?? declared, bigQuery);
  const folders = endpointFolders(settings, declared);
  const { endpoints, faults, warnings } = readEndpoints(folders, compiler);
  const inputs = logs === undefined ? [] : inputLines(logs).map(({ line }) => line);
  const aboutLogs = logs === undefined ? [] : warningLines(logs);
  const faulty = new Set(faults.map(({ file }) => file));
  const sound = endpoints.filter(({ file }) => !faulty.has(file));
  const found =
    bigQuery && logs && (await checkOnBigQuery(bigQuery.pool, logs, { compiler, sound }));
  return {
    endpoints: endpoints.length,
    ...(bigQuery === undefined && { inputs }),
    warnings: [...warnings, ...aboutLogs, ...(found?.warnings ?? [])],
    errors: [
      ...(found?.tableFaults ?? []),
      ...withPaths(faults, folders),
      ...(found?.endpointFaults ?? []),
    ],
  };
}
