import { rmSync } from 'node:fs';
import { ignoreErrors } from '../common/ignore-errors.js';
import { hasRowIds, type SourceSchema } from '../types/schema.js';
import type { FindRows } from './answer.js';
import { createKeptPart, type KeptPart, pathOf } from './kept-part.js';

/** The parts of one state of the logs. */
export interface KeptParts {
  /** Switches to the parts of another state; those that it does not have are dropped. */
  use(sources: readonly SourceSchema[]): void;
  /** Begins a part that was not begun yet, the newest of each source first; undefined if there is none. */
  begin(): KeptPart | undefined;
  /** Drops what is kept of a part. It is begun again, unless that is of no use. */
  fail(kept: KeptPart, error: unknown, options: { readonly isFinal: boolean }): void;
  /** Rows of a part. If its file is damaged, it is removed, and the part dropped. */
  readonly find: FindRows;
  /** The size of the rows in the files. */
  bytes(): number;
  /** How many parts are not done. */
  waiting(): number;
}

/** A part is given up after so many attempts. */
const maxFailures = 3;

/** Creates a container without parts. */
export function createKeptParts(
  onFailure: (source: string, error: unknown) => void = () => {},
): KeptParts {
  let parts: ReadonlyMap<string, KeptPart> = new Map();
  const fail: KeptParts['fail'] = (kept, error, { isFinal }) => {
    if (parts.get(kept.path) !== kept) return;
    kept.drop();
    const again = createKeptPart(kept.source, kept.part, kept.failures + 1);
    if (isFinal || again.failures >= maxFailures) again.state = 'done';
    parts = new Map([...parts, [kept.path, again]]);
    if (again.state === 'done') onFailure(kept.source.name, error);
  };
  return {
    use(sources) {
      const before = parts;
      parts = partsOf(sources, before);
      for (const [path, kept] of before) if (parts.get(path) !== kept) kept.drop();
    },
    begin() {
      const next = [...parts.values()].find(({ state }) => state === 'new');
      if (next !== undefined) next.state = 'begun';
      return next;
    },
    fail,
    find(source, part, { span, project }) {
      const kept = parts.get(pathOf(source, part));
      try {
        return kept?.find(span, project);
      } catch (error) {
        if (kept === undefined) throw error;
        fail(kept, error, { isFinal: true });
        ignoreErrors(() => rmSync(kept.path, { force: true }));
        return undefined;
      }
    },
    waiting: () => [...parts.values()].filter(({ state }) => state !== 'done').length,
    bytes: () => [...parts.values()].reduce((sum, part) => sum + part.bytes(), 0),
  };
}

function partsOf(
  sources: readonly SourceSchema[],
  before: ReadonlyMap<string, KeptPart>,
): ReadonlyMap<string, KeptPart> {
  // The times that other sources show are not the stored ones; without row ids, rows are not read in order.
  const stored = sources.filter((source) => source.seenAsNow === undefined && hasRowIds(source));
  const parts = stored.flatMap((source) =>
    (source.parts ?? []).toReversed().map((part) => {
      const path = pathOf(source, part);
      const known = before.get(path);
      // The view of a part depends on the state.
      const kept =
        known !== undefined && known.state !== 'new'
          ? known
          : createKeptPart(source, part, known?.failures);
      return [path, kept] as const;
    }),
  );
  return new Map(parts);
}
