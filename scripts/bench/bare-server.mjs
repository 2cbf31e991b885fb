import { readFileSync } from 'node:fs';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';

// The baseline for throughput: a Hono server that returns a recorded response of the service, body and
// headers, under the same path. node bare-server.mjs <body file> <headers file>

const body = readFileSync(process.argv[2] ?? '');
const app = new Hono();
/** @type {Record<string, string>} */
const headers = JSON.parse(readFileSync(process.argv[3] ?? '', 'utf8'));
app.get('/api/endpoints/query/:endpoint', (c) => c.body(body, 200, headers));
serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) =>
  console.log(`http://127.0.0.1:${port}`),
);
