import { appendFileSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { withShapes } from '../../../src/logs/columns/declared-sources.js';
import { fileReports } from '../../../src/logs/store/manifest.js';
import { mappingsOf, readShippedShapes } from '../../support/declared-sources.js';
import { root } from '../../support/paths.js';
import { randomFrom } from '../../support/random.js';
import { createRefreshFixture, line, lines } from '../../support/refresh-fixture.js';

const typed = readShippedShapes();
const samples = join(root, 'test/logs/shapes/samples');

let fixture: ReturnType<typeof createRefreshFixture>;
afterEach(() => fixture.remove());

/** Records of several lines, of one line, lines that belong to the record before, and rows below a header. */
test.each([
  ['spring-boot/spring.log', 'spring-boot'],
  ['postgres-stderr/postgresql-2026-03-10_120000.log', 'postgres'],
  ['python-logging/worker.log', 'text'],
  ['mysql-slow/mysql-slow.log', 'mysql-slow'],
  ['nginx-combined/access.log', 'combined'],
  ['django-runserver/runserver.log', 'django-runserver'],
  ['csv-header/payments.csv', 'csv'],
  ['logfmt/ingester.log', 'logfmt'],
  ['../others/docker-json.log', 'docker'],
  [
    'k8s-cri/web-7d9f8b6c5-x2x4z_shop_web-0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef.log',
    'cri',
  ],
])(
  '%s that grows anywhere has the records of the whole file',
  async (file, shape) => {
    const shapes = mappingsOf(readShippedShapes({ makesLevel: true }));
    const declared = withShapes({ sources: [], shapes, typed }, [{ source: 'app', shape }]);
    const bytes = readFileSync(join(samples, file));
    const random = randomFrom(7);
    fixture = createRefreshFixture();
    const path = fixture.path('app.log');
    writeFileSync(path, '');
    for (let at = 0; at < bytes.length; ) {
      const to = at + 1 + (random() % 400);
      appendFileSync(path, bytes.subarray(at, to));
      at = to;
      await fixture.refresh({ declared });
    }
    appendFileSync(path, '\n');
    await fixture.refresh({ declared });
    const whole = await fixture.reload({ declared });
    expect(await fixture.rowsOf()).toEqual(await fixture.rowsOf(whole));
    expect((await fixture.rowsOf()).length).toBeGreaterThan(0);
  },
  60_000,
);

test.each([
  ['cri', '2026-03-10T12:00:00Z stdout P half', '2026-03-10T12:00:01Z stdout F  and half'],
  [
    'docker',
    '{"log":"half","stream":"stdout","time":"2026-03-10T12:00:00Z"}',
    '{"log":" and half\\n","stream":"stdout","time":"2026-03-10T12:00:01Z"}',
  ],
])('only a part of a record of %s costs reading the file again', async (shape, part, last) => {
  const shapes = mappingsOf(readShippedShapes({ makesLevel: true }));
  const declared = withShapes({ sources: [], shapes, typed }, [{ source: 'app', shape }]);
  fixture = createRefreshFixture();
  const path = fixture.path('app.log');
  const append = async (...lines: readonly string[]) => {
    appendFileSync(path, `${lines.join('\n')}\n`);
    return (await fixture.refresh({ declared })).loads;
  };
  const many = Array.from({ length: 4_000 }, () => last);
  writeFileSync(path, '');
  await append(...many);
  const { size } = statSync(path);
  expect(await append(last, part)).toEqual([`app.log from ${size}`]);
  expect(await append(last)).toEqual(['app.log']);
  expect(await fixture.rowsOf()).toHaveLength(4_002);
});

test('a fault after lines with several records has its line, also when the file has grown', async () => {
  const shapes = mappingsOf(readShippedShapes({ makesLevel: true }));
  const declared = withShapes({ sources: [], shapes, typed }, [
    { source: 'app', shape: 'cloudtrail' },
  ]);
  const records = Array.from({ length: 40 }, (_, n) => ({ eventTime: 1_773_144_000 + n }));
  const trail = `${JSON.stringify({ Records: records })}\n`;
  fixture = createRefreshFixture();
  const path = fixture.path('app.ndjson');
  writeFileSync(path, trail.repeat(100));
  await fixture.refresh({ declared });
  appendFileSync(path, `no\n${trail}`);
  await fixture.refresh({ declared });
  appendFileSync(path, `${trail}no\n`);
  await fixture.refresh({ declared });
  const faults = [101, 104].map((line) => ({ line, message: 'not a JSON object' }));
  expect(fileReports(fixture.manifest())).toMatchObject([{ records: 4_080, badLines: 2, faults }]);
});

test('zeros before appended lines, as a lost power supply leaves, cost no line', async () => {
  const edge = 'edge_logs/a.ndjson';
  fixture = createRefreshFixture({ [edge]: lines(0, 4_000) });
  await fixture.refresh();
  appendFileSync(
    fixture.path(edge),
    Buffer.concat([Buffer.alloc(5_000), Buffer.from(line(4_001))]),
  );
  expect((await fixture.refresh()).loads).toHaveLength(1);
  expect(fileReports(fixture.manifest())).toMatchObject([{ records: 4_001, badLines: 0 }]);
  expect(await fixture.rowsOf()).toHaveLength(4_001);
});
