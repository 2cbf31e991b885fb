import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { acceptanceGroups } from '../support/acceptance-groups.js';
import { readSuite, runCase } from '../support/cases.js';
import { sample } from '../support/nightly.js';
import { acceptance } from '../support/paths.js';
import { type Service, startService } from '../support/start-service.js';

const now = '2026-03-10T12:00:00Z';

describe.each(acceptanceGroups)('$data', ({ folder, data, files }) => {
  let service: Service;

  beforeAll(async () => {
    // On a busy machine a query could exceed the default time for compiling.
    const clock = ['--now', now, '--compile-timeout', '20s'];
    service = await startService(['--data', join(folder, data), ...clock]);
  });
  afterAll(async () => {
    expect(await service.stop()).toBe(0);
  });

  describe.each(files)('%s.json', (file) => {
    const suite = readSuite(join(acceptance, `cases/${file}.json`));

    test('names the logs and the instant of its service; no two cases have one id', () => {
      expect(suite).toMatchObject({ data, now });
      expect(new Set(suite.cases.map(({ id }) => id)).size).toBe(suite.cases.length);
    });

    // The other files say what the service promises; ours go on from there.
    const cases = file.startsWith('own') ? sample(suite.cases, 12) : suite.cases;
    test.each(cases.map((one) => [`${one.area}: ${one.id}`, one] as const))(
      '%s',
      async (_title, one) => {
        expect(await runCase(service.url, one)).toBeUndefined();
      },
    );
  });
});
