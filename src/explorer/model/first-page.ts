import type { FieldSchema } from '../../types/table-schema.js';
import type { CatalogAnswer, ListedEndpoint } from './endpoint.js';
import { type PageState, timeWindows } from './page-state.js';
import { findTimeRange } from './time.js';

/** The records of a source in a time range. Times are in milliseconds since 1970. */
export interface SourceCount {
  readonly name: string;
  readonly records: number;
  /** The records of the last hour. */
  readonly recent: number;
  readonly oldestMs: number | undefined;
  readonly newestMs: number | undefined;
}

/** The endpoint to show if the link names none: the endpoint with the most tables. */
export function firstEndpoint({ endpoints }: CatalogAnswer): ListedEndpoint | undefined {
  return endpoints.toSorted((a, b) => b.tables.length - a.tables.length).at(0);
}

/** The only project that the token may read, if it is bound to one: the server makes it the parameter's default. */
export function boundProject({ parameters }: ListedEndpoint): string | undefined {
  return parameters.find(({ name }) => name === 'project')?.default;
}

/** The number of projects that the server lists at most. */
const maxListed = 200;

/** Returns the note below the list of projects; undefined if the list is complete. */
export function noteOnProjects(projects: readonly string[], place: string): string | undefined {
  if (projects.length < maxListed) return undefined;
  return `At most ${maxListed} projects are listed. The name of any other can be typed ${place}.`;
}

/** Whether callers' queries may read log records, which have a time. */
export function hasRecords({ sandbox, tables }: ListedEndpoint): boolean {
  const isTime = ({ name, type }: FieldSchema) => name === 'timestamp' && type === 'TIMESTAMP';
  return sandbox && tables.some(({ schema }) => schema.fields.some(isTime));
}

/** Whether a source belongs to the user's own logs: the server creates an endpoint for each such source. */
export function isOwnSource({ endpoints }: CatalogAnswer, name: string): boolean {
  return endpoints.some((endpoint) => endpoint.name === `logs.${name}`);
}

/** Sorts the sources for the sidebar: the user's own first, then the others, each with the most records first. */
export function sortSources(
  counts: readonly SourceCount[],
  catalog: CatalogAnswer,
): readonly SourceCount[] {
  const rank = ({ name }: SourceCount) => (isOwnSource(catalog, name) ? 0 : 1);
  return counts.toSorted((a, b) => rank(a) - rank(b) || b.records - a.records);
}

/**
 * Returns the last hour, or the hour before the newest record, with the reason, if that record is older than an hour or
 * lies in the future.
 */
export function firstWindow(
  counts: readonly SourceCount[],
  endpoint: ListedEndpoint,
  values: PageState['values'],
  nowMs: number,
) {
  const newestMs = Math.max(...counts.map((count) => count.newestMs ?? Number.NEGATIVE_INFINITY));
  const range = findTimeRange(endpoint.parameters);
  const hourMs = timeWindows.hour.ms;
  if (range === undefined || !Number.isFinite(newestMs)) return { window: '', values } as const;
  if (newestMs > nowMs - hourMs && newestMs <= nowMs) return { window: 'hour', values } as const;
  const endMs = Math.ceil(newestMs / 1000) * 1000;
  const [start = '', end = ''] = [endMs - hourMs, endMs].map((ms) => new Date(ms).toISOString());
  const why = newestMs > nowMs ? 'Some records lie in the future' : 'The last hour has no records';
  const note = `${why}; this is the hour of the newest one.`;
  return {
    window: '',
    values: { ...values, [range.start]: start, [range.end]: end },
    note,
  } as const;
}
