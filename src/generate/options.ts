import { readdirSync } from 'node:fs';
import type { Settings } from '../config/settings.js';
import { SetupError } from '../errors/errors.js';
import { projectName } from './projects.js';
import { dayMicros, hourMicros } from './world/world.js';

/** The sources that can be generated. */
const allSources = new Set(
  `edge_logs db_logs function_edge_logs function_logs auth_logs realtime_logs storage_logs rest_logs
  pooler_logs`.split(/\s+/),
);

/** The options of the generation; times in unix microseconds, `to` exclusive. */
export type GenerateOptions = Readonly<ReturnType<typeof readGenerateOptions>>;

/** The flags of `generate`. */
type GenerateFlags = Partial<Settings> &
  Pick<
    Settings,
    'out' | 'records' | 'seed' | 'format' | 'disorder' | 'gzip' | 'plain' | 'incidents'
  >;

const usualProjects = 3;
const usualHours = 48;
const maxParquetRecords = 1_000_000;
const maxWindow = 3660 * dayMicros;

/**
 * Reads the options from the flags; `now` is the end without `--to`.
 * @throws SetupError for flags that exclude each other, and for a folder that is not empty
 */
export function readGenerateOptions(flags: GenerateFlags, now: number) {
  const { out, records, seed, format, files, disorder, gzip, plain, incidents } = flags;
  const isParquet = format === 'parquet';
  if (gzip && isParquet) throw new SetupError(['--gzip needs --format ndjson']);
  const maxFileRecords = isParquet ? maxParquetRecords : Number.POSITIVE_INFINITY;
  return {
    ...logPeriod(flags, now),
    ...projectOptions(flags),
    /** Of all sources together. */
    records,
    sources: chosenSources(flags.source),
    folder: emptyFolder(out),
    seed,
    format: isParquet ? ('parquet' as const) : ('ndjson' as const),
    /** The number of records per file, or Infinity. */
    files: files ?? maxFileRecords,
    /** Whether each source is a folder, even with a single file. */
    isFolder: files !== undefined || records > maxFileRecords,
    /** In microseconds. */
    disorder: disorder * 1000,
    gzip,
    // A Parquet column has a single type.
    plain: plain || isParquet,
    /** Whether there are incidents, and latencies follow the load. */
    incidents,
  };
}

function logPeriod({ from, to, hours }: GenerateFlags, now: number) {
  if (from !== undefined && hours !== undefined)
    throw new SetupError(['--from and --hours exclude each other: both say when the logs begin']);
  const end = to === undefined ? now : Date.parse(to) * 1000;
  const start =
    from === undefined ? end - (hours ?? usualHours) * hourMicros : Date.parse(from) * 1000;
  if (start < 0) throw new SetupError(['the logs must begin after 1970']);
  if (start >= end)
    throw new SetupError([`--from must be before ${to === undefined ? 'now' : '--to'}`]);
  if (end - start > maxWindow)
    throw new SetupError(['--from is more than ten years before the end']);
  return { from: start, to: end };
}

/** Returns the number of projects, and the name of the project with a rank, from 0. */
function projectOptions({ project, projects }: GenerateFlags) {
  if (project === undefined)
    return { projects: projects ?? usualProjects, nameProject: projectName };
  if (projects !== undefined)
    throw new SetupError(['--project and --projects exclude each other: one name is one project']);
  if (!/^[A-Za-z0-9_-]{1,63}$/.test(project))
    throw new SetupError(['--project must be letters, digits, dashes and underscores']);
  return { projects: 1, nameProject: () => project };
}

function chosenSources(names: readonly string[] = []): ReadonlySet<string> {
  const unknown = names.find((name) => !allSources.has(name));
  if (unknown !== undefined)
    throw new SetupError([
      `--source: unknown source ${unknown}; the sources are ${[...allSources].join(', ')}`,
    ]);
  return new Set(names.length === 0 ? allSources : names);
}

/** Requires a new or empty folder, so that old and new files are not mixed. */
function emptyFolder(folder: string): string {
  try {
    if (readdirSync(folder).length === 0) return folder;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return folder;
    throw new SetupError([`the folder cannot be used: ${String(error)}`]);
  }
  throw new SetupError([`the folder is not empty: ${folder}`]);
}
