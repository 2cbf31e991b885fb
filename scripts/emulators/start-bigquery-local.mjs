import { createRequire } from 'node:module';
import { Server } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

// Starts bigquery-local: node start-bigquery-local.mjs NODE_MODULES PORT. Needs Node 24. Without the two extensions that DuckDB would
// download (spatial and crypto), and on the loopback interface alone: it would bind every interface.

const [modules = '', port] = process.argv.slice(2);
const from = createRequire(join(modules, 'bigquery-local/package.json'));

const { listen } = Server.prototype;
/** @param {unknown[]} given */
Server.prototype.listen = function (...given) {
  const isPort = typeof given[0] === 'number';
  const rest = given.slice(1).filter((one) => typeof one === 'function');
  return Reflect.apply(listen, this, isPort ? [given[0], '127.0.0.1', ...rest] : given);
};

const { DuckDBConnection } = from('@duckdb/node-api');
const { run } = DuckDBConnection.prototype;
/** @param {string} sql @param {unknown[]} more */
DuckDBConnection.prototype.run = async function (sql, ...more) {
  const isSkipped = /^\s*(INSTALL|LOAD) |^\s*CREATE OR REPLACE MACRO bq_st_/.test(sql);
  return isSkipped ? undefined : Reflect.apply(run, this, [sql, ...more]);
};

const main = pathToFileURL(join(modules, 'bigquery-local/dist/index.js')).href;
const { createServer } = await import(main);
const server = await createServer({ database: ':memory:' });
await server.listen(Number(port));
