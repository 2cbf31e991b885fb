import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import pg from 'pg';
import { queries } from './queries.mjs';

// The peer of the service: a bare Hono handler that runs a query of the benchmark in PostgreSQL, prepared, and sends the
// rows as they are. node postgres-server.mjs <socket folder>

const client = new pg.Client({
  host: process.argv[2],
  user: 'bench',
  database: 'postgres',
  // Texts of JSON stay texts.
  types: { getTypeParser: () => String },
});
await client.connect();

const app = new Hono();
app.get('/query/:index', async (c) => {
  const name = c.req.param('index');
  const text = queries[Number(name)]?.postgres ?? '';
  const { rows } = await client.query({ name, text, rowMode: 'array' });
  const headers = { 'content-type': 'application/json', 'x-result-rows': String(rows.length) };
  return c.body(`{"result":[${rows.join(',')}]}`, 200, headers);
});
serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) =>
  console.log(`http://127.0.0.1:${port}`),
);
