import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { latest } from '../../src/newest/kept-rows.js';
import type { EncodedRow } from '../../src/newest/project-rows.js';
import { createReadChunk } from '../../src/newest/read-chunk.js';
import type { SourceSchema } from '../../src/types/schema.js';
import { createFakeEngine } from '../support/fake-engine.js';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

const source: SourceSchema = {
  name: 'app_logs',
  columns: [
    { name: 'timestamp', type: { kind: 'TIMESTAMP' }, stored: true },
    { name: 'project', type: { kind: 'STRING' }, stored: true },
    { name: 'event_message', type: { kind: 'STRING' }, stored: true },
  ],
  projectPath: ['project'],
};

test('a row that is kept does not keep its whole chunk in memory', async () => {
  const message = 'a long text '.repeat(340);
  const engine = createFakeEngine(() =>
    Array.from({ length: 250 }, (_, index) =>
      JSON.stringify({ c0: 1, c1: index === 0 ? 'small' : 'large', c2: 1, c3: 'x', c4: message }),
    ),
  );
  const read = createReadChunk(source, source.name);
  const { signal } = new AbortController();
  const kept: EncodedRow[] = [];
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  for (let chunk = 0; chunk < 40; chunk += 1) {
    const { rows } = await read(engine, latest, signal);
    kept.push(...rows.filter(({ project }) => project === 'small'));
  }
  collectGarbage();
  expect(kept).toHaveLength(40);
  // The chunks have 40 MB together.
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(10_000_000);
});
