import { expect, test } from 'vitest';
import { compileHere } from '../../src/compiler/compile-sandbox.js';
import { createCatalog } from '../../src/endpoint/catalog.js';
import type { Endpoint } from '../../src/endpoint/endpoint.js';
import { createScope, unbound } from '../../src/endpoint/scope.js';
import { createDescribeEndpoints } from '../../src/run/describe-endpoints.js';
import { createServing } from '../../src/run/serving.js';
import { createFakeEngine } from '../support/fake-engine.js';

function endpointOf(name: string): Endpoint {
  return {
    ...{ name, id: name, file: `${name}.sql`, sql: 'select 1', maxRows: 1 },
    caching: { ttlSeconds: 0, warmSeconds: 0 },
    ...{ sandbox: false, redactPii: false },
    parameters: [{ name: 'project', type: 'string', required: true }],
  };
}

/** Descriptions of the endpoints `b` and `a`; `described` lists those that were asked for. */
function open() {
  const described: string[] = [];
  const createCompiler = () =>
    ({
      describe: ({ name }: { readonly name: string }) => {
        described.push(name);
        return { columns: [], tables: [] };
      },
    }) as never;
  const compiler = createCompiler();
  const dataOf = (version: string, own = compiler) => ({
    ...{ compiler: own, compile: compileHere(own), sources: [], version },
    engine: createFakeEngine(() => []),
  });
  const serving = createServing(dataOf('1'));
  const catalog = createCatalog([endpointOf('b'), endpointOf('a')]);
  const describeEndpoints = createDescribeEndpoints({ catalog, serving });
  const serveRecords = () => serving.replace(dataOf('2'));
  const serveFields = () => serving.replace(dataOf('3', createCompiler()));
  return { describeEndpoints, described, catalog, serveRecords, serveFields };
}

const acme = createScope({ project: 'acme' });
const only = createScope({ endpoints: new Set(['b']) });

test('endpoints are described once for all scopes, and listed once for each', async () => {
  const { describeEndpoints, described } = open();
  for (const scope of [unbound, acme, only, unbound, acme, only]) await describeEndpoints(scope);
  expect(described).toEqual(['a', 'b']);
  expect(await describeEndpoints(acme)).toBe(
    await describeEndpoints(createScope({ project: 'acme' })),
  );
});

test('each scope has its own list', async () => {
  const { describeEndpoints } = open();
  const all = await describeEndpoints(unbound);
  expect(all.map(({ name }) => name)).toEqual(['a', 'b']);
  expect(all[0]?.parameters).toMatchObject([{ required: true }]);
  expect((await describeEndpoints(only)).map(({ name }) => name)).toEqual(['b']);
  const bound = { name: 'project', required: false, default: 'acme' };
  expect((await describeEndpoints(acme))[0]?.parameters).toMatchObject([bound]);
});

test('other fields are described anew, other records are not', async () => {
  const { describeEndpoints, described, serveRecords, serveFields } = open();
  const before = await describeEndpoints(unbound);
  await serveRecords();
  expect(await describeEndpoints(unbound)).toBe(before);
  await serveFields();
  expect(await describeEndpoints(unbound)).not.toBe(before);
  expect(described).toEqual(['a', 'b', 'a', 'b']);
});

test('other endpoint files are described anew', async () => {
  const { describeEndpoints, catalog } = open();
  await describeEndpoints(unbound);
  catalog.replace([endpointOf('c')]);
  expect((await describeEndpoints(unbound)).map(({ name }) => name)).toEqual(['c']);
});
