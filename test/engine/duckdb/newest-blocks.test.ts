import { expect, test } from 'vitest';
import { type Block, type Chosen, chooseRows } from '../../../src/engine/duckdb/newest-blocks.js';
import { columnSeparator } from '../../../src/rows/print-columns.js';
import { packRows } from '../../../src/rows/row-block.js';
import { randomFrom } from '../../support/random.js';

interface Stored {
  readonly part: number;
  readonly time: number;
  readonly id: string;
}

const table = { columns: ['id', 'timestamp'] };

function inOrder(rows: readonly Stored[]): readonly Stored[] {
  return rows.toSorted((one, other) => other.time - one.time || (one.id < other.id ? -1 : 1));
}

/** The blocks of the newest rows of each part, a few rows in each. */
function blocksOf(rows: readonly Stored[], kept: number, blockRows = 3): readonly Block[] {
  return [...new Set(rows.map(({ part }) => part))].flatMap((part) => {
    const all = inOrder(rows.filter((row) => row.part === part));
    const own = all.slice(0, kept);
    return Array.from({ length: Math.ceil(own.length / blockRows) }, (_, index) => {
      const block = own.slice(index * blockRows, (index + 1) * blockRows);
      const lines = block.map(({ id, time }) => `${JSON.stringify(id)}${columnSeparator}${time}`);
      return {
        part,
        newest: BigInt(block[0]?.time ?? 0),
        oldest: BigInt(block.at(-1)?.time ?? 0),
        isLast: own.length === all.length && (index + 1) * blockRows >= own.length,
        packed: packRows(lines.map((line) => Buffer.from(line))),
      };
    });
  });
}

function idsOf(chosen: Chosen | undefined): readonly unknown[] | undefined {
  return chosen?.rows.map(({ columns }) => JSON.parse(columns[0] ?? ''));
}

const always = { after: -(2n ** 63n), until: 2n ** 63n - 1n };

test('what is chosen is what a sort of all rows gives, or nothing', () => {
  const next = randomFrom(7);
  let chosenOften = 0;
  for (let round = 0; round < 3_000; round += 1) {
    const rows = Array.from({ length: next() % 30 }, (_, index): Stored => {
      return { part: next() % 3, time: next() % 60, id: `${next() % 1000}-${index}` };
    });
    const after = next() % 2 === 0 ? always.after : BigInt((next() % 64) - 1);
    const until = next() % 2 === 0 ? always.until : BigInt(next() % 61);
    const maxRows = 1 + (next() % 12);
    const limit = Math.min(next() % 2 === 0 ? Number.POSITIVE_INFINITY : next() % 9, maxRows + 1);
    const choice = { after, until, limit, maxRows };
    const chosen = chooseRows(blocksOf(rows, 1 + (next() % 12)), table, choice);
    const right = inOrder(rows).filter(({ time }) => time > after && time <= until);
    if (chosen === undefined) continue;
    chosenOften += 1;
    const wanted = right.slice(0, Math.min(limit, maxRows));
    expect(idsOf(chosen)).toEqual(wanted.map(({ id }) => id));
    expect(chosen.truncated).toBe(right.length > maxRows && limit > maxRows);
  }
  expect(chosenOften).toBeGreaterThan(1_200);
});

const rows = Array.from({ length: 8 }, (_, time): Stored => ({ part: 0, time, id: `${time}` }));

test.each([
  ['as many rows as are kept but one', { ...always, limit: 4, maxRows: 10 }, ['7', '6', '5', '4']],
  [
    'as many rows as are kept: the next may share the instant',
    { ...always, limit: 5, maxRows: 10 },
    undefined,
  ],
  ['all rows, of which more exist', { ...always, limit: 5, maxRows: 4 }, ['7', '6', '5', '4']],
  [
    'a window that ends before the kept rows',
    { after: 0n, until: 2n, limit: 9, maxRows: 10 },
    undefined,
  ],
  ['a window of kept rows', { after: 4n, until: 6n, limit: 9, maxRows: 10 }, ['6', '5']],
  ['no row', { ...always, limit: 0, maxRows: 10 }, []],
])('%s', (_, choice, wanted) => {
  expect(idsOf(chooseRows(blocksOf(rows, 5), table, choice))).toEqual(wanted);
});

test.each([
  ['in bytes of UTF-8', ['a', 'a b', 'a"b', 'b', 'é', '\u{ff21}', '\u{1f600}']],
  ['also where JSON escapes a character', ['', '\t', ' ', '"', '\\', ']']],
])('ids of one instant are in order: %s', (_, ids) => {
  const shuffled = ids.toReversed().map((id): Stored => ({ part: 0, time: 1, id }));
  const lines = shuffled.map(({ id }) => Buffer.from(`${JSON.stringify(id)}${columnSeparator}1`));
  const block = { part: 0, newest: 1n, oldest: 1n, isLast: true, packed: packRows(lines) };
  const choice = { ...always, limit: 9, maxRows: 10 };
  const { rows: chosen = [] } = chooseRows([block], table, choice) ?? {};
  const shown = chosen.map(({ columns: [id = ''] }) =>
    String(JSON.parse(Buffer.from(id, 'latin1').toString())),
  );
  expect(shown).toEqual(ids);
});

test('rows with one instant and id that differ are left to the statement', () => {
  const columns = [...table.columns, 'event_message'];
  const packed = (...messages: readonly string[]) =>
    packRows(messages.map((text) => Buffer.from(['"a"', '1', text].join(columnSeparator))));
  const choose = (...messages: readonly string[]) => {
    const block = { part: 0, newest: 1n, oldest: 1n, isLast: true, packed: packed(...messages) };
    return chooseRows([block], { columns }, { ...always, limit: 9, maxRows: 10 });
  };
  expect(choose('"x"', '"x"')?.rows.length).toBe(2);
  expect(choose('"y"', '"x"')).toBe(undefined);
});

test('a project that no part has', () => {
  expect(chooseRows([], table, { ...always, limit: 5, maxRows: 10 })).toEqual({
    rows: [],
    truncated: false,
  });
});
