import { expect, test } from 'vitest';
import { startService, token } from '../support/start-service.js';

test('an unbound token is told all projects that the logs have records of', async () => {
  const service = await startService(['--data', 'fixtures', '--now', '2026-03-10T12:00:00Z']);
  const headers = { 'x-api-key': token };
  const response = await fetch(`${service.url}/api/projects`, { headers });
  expect(response.status).toBe(200);
  expect(await response.json()).toEqual({ projects: ['bluefin', 'larkspur', 'quarry'] });
  await service.stop();
});
