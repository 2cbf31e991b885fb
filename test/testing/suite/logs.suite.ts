import { expect } from 'vitest';
import { test } from './logs.js';

const sql = 'select count(*) as n, min(event_message) as first from edge_logs';

test.for(Array.from({ length: 20 }, (_, n) => n))(
  'rows are those just written: %i',
  async (n, { logs }) => {
    const messages = Array.from({ length: n + 1 }, (_, place) => `${n}-${place}`);
    await logs.write(
      'edge_logs',
      messages.map((event_message) => ({
        timestamp: '2026-03-10T12:00:00Z',
        project: 'p',
        event_message,
      })),
    );
    const rows = await logs.query('logs.all', { project: 'p', sql });
    expect(rows).toEqual([{ n: n + 1, first: `${n}-0` }]);
  },
);
