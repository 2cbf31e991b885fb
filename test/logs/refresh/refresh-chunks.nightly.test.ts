import { appendFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { tinyPartRecords } from '../../../src/logs/refresh/drop-parts.js';
import { fileReports } from '../../../src/logs/store/manifest.js';
import { randomFrom } from '../../support/random.js';
import { createRefreshFixture, lines } from '../../support/refresh-fixture.js';

/** Good and bad lines; `$` is replaced with a new number each time. */
const kinds = [
  '{"id":"r$","timestamp":1770000000,"event_message":"m é€😀"}',
  '{"id":"r$","timestamp":1770000000,"event_message":"m"}',
  '{"timestamp":1770000001,"event_message":"no id $"}',
  '  {"timestamp":"2026-01-01T00:00:00Z","id":"s$","event_message":"{[\\"\\\\"}  ',
  '{"id":"two$","timestamp":1770000000}{"id":"three$","timestamp":1770000000}',
  '{"id":"n$","timestamp":1770000000,"n":NaN}',
  '{"id":"r$","timestamp":1770000000,"x":{"a":1}},',
  '\ufeff{"id":"x$","timestamp":1}',
  '{"id":"bad time","timestamp":"x"}',
  ...['', '  ', '\r', '\u0000', 'not json', '{"id":', '{}', '[1]', ']', ',', 'null', '"x"'],
];

const names = ['a.ndjson', 'a.ndjson', 'b.ndjson', 'c.json'].map((name) => `edge_logs/${name}`);

test.each([1, 6])(
  'lines written in any pieces are loaded as if written at once (%i)',
  async (seed) => {
    const random = randomFrom(seed);
    const pick = <T>(of: readonly T[]): T => of[random() % of.length] as T;
    const [first, newline] = [pick(['', '\ufeff']), pick(['\n', '\r\n'])];
    const fixture = createRefreshFixture({
      'edge_logs/a.ndjson': first + lines(0, tinyPartRecords + 5),
      'edge_logs/b.ndjson': first,
      'edge_logs/c.json': pick(['', '[', '\n\n', first]),
    });
    let [name, pending, id] = [pick(names), Buffer.alloc(0), 10_000];
    const oneLine = () => pick(kinds).replaceAll('$', () => `${id++}`);
    const history: unknown[] = [];
    for (let round = 0; round < 9; round += 1) {
      if (pending.length === 0) {
        name = pick(names);
        const text = Array.from({ length: 1 + (random() % 4) }, oneLine);
        pending = Buffer.from(text.join(newline) + pick([newline, '']));
      }
      const piece = pending.subarray(0, 1 + (random() % pending.length));
      pending = pending.subarray(piece.length);
      appendFileSync(fixture.path(name), piece);
      const awaitsLines = random() % 3 > 0;
      history.push([name, piece.toString('latin1'), awaitsLines]);
      await fixture.refresh({ awaitsLines });
      const reloaded = await fixture.reload({ awaitsLines });
      expect([history, await fixture.rowsOf()]).toEqual([history, await fixture.rowsOf(reloaded)]);
      expect([history, fileReports(fixture.manifest())]).toEqual([history, fileReports(reloaded)]);
    }
    fixture.remove();
  },
);
