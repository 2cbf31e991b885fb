import { join } from 'node:path';
import { expect, test } from 'vitest';
import { addShape, type Shape } from '../../../src/logs/columns/shape.js';
import { maxFileFaults } from '../../../src/logs/files/files.js';
import { lineOptions, readLines } from '../../../src/logs/files/line-reader.js';
import { mendLines } from '../../../src/logs/files/mend-line.js';
import { type Scanned, scanLines } from '../../../src/logs/scan/scan-lines.js';
import { makeFolder } from '../../support/load-logs.js';
import { nightly } from '../../support/nightly.js';
import { randomFrom } from '../../support/random.js';
import { scanRows } from '../../support/scan-rows.js';
import { openLoadScratch } from '../../support/scratch-database.js';

/** Scans lines, which are written as Latin-1, so that some are not UTF-8. */
async function scan(lines: readonly string[]) {
  const folder = makeFolder({ 'a.ndjson': Buffer.from(`${lines.join('\n')}\n`, 'latin1') });
  const kind = { format: 'lines', compression: 'none' } as const;
  const file = { source: 'edge_logs', name: 'a', path: join(folder, 'a.ndjson'), ...kind };
  const found = await scanLines({ file, onRead: () => undefined });
  if (found === undefined) throw new Error('not scanned');
  return found;
}

/** Joins the findings of two scans. */
function joinTwo(one: Scanned, other: Scanned): Scanned {
  addShape(one.shape, other.shape);
  return {
    shape: one.shape,
    objects: one.objects + other.objects,
    lines: one.lines + other.lines,
    bad: one.bad + other.bad,
    badLines: [
      ...one.badLines,
      ...other.badLines.map((line) => ({ ...line, n: one.objects + one.bad + line.n })),
    ].slice(0, maxFileFaults),
    longest: Math.max(one.longest, other.longest),
    needsMending: one.needsMending || other.needsMending,
  };
}

/** The findings of one scan, and the joined findings of a scan of each line. */
async function scanBoth(lines: readonly string[]) {
  const all = await scan(lines);
  const each: Scanned[] = [];
  for (const line of lines) each.push(await scan([line]));
  const [first, ...others] = each;
  if (first === undefined) throw new Error('no lines');
  return { whole: all, each: others.reduce(joinTwo, first) };
}

/** Structures; `#` stands for a value. */
const structures = [
  '{"id":#,"timestamp":#,"event_message":#,"metadata":{"a":#,"b":{"c":#}}}',
  '{"id":#,"timestamp":#,"event_message":#,"metadata":{"b":{"c":#},"a":#}}',
  '{"id":#,"timestamp":#,"metadata":[{"a":#,"b":{"c":#,"d":#}}]}',
  '{"id":#,"timestamp":#,"metadata":[{"a":#},{"a":#}],"list":[#,#, #]}',
  '{ "id" : # , "timestamp":#,"list":[#],"empty":{},"none":[]}\r',
  '{"timestamp":#,"x":#}',
  '{"x":{"y":#},"timestamp":#,"ID":#}',
  '{"k":#}',
  '{}',
  '#',
];
const values = [
  ...['1', '"a"', '"a longer text, of more than eight bytes"', '"2026-03-10T12:00:00Z"', 'null'],
  ...['true', 'false', '-1', '1.5', '"\\"\\u00e9"', '{"z":1}', '[{"z":null}]', '1773144896'],
  ...['NaN', '[1,]', '"\\ud83d"', '9223372036854775808', '1e400', '{"\\u007a":1.10}', '0.1e-9'],
  ...['01', '-0', '1e5', '"\\x"', '"\t"', '"\xff"', '"\xc3\xa9"', 'tru', '{"z":1,"z":2}'],
];

function drawLines(seed: number, count: number): readonly string[] {
  const random = randomFrom(seed);
  const pick = <T>(items: readonly T[], otherwise: T) =>
    items[random() % items.length] ?? otherwise;
  // The first values are common, so that most lines are plain.
  const value = () => pick(random() % 8 === 0 ? values : values.slice(0, 5), '1');
  const change = (line: string) => {
    const at = random() % (line.length + 1);
    const inserted = pick(['', '"', ',', '{', '}', ']', 'x', ' ', '\\'], '');
    return line.slice(0, at) + inserted + line.slice(at + (random() % 3));
  };
  return Array.from({ length: count }, () => {
    const line = pick(structures, '{}').replace(/#/g, value);
    return random() % 6 === 0 ? change(line) : line;
  });
}

/** The findings of DuckDB in the mended lines, and those of the scan. */
async function scanAndAsk(lines: readonly string[]) {
  const mended = mendLines(Buffer.from(`${lines.join('\n')}\n`, 'latin1'));
  const folder = makeFolder({ 'a.ndjson': mended });
  const path = join(folder, 'a.ndjson');
  const kind = { format: 'lines', compression: 'none' } as const;
  const file = { source: 'edge_logs', name: 'a', path, ...kind };
  const found = await scanLines({ file, onRead: () => undefined });
  const { connection, close } = await openLoadScratch();
  const asked = await scanRows(connection, readLines([file], lineOptions(file, 1_000_000)));
  close();
  const { objects, bad, badLines } = asked;
  return { found, asked: { objects, bad, badLines, shape: printShape(asked.shape) } };
}

/** Without the order in which fields were found. */
function printShape({ scalars, fields, elements, hasSeveral }: Shape): unknown {
  const inner = [...(fields ?? [])].map(([key, field]) => [key, printShape(field)] as const);
  const sorted = fields && inner.toSorted(([one], [other]) => (one < other ? -1 : 1));
  return [[...scalars].sort(), sorted, elements && printShape(elements), hasSeveral];
}

const seeds = Array.from({ length: nightly(150, 12) }, (_, seed) => seed);

test.each(seeds)('a line is scanned as if none came before it: seed %d', async (seed) => {
  const { whole, each } = await scanBoth(drawLines(seed, 150));
  expect(whole.objects).toBeGreaterThan(50);
  expect(whole.bad).toBeGreaterThan(5);
  expect(whole).toEqual(each);
});

test.each(seeds)('DuckDB reads the lines as the scan does: seed %d', async (seed) => {
  const { asked, found } = await scanAndAsk(drawLines(seed, 150));
  const scanned = found && { ...found, shape: printShape(found.shape) };
  expect(scanned).toMatchObject({ ...asked, needsMending: false });
});
