import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { withShapes } from '../../../src/logs/columns/declared-sources.js';
import { mappingsOf, readShippedShapes } from '../../support/declared-sources.js';
import { root } from '../../support/paths.js';
import { randomFrom } from '../../support/random.js';
import { createRefreshFixture } from '../../support/refresh-fixture.js';

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
