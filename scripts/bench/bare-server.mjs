import { readFileSync } from 'node:fs';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';

// The least that a Hono server can do: the service's own answer, body and headers, as it was once,
// under the same path. node bare-server.mjs <file of the body> <file of the headers>

const bytes = readFileSync(process.argv[2] ?? '');
const app = new Hono();
/** @type {Record<string, string>} */
const headers = JSON.parse(readFileSync(process.argv[3] ?? '', 'utf8'));
app.get('/api/endpoints/query/:endpoint', (c) => c.body(bytes, 200, headers));
serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) =>
  console.log(`http://127.0.0.1:${port}`),
);
