import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ServiceError } from '../../src/errors/errors.js';
import { decodeBlock } from '../../src/newest/block.js';
import { earliest, type WrittenRows } from '../../src/newest/kept-rows.js';
import { openRows } from '../../src/newest/rows-file.js';
import { writeRows } from '../../src/newest/write-rows.js';
import { createFakeEngine } from '../support/fake-engine.js';
import { randomFrom } from '../support/random.js';
import { engineOver, type FakeRow, source } from './fake-part.js';
import { textAt } from './written.js';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rows-test-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const never = new AbortController().signal;

function jobIn(maxBytes = 1e9) {
  const path = join(folder, 'a.rows');
  return { source, view: source.name, path, building: `${path}.new`, maxBytes };
}

async function write(rows: readonly FakeRow[], maxBytes?: number): Promise<readonly WrittenRows[]> {
  const written: WrittenRows[] = [];
  const watch = { onWritten: (each: WrittenRows) => void written.push(each), signal: never };
  await writeRows(engineOver(rows), jobIn(maxBytes), watch);
  return written;
}

/** Every row of the file, by project, in the order of the file. */
async function readAll() {
  const reader = openRows(jobIn().path);
  const index = await reader.index();
  const rows = (index?.blocks ?? []).flatMap((stored) => {
    const block = decodeBlock(stored, reader.read(stored));
    const messageOf = block.column(2);
    return [...block.times].map((time, row) => {
      const message = JSON.parse(textAt(messageOf, row));
      return { time: Number(time), project: stored.project, message };
    });
  });
  reader.close();
  return { rows, completeAfter: index?.completeAfter, blocks: index?.blocks.length ?? 0 };
}

function byProject(rows: readonly FakeRow[]) {
  const projects = [...new Set(rows.map(({ project }) => project))].sort();
  return projects.map((project) => rows.filter((row) => row.project === project));
}

describe('a file', () => {
  test('has every row, newest first', async () => {
    const next = randomFrom(3);
    const rows = Array.from({ length: 20_000 }, (_, time) => {
      const message = `"${next()}"\n${'ö'.repeat(next() % 40)}\\`;
      return {
        time: Math.floor(time / 3),
        project: next() % 9 === 0 ? null : `p${next() % 5}`,
        message,
      };
    });
    const written = await write(rows);
    const read = await readAll();
    expect(read.completeAfter).toBe(earliest);
    expect(byProject(read.rows)).toEqual(byProject(rows.toReversed()));
    expect(written.flatMap(({ blocks }) => blocks)).toHaveLength(read.blocks);
    expect(written.length).toBeGreaterThan(2);
    expect(readdirSync(folder)).toEqual(['a.rows']);
  });

  test('ends at its size, and says how far it goes', async () => {
    const next = randomFrom(4);
    const rows = Array.from({ length: 30_000 }, (_, time) => ({
      ...{ time, project: `p${next() % 3}` },
      message: String(next()),
    }));
    await write(rows, 50_000);
    const { rows: kept, completeAfter } = await readAll();
    const newer = rows.filter(({ time }) => time > Number(completeAfter));
    expect(newer.length).toBeGreaterThan(1_000);
    expect(newer.length).toBeLessThan(20_000);
    const found = kept.filter(({ time }) => time > Number(completeAfter));
    expect(byProject(found)).toEqual(byProject(newer.toReversed()));
  });

  test('of rows that are not in order of time is refused', async () => {
    const rows = [2, 1].map((time) => ({ time, project: 'p' }));
    await expect(write(rows)).rejects.toThrow('not in order of time');
    expect(readdirSync(folder)).toEqual([]);
  });

  test('of large rows is read in smaller steps', async () => {
    const rows = Array.from({ length: 300 }, (_, time) => ({ time, project: 'p' }));
    const over = engineOver(rows);
    const steps: number[] = [];
    const engine = createFakeEngine(() => 'endless');
    const tight: typeof engine = {
      ...engine,
      run: (statement, options) => {
        const { p_start: start, p_end: end } = statement.values;
        steps.push(Number(end) - Number(start));
        if (Number(end) - Number(start) > 40) throw new ServiceError('resourcesExceeded', 'large');
        return over.run(statement, options);
      },
    };
    await writeRows(tight, jobIn(), { onWritten: () => {}, signal: never });
    expect((await readAll()).rows).toHaveLength(300);
    expect(Math.max(...steps.filter((step) => step <= 40))).toBeGreaterThan(1);
  });

  test('of large rows has small blocks', async () => {
    const message = 'x'.repeat(100_000);
    const rows = Array.from({ length: 20 }, (_, time) => ({ time, project: 'p', message }));
    await write(rows);
    expect((await readAll()).blocks).toBe(4);
  });

  test('that is stopped leaves nothing behind', async () => {
    const stopping = new AbortController();
    const rows = Array.from({ length: 9_000 }, (_, time) => ({ time, project: 'p' }));
    const onWritten = () => stopping.abort(new Error('enough'));
    const writing = writeRows(engineOver(rows), jobIn(), { onWritten, signal: stopping.signal });
    await expect(writing).rejects.toThrow('enough');
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('a damaged file', () => {
  const rows = Array.from({ length: 500 }, (_, time) => ({ time, project: `p${time % 2}` }));

  test.each([
    ['cut short', (bytes: Buffer) => bytes.subarray(0, bytes.length - 1)],
    ['empty', () => Buffer.of()],
    ['without its mark', (bytes: Buffer) => Buffer.concat([bytes, Buffer.alloc(16)])],
    [
      'with another index',
      (bytes: Buffer) => bytes.fill('0', bytes.length - 40, bytes.length - 30),
    ],
  ])('%s has no index', async (_, damage) => {
    await write(rows);
    const { path } = jobIn();
    writeFileSync(path, damage(readFileSync(path)));
    const reader = openRows(path);
    expect(await reader.index()).toBeUndefined();
    reader.close();
  });

  test('is found out when a block is read', async () => {
    await write(rows);
    const { path } = jobIn();
    writeFileSync(path, readFileSync(path).fill(0, 20, 30));
    await expect(readAll()).rejects.toThrow('a block is damaged');
  });
});
