import { utimesSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { withShapes } from '../../../src/logs/columns/declared-sources.js';
import { mappingsOf, readShippedShapes } from '../../support/declared-sources.js';
import { loadFolder, makeFolder } from '../../support/load-logs.js';
import { openLoadScratch } from '../../support/scratch-database.js';

const { connection, close } = await openLoadScratch();
afterAll(close);

const { pino } = mappingsOf(readShippedShapes());
if (pino === undefined) throw new Error('no shape');
const shapes = { pino: { ...pino, timezone: 'Asia/Tokyo' } };
const declared = withShapes({ sources: [], shapes }, [{ source: 'app', shape: 'pino' }]);

async function load(record: string) {
  const folder = makeFolder({});
  const path = join(folder, 'app.parquet');
  await connection.run(`copy (select r.* from (select ${record} as r)) to '${path}'`);
  utimesSync(path, 1_773_144_000, 1_773_144_000);
  return loadFolder(folder, { declared });
}

test('a time of Parquet without a zone is UTC, whatever the zone of times in text is', async () => {
  const report = await load("{'time': timestamp '2026-03-10 11:00:00', msg: 'a', level: 30}");
  const rows = await report.rows('app', 'epoch(timestamp)::bigint as s');
  expect(rows).toEqual([{ s: '1773140400' }]);
});

test('records of Parquet without times have that of the file', async () => {
  const report = await load("{msg: 'a', level: 30}");
  expect(await report.rows('app', 'epoch(timestamp)::bigint as s')).toEqual([{ s: '1773144000' }]);
  expect(report.files).toMatchObject([{ takesFileTime: true }]);
});
