import { expect, test } from 'vitest';
import { createProgressView, type ProgressFacts } from '../../src/start/show-progress.js';

const part = { files: 1, filesTotal: 4, rows: 1000, bytes: 25e6, bytesTotal: 100e6 };

test('updates one line on a terminal, and clears it at the end', () => {
  let time = 0;
  let written = '';
  const terminal = (text: string) => {
    written += text;
  };
  const log = () => expect.unreachable();
  const view = createProgressView({ terminal, log, now: () => time });
  time = 2000;
  view.show({ ...part, bytes: 1 });
  time = 10_000;
  view.show(part);
  view.end();
  expect(written.split('\r\u001b[K')).toEqual([
    '',
    'loading: 1 of 4 files, 1000 records, 0 %, 0 MB/s',
    'loading: 1 of 4 files, 1000 records, 25 %, 3 MB/s, 30 s left',
    '',
  ]);
});

test('logs every two seconds, nothing for a short load', () => {
  let time = 0;
  const logged: ProgressFacts[] = [];
  const log = (facts: ProgressFacts) => void logged.push(facts);
  const view = createProgressView({ terminal: undefined, log, now: () => time });
  for (time = 0; time < 6_000; time += 1000) view.show(part);
  view.end();
  expect(logged).toEqual([
    { ...part, bytesPerSecond: 12.5e6, secondsLeft: 6 },
    { ...part, bytesPerSecond: 6.25e6, secondsLeft: 12 },
  ]);
});
