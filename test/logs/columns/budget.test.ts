import { describe, expect, test } from 'vitest';
import { chooseFields, type FieldBudget } from '../../../src/logs/columns/budget.js';
import { planFields } from '../../../src/logs/columns/columns.js';
import { listPartial } from '../../../src/logs/columns/contents.js';
import { columnsQuery, findingsQuery } from '../../../src/logs/columns/extract.js';
import { countedPaths } from '../../../src/logs/columns/not-null-witness.js';
import { emptyShape, type Shape } from '../../../src/logs/columns/shape.js';
import { schemaField } from '../../../src/logs/columns/stored-type.js';
import type { Field } from '../../../src/types/types.js';

const number = (count = 1): Shape => ({ ...emptyShape(), scalars: new Set(['UBIGINT']), count });

function record(fields: Readonly<Record<string, Shape>>, count = 1): Shape {
  return { ...emptyShape(), count, fields: new Map(Object.entries(fields)) };
}

function tree(depth: number, leaf: Shape): Shape {
  return depth === 0 ? leaf : record({ a: tree(depth - 1, leaf), b: tree(depth - 1, leaf) });
}

function wide(count: number): Shape {
  return record(Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, number()])));
}

const fitShape = (shape: Shape, declared: readonly Field[], of: FieldBudget) =>
  chooseFields(shape, declared, of)(shape);
const budget = { maxFields: 2000, known: [] };
const namesIn = ({ fields }: Shape) => [...(fields?.keys() ?? [])];

describe('undeclared fields are taken', () => {
  test('by level, then by the number of records, then by name', () => {
    const shape = record({
      z: number(1),
      b: number(2),
      a: record({ x: number(9) }, 1),
      c: number(2),
    });
    const kept = (maxFields: number) => namesIn(fitShape(shape, [], { maxFields, known: [] }));
    expect(kept(1)).toEqual(['b']);
    expect(kept(2)).toEqual(['b', 'c']);
    expect(kept(3)).toEqual(['b', 'a', 'c']);
    expect(kept(4)).toEqual(['z', 'b', 'a', 'c']);
  });

  test('unless they are rare among very many records, so that the table does not grow with both', () => {
    const rare = Object.fromEntries(Array.from({ length: 90 }, (_, i) => [`k${i}`, number(7)]));
    const of = (records: number) =>
      record({ timestamp: number(records), common: number(records / 20), ...rare });
    const keptOf = (records: number) => namesIn(fitShape(of(records), [], budget));
    expect(keptOf(30_000)).toHaveLength(92);
    // The common ones are taken first; then 32 of the others for 2^17 records are 2^22 values.
    expect(keptOf(100_000)).toHaveLength(33);
    expect(keptOf(130_000)).toEqual(keptOf(100_000));
    expect(keptOf(132_000)).toHaveLength(17);
    expect(keptOf(100_000).slice(0, 2)).toEqual(['timestamp', 'common']);
    expect(listPartial(fitShape(of(100_000), [], budget))).toEqual(['']);
    // However deep it is, a field of more records is not given up for fields of fewer.
    const deep = record({ own: number(50) }, 50);
    const mixed = record({ timestamp: number(100_000), ...rare, deep });
    expect(namesIn(fitShape(mixed, [], budget))).toContain('deep');
  });

  test('of more names than a call can have arguments', () => {
    expect(namesIn(fitShape(wide(200_000), [], budget))).toHaveLength(2_000);
  });

  test('first if they have types already', () => {
    const known = [{ name: 'Z', type: { kind: 'INT64' }, stored: true }] as const;
    const shape = record({ z: number(1), b: number(2) });
    expect(namesIn(fitShape(shape, [], { maxFields: 1, known }))).toEqual(['z']);
    expect(namesIn(fitShape(shape, [], { maxFields: 0, known }))).toEqual(['z']);
  });

  test('without those that are declared', () => {
    const declared = [{ name: 'b', type: { kind: 'INT64' }, stored: true }] as const;
    const shape = record({ a: number(), b: number(), c: number() });
    const fitted = fitShape(shape, declared, { maxFields: 1, known: [] });
    expect(namesIn(fitted)).toEqual(['a', 'b']);
    expect(listPartial(fitted)).toEqual(['']);
  });

  test('until their names are too long together', () => {
    const named = (count: number, length: number) =>
      record(
        Object.fromEntries(
          Array.from({ length: count }, (_, i) => [`k${i}`.padEnd(length, '_'), number()]),
        ),
      );
    expect(namesIn(fitShape(named(2_500, 16), [], budget)).length).toBe(2_000);
    expect(namesIn(fitShape(named(2_500, 160), [], budget)).length).toBe(200);
    expect(namesIn(fitShape(named(20, 160), [], { maxFields: 10, known: [] })).length).toBe(10);
  });

  test('down to ten levels of records below that of the line', () => {
    let shape = number();
    for (let level = 20; level > 0; level--) shape = record({ [`r${level}`]: shape });
    const [path = ''] = listPartial(fitShape(shape, [], budget));
    expect(path.split('.').at(-1)).toBe('r12');
  });
});

