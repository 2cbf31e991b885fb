import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { WorldRequest } from '../../scripts/worlds/interference.mjs';
import { project, urlPattern } from '../../scripts/worlds/world.mjs';
import { root } from './paths.js';

/** A request, and which way of telling worlds apart it tries. */
export interface Attempt {
  readonly class: string;
  readonly asked: WorldRequest;
}

const read = (file: string): unknown => JSON.parse(readFileSync(join(root, 'test', file), 'utf8'));

/** Attempts by what may leak, each query with each of its values. */
export function tableAttempts(): readonly Attempt[] {
  const groups = read('program/non-interference/queries.json') as readonly {
    readonly class: string;
    readonly values: readonly string[];
    readonly sql: readonly string[];
  }[];
  return groups.flatMap((group) =>
    group.sql.flatMap((sql) =>
      group.values.map((value) => attempt(group.class, { sql: sql.replaceAll('{v}', value) })),
    ),
  );
}

const { lql, windows, sqlOfCounts } = read('program/non-interference/requests.json') as {
  readonly lql: readonly string[];
  readonly windows: readonly Readonly<Record<string, string>>[];
  readonly sqlOfCounts: readonly string[];
};

/** LQL, and the stored queries in different windows of time. */
export function requestAttempts(): readonly Attempt[] {
  const intervals = ['minutely', 'hourly', 'daily'];
  const counts = intervals.flatMap((interval) =>
    [{}, ...sqlOfCounts.map((sql) => ({ sql }))].map((own) => {
      const parameters = { project: urlPattern, interval, ...own };
      return { class: 'stored', asked: { endpoint: 'usage.api-counts', parameters } };
    }),
  );
  return [
    ...lql.map((text) => attempt('lql', { lql: text })),
    ...windows.map((window) => attempt('stored', window)),
    ...windows.map((window) =>
      attempt('stored', { ...window, sql: 'select id, event_message from edge_logs limit 500' }),
    ),
    ...counts,
  ];
}

/** Tails: of each table with some filters, from the start and from instants before and within the logs. */
export function tailAttempts(): readonly Attempt[] {
  const { tails, positions } = read('program/non-interference/tails.json') as {
    readonly tails: readonly Readonly<Record<string, string>>[];
    readonly positions: readonly string[];
  };
  return tails.flatMap((tail) =>
    positions.map((position) => attempt('tail', { ...tail, 'last-event-id': position })),
  );
}

const { expressions, places } = read('compiler/wall/forms.json') as Readonly<
  Record<'expressions' | 'places', readonly string[]>
>;

/** Mostly those with many records. */
const sources = ['edge_logs', 'function_logs', 'auth_logs', 'function_logs', 'storage_logs'];

/**
 * Expressions that fail on every row but those of `mine`, each in one of `every` places; another
 * `offset` is another choice.
 */
export function formAttempts({ every, offset = 0 }: { every: number; offset?: number }) {
  return places.flatMap((place, row) =>
    expressions.flatMap((expression, column) => {
      if ((row + column + offset) % every !== 0) return [];
      const table = sources[(row + column) % sources.length] ?? '';
      const sql = place.replaceAll('{e}', () => expression).replaceAll('{t}', table);
      return [attempt('forms', { sql })];
    }),
  );
}

function attempt(kind: string, parameters: Readonly<Record<string, string>>): Attempt {
  return { class: kind, asked: { endpoint: 'logs.all', parameters: { project, ...parameters } } };
}
