import { describe, expect, test } from 'vitest';
import { planChanges } from '../../../src/logs/refresh/plan-changes.js';
import { emptyManifest, fileReports, type Manifest } from '../../../src/logs/store/manifest.js';
import { manifest, parse, part, plan } from '../../support/plan.js';

const many = 50_000;
const one = manifest('edge/a:1:100', part(many, 'edge/a:0-100'));
const two = manifest('edge/a:1:100 edge/b:2:50', part(many, 'edge/a:0-100', 'edge/b:0-50'));
const grown = manifest(
  'edge/a:1:200',
  part(many, 'edge/a:0-100'),
  part(many, 'edge/a:100-150'),
  part(20, 'edge/a:150-200'),
);

describe('nothing is loaded', () => {
  test.each([
    ['if nothing changed', one, 'edge/a:1:100', [['edge/a-100'], [], ['edge/a']]],
    [
      'of a small part that did not change',
      grown,
      'edge/a:1:200',
      [['edge/a-100', 'edge/a-150', 'edge/a-200'], [], ['edge/a']],
    ],
    [
      'for a copy of the folder, with other inodes',
      two,
      'edge/a:8:100 edge/b:9:50',
      [['edge/a-100 edge/b-50'], [], ['edge/a', 'edge/b']],
    ],
    [
      'for a renamed file, whose name is updated',
      one,
      'edge/x:1:100',
      [['edge/x-100'], [], ['edge/x']],
    ],
    [
      'for two files with exchanged names, which are updated',
      two,
      'edge/b:1:100 edge/a:2:50',
      [['edge/b-100 edge/a-50'], [], ['edge/b', 'edge/a']],
    ],
  ] as const)('%s', (_what, before, now, [kept, load, same]) => {
    expect(plan(before, now)).toEqual({ kept, load, same });
  });
});

describe('what is loaded', () => {
  test.each([
    [
      'everything, initially',
      emptyManifest,
      'edge/a:1:100 db/c:2:50',
      [],
      ['edge/a from 0', 'db/c from 0'],
    ],
    ['the end of a file that has grown', one, 'edge/a:1:130!', ['edge/a-100'], ['edge/a from 100']],
    [
      'little beside a part that is not tiny',
      manifest('edge/a:1:400000', part(2_000, 'edge/a:0-400000')),
      'edge/a:1:400100!',
      ['edge/a-400000'],
      ['edge/a from 400000'],
    ],
    [
      'much beside such a part, with a tiny one',
      manifest('edge/a:1:410000', part(2_000, 'edge/a:0-400000'), part(50, 'edge/a:400000-410000')),
      'edge/a:1:600000!',
      ['edge/a-400000'],
      ['edge/a from 400000'],
    ],
    [
      'a small part with it',
      grown,
      'edge/a:1:230!',
      ['edge/a-100', 'edge/a-150'],
      ['edge/a from 150'],
    ],
    [
      'not a part with few but long records',
      manifest('edge/a:1:9000000', part(many, 'edge/a:0-100'), part(2, 'edge/a:100-9000000')),
      'edge/a:1:9000030!',
      ['edge/a-100', 'edge/a-9000000'],
      ['edge/a from 9000000'],
    ],
    [
      'with a small part, what it has of other files',
      manifest('edge/a:1:100 edge/b:2:50', part(many, 'edge/a:0-100'), part(5, 'edge/b:0-50')),
      'edge/a:1:130! edge/b:2:50',
      ['edge/a-100'],
      ['edge/a from 100', 'edge/b from 0'],
    ],
    ['a new file', one, 'edge/a:1:100 edge/b:2:50', ['edge/a-100'], ['edge/b from 0']],
    [
      'a new file beside a small part of another source',
      manifest('edge/a:1:100 db/c:3:10', part(many, 'edge/a:0-100'), part(5, 'db/c:0-10')),
      'edge/a:1:100 edge/b:2:50 db/c:3:10',
      ['edge/a-100', 'db/c-10'],
      ['edge/b from 0'],
    ],
    ['a file that was changed', one, 'edge/a:1:100!?', [], ['edge/a from 0']],
    ['a file with a change in the middle only', one, 'edge/a:1:100!', [], ['edge/a from 0']],
    ['a truncated file', one, 'edge/a:1:60!', [], ['edge/a from 0']],
    ['a file that was replaced', one, 'edge/a:7:130!?', [], ['edge/a from 0']],
    [
      'a file that was replaced by one with the same beginning',
      one,
      'edge/a:7:130!',
      [],
      ['edge/a from 0'],
    ],
    [
      'a longer Parquet file',
      manifest('edge/parquet:1:100', part(many, 'edge/parquet:0-100')),
      'edge/parquet:1:130!',
      [],
      ['edge/parquet from 0'],
    ],
    ['the other files of a part with a removed file', two, 'edge/b:2:50', [], ['edge/b from 0']],
    [
      'nothing from other parts than that of the removed file',
      manifest('edge/a:1:100 edge/b:2:50', part(many, 'edge/a:0-100'), part(many, 'edge/b:0-50')),
      'edge/b:2:50',
      ['edge/b-50'],
      [],
    ],
    [
      'the end of a file whose last part is dropped',
      manifest(
        'edge/a:1:200 edge/b:2:50',
        part(many, 'edge/a:0-100'),
        part(many, 'edge/a:100-200', 'edge/b:0-50'),
      ),
      'edge/a:1:200',
      ['edge/a-100'],
      ['edge/a from 100'],
    ],
    [
      'everything after a dropped slice',
      manifest(
        'edge/a:1:200 edge/b:2:50 edge/c:3:90 edge/d:4:10',
        part(many, 'edge/a:100-200', 'edge/c:30-60'),
        part(many, 'edge/c:60-90', 'edge/d:0-10'),
        part(many, 'edge/a:0-100', 'edge/b:0-50'),
        part(many, 'edge/c:0-30'),
      ),
      'edge/a:1:200 edge/c:3:90 edge/d:4:10',
      ['edge/c-30'],
      ['edge/a from 0', 'edge/c from 30', 'edge/d from 0'],
    ],
    [
      'a small part with it',
      manifest(
        'edge/a:1:200 edge/b:2:50 edge/c:3:90',
        part(many, 'edge/a:0-200', 'edge/b:0-50'),
        part(many, 'edge/c:0-60'),
        part(20, 'edge/c:60-90'),
      ),
      'edge/a:1:200 edge/c:3:90',
      ['edge/c-60'],
      ['edge/a from 0', 'edge/c from 60'],
    ],
    [
      'nothing of the small part if the others are dropped',
      manifest(
        'edge/b:2:50 edge/c:3:90',
        part(many, 'edge/b:0-50'),
        part(many, 'edge/c:0-60'),
        part(20, 'edge/c:60-90'),
      ),
      'edge/c:3:90',
      ['edge/c-60', 'edge/c-90'],
      [],
    ],
    [
      'a rotated log and its successor',
      one,
      'edge/a:2:30 edge/a.1:1:120!',
      ['edge/a.1-100'],
      ['edge/a from 0', 'edge/a.1 from 100'],
    ],
    [
      'a log that was copied and truncated',
      one,
      'edge/a:1:30! edge/a.1:2:100',
      [],
      ['edge/a from 0', 'edge/a.1 from 0'],
    ],
    [
      'the second of two names of a file',
      one,
      'edge/a:1:100 edge/b:1:100',
      ['edge/a-100'],
      ['edge/b from 0'],
    ],
  ] as const)('%s', (_what, before, now, kept, load) => {
    const planned = plan(before as Manifest, now);
    expect(planned.load).toEqual(load);
    expect(planned.kept).toEqual(kept);
  });
});