describe('statements are linear in the fields', () => {
  const doubtful = { ...emptyShape(), elements: number(), scalars: new Set(['VARCHAR'] as const) };
  const list = { ...emptyShape(), elements: number() };

  function lengthPerField(shape: Shape): number {
    const fields = planFields([], fitShape(shape, [], budget));
    const query = columnsQuery(fields, [], { name: 'edge_logs' });
    const checks = findingsQuery(fields, '');
    return (query.length + checks.length) / countPlans(fields);
  }

  const countPlans = (fields: ReturnType<typeof planFields>): number =>
    fields.reduce(
      (sum, { plan }) => sum + 1 + (plan.is === 'record' ? countPlans(plan.fields) : 0),
      0,
    );

  test.each([
    ['numbers', number()],
    ['lists', list],
    ['values that disagree', doubtful],
  ])('of a tree of %s', (_name, leaf) => {
    const small = lengthPerField(record({ m: tree(7, leaf) }));
    expect(lengthPerField(record({ m: tree(9, leaf) }))).toBeLessThan(small * 1.2);
  });

  /** Spellings of one name in letter case. */
  const spelled = (count: number, shape: (at: number) => Shape) =>
    record(
      Object.fromEntries(
        Array.from({ length: count }, (_, at) => {
          const letters = Array.from('abcdefghijkl', (letter, bit) =>
            (at >> bit) & 1 ? letter.toUpperCase() : letter,
          );
          return [letters.join(''), shape(at)];
        }),
      ),
    );

  test('of a name in thousands of spellings', () => {
    const few = lengthPerField(record({ m: spelled(2, () => number()) }));
    expect(lengthPerField(record({ m: spelled(4_000, () => number()) }))).toBeLessThan(few * 1.2);
  });

  test('of records in each other whose names have several spellings; lambdas are no deeper than these', () => {
    // DuckDB's work doubles with each lambda inside another one.
    const nested = (levels: number): Shape =>
      levels === 0
        ? number()
        : spelled(3, (at) => (at === 0 ? nested(levels - 1) : record({ x: number() })));
    const fields = planFields([], record({ m: nested(9) }));
    const statements = [columnsQuery(fields, [], { name: 'edge_logs' }), findingsQuery(fields, '')];
    expect(statements.map(lambdaDepth)).toEqual([10, 10]);
    expect(lengthPerField(record({ m: nested(9) }))).toBeLessThan(
      lengthPerField(record({ m: nested(3) })) * 1.3,
    );
  });

  test('of a wide record, however wide it is', () => {
    expect(lengthPerField(record({ m: wide(1900) }))).toBeLessThan(
      lengthPerField(record({ m: wide(190) })) * 1.2,
    );
    const fitted = fitShape(record({ m: wide(100_000) }), [], budget);
    expect(namesIn(fitted.fields?.get('m') ?? emptyShape()).length).toBe(1999);
  });

  test('and so is the cost of finding not-null witnesses', () => {
    const paths = (shape: Shape) => {
      const fields = planFields([], fitShape(shape, [], budget));
      return countedPaths(fields.map(schemaField));
    };
    expect(paths(record({ m: tree(5, number()) })).length).toBe(63);
    expect(paths(record({ m: tree(10, number()) })).length).toBeLessThan(63);
    expect(paths(record({ m: wide(1900) })).length).toBeLessThan(63);
    // Other columns than structs are no witnesses, and take no places.
    const columns = wide(1900).fields ?? new Map<string, Shape>();
    expect(paths({ ...record({}), fields: new Map([...columns, ['m', wide(20)]]) })).toEqual(
      paths(record({ m: wide(20) })),
    );
    expect(paths(wide(20))).toEqual([]);
  });
});

/** The number of lambdas in each other, by brackets: a lambda ends with the bracket of its call. */
function lambdaDepth(statement: string): number {
  const text = statement.replaceAll(/'(?:[^']|'')*'/g, '');
  const open: boolean[] = [];
  let deepest = 0;
  for (const [token] of text.matchAll(/[()]|\blambda\b/g)) {
    if (token === '(') open.push(false);
    else if (token === ')') open.pop();
    else open.splice(-1, 1, true);
    deepest = Math.max(deepest, open.filter(Boolean).length);
  }
  return deepest;
}
