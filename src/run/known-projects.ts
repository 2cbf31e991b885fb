import { setTimeout as sleep } from 'node:timers/promises';
import { readPath } from '../compiler/add-source-ctes.js';
import type { CallerScope } from '../endpoint/scope.js';
import type { RunOptions } from '../engine/engine.js';
import { readRows } from './read-rows.js';
import type { ServedData, Serving } from './serving.js';

/** The maximum number of projects to remember. */
const maxProjects = 100_000;

/** The maximum wait of an answer for the projects, in milliseconds; later answers will have them. */
const patienceMs = 1_000;

/**
 * Creates a function that returns the number of projects in the logs if the given project is not one of them; undefined
 * if it is, or if the projects are unknown. Reads the projects only for an unknown project, and once for each state of
 * the logs: requests for known projects cause no work.
 */
export function createCountUnlessKnown() {
  let version = '';
  let reading: Promise<ReadonlySet<string> | undefined> = Promise.resolve(undefined);
  return async (project: string, data: ServedData): Promise<number | undefined> => {
    const last = await soon(reading);
    if (last?.has(project)) return undefined;
    const isRead = version === data.version;
    version = data.version;
    // The answer is correct without its note.
    if (!isRead) reading = readProjects(data).catch(() => undefined);
    const now = isRead ? last : await soon(reading);
    return now === undefined || now.has(project) ? undefined : now.size;
  };
}

/** Returns undefined if it takes too long. */
function soon<T>(work: Promise<T>): Promise<T | undefined> {
  return Promise.race([work, sleep(patienceMs, undefined, { ref: false })]);
}

/** The maximum number of projects to list. */
export const maxListedProjects = 200;

/**
 * Creates a function that lists the projects that a token may see, in order: its own, or those of the logs; none if
 * they are unknown. Reads the projects on every call, as a query would.
 */
export function createListProjects({ serving }: Readonly<{ serving: Pick<Serving, 'use'> }>) {
  return async (
    { id: caller, scope }: Readonly<{ id: string; scope: CallerScope }>,
    signal: AbortSignal,
  ): Promise<readonly string[]> => {
    if (scope.project !== undefined) return [scope.project];
    const asked = { caller, signal, most: maxListedProjects };
    const projects = await serving.use(async (data) =>
      data.engine.dialect.isRemote ? undefined : readProjects(data, asked),
    );
    return [...(projects ?? [])];
  };
}

/** The options for reading the projects. */
interface Reading extends Partial<Pick<RunOptions, 'caller' | 'signal'>> {
  /** The maximum number of projects; by default all. */
  readonly most?: number;
}

/** Returns the projects of the logs in order; undefined if there are too many, or sources have none. */
export async function readProjects(
  { sources, compiler, engine }: ServedData,
  { most, ...asked }: Reading = {},
): Promise<ReadonlySet<string> | undefined> {
  const selects = sources.flatMap(({ name, projectPath }) =>
    projectPath === undefined ? [] : [selectProjects(name, projectPath)],
  );
  if (selects.length === 0) return undefined;
  const sql = `select project from (${selects.join(' union distinct ')}) order by project`;
  const query = { name: 'projects', sql, maxRows: most ?? maxProjects };
  const parts = { compiler, engine };
  const { rows, truncated } = await readRows<{ readonly project: string }>(parts, query, asked);
  if (truncated && most === undefined) return undefined;
  return new Set(rows.map(({ project }) => project));
}

function selectProjects(source: string, path: readonly string[]): string {
  const { from, field } = readPath(path);
  const tables = [`\`logs.${source}\` as t`, ...from].join(' cross join ');
  return `select distinct cast(${field} as string) as project from ${tables} where ${field} is not null`;
}
