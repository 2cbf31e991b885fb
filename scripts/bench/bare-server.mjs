import { readFileSync } from 'node:fs';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';

// The least that a Hono server can do: bytes that it has, under the service's own path and with its
// own headers. node bare-server.mjs <file of the bytes>

const bytes = readFileSync(process.argv[2] ?? '');
const app = new Hono();
const headers = {
  'content-type': 'application/json; charset=utf-8',
  'content-length': String(bytes.length),
};
app.get('/api/endpoints/query/:endpoint', (c) => c.body(bytes, 200, headers));
serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) =>
  console.log(`http://127.0.0.1:${port}`),
);
