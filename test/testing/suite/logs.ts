import { start, type TestService } from 'log-endpoints/testing';
import { test as base } from 'vitest';

interface Fixtures {
  readonly service: TestService;
  readonly logs: TestService;
}

/** A test with `logs`, a service without records. Its start is paid once for each file of tests. */
export const test = base.extend<Fixtures>({
  service: [
    // biome-ignore lint/correctness/noEmptyPattern: Vitest reads the names of the fixtures that a fixture needs
    async ({}, use) => {
      const service = await start({ now: '2026-03-10T12:00:00Z' });
      await use(service);
      await service.close();
    },
    { scope: 'worker' },
  ],
  logs: async ({ service }, use) => {
    await service.reset();
    await use(service);
  },
});
