import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readSuite, runCase } from '../support/cases.js';
import { acceptance, root } from '../support/paths.js';
import { type Service, startService } from '../support/start-service.js';

/** The cases of each suite that do not pass yet, by name. One that starts to pass must leave it. */
const pending = JSON.parse(
  readFileSync(join(root, 'test/acceptance/pending.json'), 'utf8'),
) as Readonly<Record<string, readonly string[]>>;

const suites = [
  { file: join(acceptance, 'cases/client.json'), folder: acceptance },
  { file: join(acceptance, 'cases/dialect.json'), folder: acceptance },
  { file: join(acceptance, 'cases/sandbox.json'), folder: acceptance },
  { file: join(acceptance, 'cases/lql.json'), folder: acceptance },
  { file: join(acceptance, 'cases/pii.json'), folder: acceptance },
  { file: join(root, 'test/acceptance/cases/own.json'), folder: root },
  { file: join(root, 'test/acceptance/cases/own-lql.json'), folder: acceptance },
  { file: join(root, 'test/acceptance/cases/own-pii.json'), folder: acceptance },
];

describe.each(suites.map(({ file, folder }) => ({ ...readSuite(file), folder })))(
  '$name',
  ({ name, folder, data, now, cases }) => {
    let service: Service;

    beforeAll(async () => {
      service = await startService(['--data', join(folder, data), '--now', now]);
    });
    afterAll(async () => {
      expect(await service.stop()).toBe(0);
    });

    const waiting = new Set(pending[name]);

    test('every pending case is a case, and listed once', () => {
      const ids = new Set(cases.map(({ id }) => id));
      expect([...waiting].filter((id) => !ids.has(id))).toEqual([]);
      expect(waiting.size).toBe(pending[name]?.length ?? 0);
      expect(ids.size).toBe(cases.length);
    });

    const titled = cases.map((one) => [`${one.area}: ${one.id}`, one] as const);

    test.each(titled.filter(([, { id }]) => !waiting.has(id)))('%s', async (_title, one) => {
      expect(await runCase(service.url, one)).toBeUndefined();
    });

    test.each(titled.filter(([, { id }]) => waiting.has(id)))(
      'pending: %s',
      async (_title, one) => {
        const difference = await runCase(service.url, one);
        expect(difference, `remove ${one.id} from pending`).toBeDefined();
      },
    );
  },
);
