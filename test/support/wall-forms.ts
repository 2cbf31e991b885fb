import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './paths.js';

const { expressions, places, sources } = JSON.parse(
  readFileSync(join(root, 'test/compiler/wall/forms.json'), 'utf8'),
) as Readonly<Record<'expressions' | 'places' | 'sources', readonly string[]>>;

/** Each position is tested with one in this many of the failing expressions. */
const every = 4;

/** Each position with some of the failing expressions, different ones each time, over the sources in turn. */
export const wallForms: readonly (readonly [place: string, queries: readonly string[]])[] =
  places.map((place, row) => {
    const queries = expressions.flatMap((expression, column) => {
      const table = sources[(row + column) % sources.length] ?? '';
      const sql = place.replaceAll('{e}', () => expression).replaceAll('{t}', table);
      return (row + column) % every === 0 ? [sql] : [];
    });
    return [place, queries] as const;
  });
