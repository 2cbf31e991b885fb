import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { beginsRecord } from '../../../src/logs/files/begins-record.js';
import { mappingsOf, readShippedShapes } from '../../support/declared-sources.js';

const shapes = mappingsOf(readShippedShapes());
const folder = mkdtempSync(join(tmpdir(), 'begins-'));
afterAll(() => rmSync(folder, { recursive: true }));

const before = 'Mar 10 12:00:00 web-1 python3[9]: Traceback\n';

test.each([
  ['syslog', '                      KeyError: 1\n', false],
  ['syslog', 'Mar 10 12:00:01 web-1 last message repeated 3 times\n', true],
  ['syslog', '-- Boot 0123456789abcdef --\n', false],
  ['combined', '  a line that may go on an error of gunicorn\n', false],
  ['alb', '  a line that is skipped\n', true],
  ['python-basic', 'KeyError: 1\n', false],
])('after a line of %s, %j is read on its own: %s', (shape, line, isOwn) => {
  const path = join(folder, 'app.log');
  writeFileSync(path, before + line);
  const mapping = shapes[shape];
  if (mapping === undefined) throw new Error('no shape');
  const file = { source: 'app', name: 'app.log', path, mapping, compression: 'none' as const };
  expect(beginsRecord({ format: 'lines', ...file }, before.length)).toBe(isOwn);
});
