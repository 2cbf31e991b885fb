import { describe, expect, test } from 'vitest';
import { resolve } from '../../../src/compiler/resolve/resolve.js';
import { parse } from '../../../src/compiler/syntax/syntax.js';
import { webSource } from '../../support/web-source.js';

const sources = new Map([['web', webSource('struct')]]);
const readable = { sources, parameters: new Map(), ctes: [] };
const stored = 'with web as (select id, metadata from `logs.web`) select id from web';

/** The ids of all columns in a resolved tree. */
function columnIds(tree: unknown): readonly number[] {
  const ids: number[] = [];
  JSON.stringify(tree, (key, value) => {
    if (key === 'id') ids.push(value);
    return value;
  });
  return [...new Set(ids)].sort((a, b) => a - b);
}

describe('column ids', () => {
  test('of a statement begin at 1, whatever was resolved before', () => {
    const first = resolve(parse(stored), readable);
    expect(resolve(parse(stored), readable)).toEqual(first);
    const ids = columnIds(first.query);
    expect(ids[0]).toBe(1);
    expect(ids.at(-1)).toBeLessThan(first.nextId);
  });

  test("of a caller's statement follow those of the stored query", () => {
    const { query, nextId } = resolve(parse(stored), readable);
    const own = resolve(parse('select id from web'), {
      sources: undefined,
      parameters: new Map(),
      ctes: query.ctes,
      firstId: nextId,
    });
    const taken = columnIds(query.ctes);
    const ids = columnIds(own.query).filter((id) => !taken.includes(id));
    expect(ids[0]).toBe(nextId);
    expect(ids.at(-1)).toBeLessThan(own.nextId);
  });
});

test.each(['from nosuch', 'from `logs.web` where nosuch'])(
  'SELECT AS VALUE needs one column, whatever else is wrong: %s',
  (rest) => {
    expect(() => resolve(parse(`select as value a, b ${rest}`), readable)).toThrow(
      'SELECT AS VALUE query must have exactly one column',
    );
  },
);