test('nothing stays if the folder is empty', () => {
  expect(plan(two, '')).toEqual({ kept: [], load: [], same: [] });
});

test('faults have the current name of the file', () => {
  const report = {
    source: 'edge',
    file: 'edge/a.ndjson',
    records: 1,
    badLines: 1,
    badFields: 0,
    readable: true,
  };
  const [before] = one.parts;
  const [slice] = before?.slices ?? [];
  const faults = [{ file: 'edge/a.ndjson', line: 3, message: 'not JSON' }];
  const faulty = {
    ...one,
    parts: one.parts.map((each) => ({
      ...each,
      slices: [{ ...(slice ?? never()), report: { ...report, faults } }],
    })),
  };
  const { kept } = planChanges(faulty, [parse('edge/x:1:100')], () => true);
  expect(kept[0]?.slices[0]?.report).toMatchObject({
    file: 'edge/x.ndjson',
    faults: [{ file: 'edge/x.ndjson', line: 3 }],
  });
});

function never(): never {
  throw new Error('no slice');
}

describe('beside a file that cannot be read', () => {
  const before = manifest(
    'edge/a:1:100 edge/b:2:50 edge/c:3:20',
    part(many, 'edge/a:0-100', 'edge/b:0-50'),
    part(5, 'edge/c:0-20'),
  );
  const found = [{ ...parse('edge/a:1:100'), fault: 'ELOOP' }, parse('edge/c:3:20')];

  test('a small part stays when a file is gone, now and next time', () => {
    const first = planChanges(before, found, () => true);
    expect([first.load, first.kept.length, first.same.length]).toEqual([[], 2, 2]);
    const next = { ...before, files: first.same, parts: first.kept };
    expect(planChanges(next, found, () => true)).toEqual(first);
  });

  test('the records of a file that is gone are counted', () => {
    const { kept, same } = planChanges(before, found, () => true);
    const reports = fileReports({ ...before, files: same, parts: kept });
    expect(reports.map(({ file, records }) => [file, records]).sort()).toEqual([
      ['edge/a.ndjson', 1],
      ['edge/b.ndjson', 1],
      ['edge/c.ndjson', 1],
    ]);
  });

  test('a part whose only missing file is gone stays no longer than needed', () => {
    const two = manifest(
      'edge/a:1:100 edge/b:2:50 edge/d:4:100 edge/e:5:60',
      part(many, 'edge/a:0-100', 'edge/b:0-50'),
      part(many, 'edge/d:0-100', 'edge/e:0-60'),
    );
    const [a, d] = [parse('edge/a:1:100'), parse('edge/d:4:100')];
    const broken = [a, d].map((each) => ({ ...each, fault: 'EACCES' }));
    const { kept, same } = planChanges(two, broken, () => true);
    const after = planChanges(
      { ...two, files: same, parts: kept },
      [a, ...broken.slice(1)],
      () => true,
    );
    expect(after.kept.map(({ database }) => database)).toEqual(
      two.parts.slice(1).map((each) => each.database),
    );
    expect(after.load).toMatchObject([{ file: a.file, from: { bytes: 0 } }]);
  });
});

test('the time to compare replaced files is not quadratic', () => {
  const names = Array.from({ length: 20_000 }, (_, index) => `edge/f${index}`);
  const before = manifest('edge/a:1:10', part(many, ...names.map((name) => `${name}:0-10`)));
  const loaded = names.map((name, index) => {
    const { files } = manifest(`${name}:${index + 1}:10`);
    return files[0] ?? never();
  });
  const found = names.map((name, index) => parse(`${name}:${index + 30_001}:20!`));
  const { load } = planChanges({ ...before, files: loaded }, found, () => false);
  expect(load).toHaveLength(found.length);
});
