import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './paths.js';

/** A query of a caller, and how it must be answered. */
export interface Attack {
  readonly class: string;
  readonly sql: string;
  /** Absent where it is legal: its answer holds rows of its own project only. */
  readonly reason?: string;
  /** A part of the refusal's message. */
  readonly message?: string;
}

/** One group of a file: queries that meet the same answer, or DuckDB's own texts of the class. */
interface Group {
  readonly class: string;
  readonly reason?: string;
  readonly message?: string;
  readonly legal?: true;
  readonly sql?: readonly string[];
  readonly duck?: readonly string[];
  readonly harmless?: readonly string[];
}

/** The attacks, and what an attacker would send to the engine itself if nothing stood before it. */
export interface Attacks {
  readonly sql: readonly Attack[];
  readonly duck: readonly Omit<Attack, 'reason' | 'message'>[];
  /** Those of them that the engine may run for anybody: they read nothing but their own text. */
  readonly harmless: ReadonlySet<string>;
}

/** Reads `test/compiler/sandbox/attacks/*.json`; `{sentinel}` in them is the file's path. */
export function readAttacks(sentinelFile: string): Attacks {
  const folder = join(root, 'test/compiler/sandbox/attacks');
  const groups = readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .flatMap((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as readonly Group[]);
  const place = (sql: string) => sql.replaceAll('{sentinel}', sentinelFile);
  return {
    sql: groups.flatMap(({ sql = [], legal: _, duck: __, harmless: ___, ...group }) =>
      sql.map((text) => ({ ...group, sql: place(text) })),
    ),
    duck: groups.flatMap(({ duck = [], ...group }) =>
      duck.map((text) => ({ class: group.class, sql: place(text) })),
    ),
    harmless: new Set(groups.flatMap(({ harmless = [] }) => harmless)),
  };
}
