import { QueryFault } from '../../errors/query-fault.js';
import { shown } from './lql-cursor.js';
import type { LqlUnit, LqlWord } from './lql-tree.js';

/** A unit of time by one of its names. @throws QueryFault where it is not among the known ones */
export function parseUnit({ text, at }: LqlWord, known: ReadonlyMap<string, LqlUnit>): LqlUnit {
  const unit = known.get(text);
  if (unit !== undefined) return unit;
  throw new QueryFault(
    `Unknown unit ${shown(text)}: there are ${[...known.keys()].join(', ')}`,
    at,
  );
}
