import { expect, test } from 'vitest';
import { createCompiler } from '../../src/compiler/compile.js';
import { compileHere } from '../../src/compiler/compile-sandbox.js';
import { createCatalog } from '../../src/endpoint/catalog.js';
import type { Endpoint } from '../../src/endpoint/endpoint.js';
import { createScope } from '../../src/endpoint/scope.js';
import type { Statement } from '../../src/engine/engine.js';
import { ServiceError } from '../../src/errors/errors.js';
import { createExplainEmpty } from '../../src/run/explain-empty.js';
import type { RunRequest } from '../../src/run/run-request.js';
import { scalar } from '../../src/types/types.js';
import { createFakeEngine } from '../support/fake-engine.js';
import { requestOf } from '../support/request-of.js';

const endpoint: Endpoint = {
  name: 'logs',
  id: '11111111-2222-4333-8444-555555555555',
  maxRows: 10,
  caching: { ttlSeconds: 0, warmSeconds: 0 },
  sandbox: true,
  redactPii: false,
  parameters: [
    { name: 'project', type: 'string', required: true },
    { name: 'since', type: 'timestamp', required: false },
  ],
  sql: 'select 1',
  file: 'logs.sql',
};
const other: Endpoint = {
  ...endpoint,
  name: 'other',
  parameters: [{ name: 'sinc', type: 'string', required: false }],
};

const sources = ['edge_logs', 'db_logs'].map((name) => ({
  name,
  projectPath: ['project'],
  columns: [{ name: 'project', type: scalar('STRING'), stored: true }],
}));

/** Explains over an engine that knows these projects, one set for each version of the logs. */
function explainer(states: Readonly<Record<string, readonly string[] | ServiceError>>) {
  const asked: Statement[] = [];
  const explain = createExplainEmpty(createCatalog([endpoint, other]));
  const ask = (
    given: Readonly<Record<string, string>>,
    { version = 'first', ...more }: Partial<RunRequest> & { readonly version?: string } = {},
  ) => {
    const engine = createFakeEngine((statement) => {
      asked.push(statement);
      const state = states[version] ?? [];
      if (state instanceof ServiceError) return state;
      return state.map((project) => JSON.stringify({ project }));
    });
    const compiler = createCompiler(sources);
    const data = { compiler, compile: compileHere(compiler), engine, sources, version };
    return explain(data, endpoint, requestOf(given, { endpoint: endpoint.name, ...more }));
  };
  return { ask, asked };
}

test('an unknown project: how many are known, and never their names', async () => {
  const { ask, asked } = explainer({ first: ['acme', 'blue'], second: ['acme', 'new'] });
  const note = 'no log has a record of this project; 2 projects are known';
  expect(await ask({ project: 'acne' })).toBe(note);
  expect(await ask({ project: 'acme' })).toBeUndefined();
  expect(await ask({ project: 'new' })).toBe(note);
  expect(asked).toHaveLength(1);
  expect(await ask({ project: 'acme' }, { version: 'second' })).toBeUndefined();
  expect(asked).toHaveLength(1);
  expect(await ask({ project: 'new' }, { version: 'second' })).toBeUndefined();
  expect(asked).toHaveLength(2);
});

test('a token that is bound to a project does not learn how many others there are', async () => {
  const { ask } = explainer({ first: ['acme', 'blue'] });
  const scope = createScope({ project: 'mine' });
  expect(await ask({}, { scope })).toBe('no log has a record of this project');
  expect(await ask({}, { scope: createScope({ project: 'acme' }) })).toBeUndefined();
});

test('projects that cannot be read are no reason', async () => {
  const busy = new ServiceError('backendBusy', 'busy');
  const { ask } = explainer({ first: busy });
  expect(await ask({ project: 'acne' })).toBeUndefined();
});

test.each([
  [{ sinec: '1' }, 'parameter sinec is ignored; did you mean since?'],
  [{ Since: '1' }, 'parameter Since is ignored; did you mean since?'],
  [{ sqll: '1' }, 'parameter sqll is ignored; did you mean sql?'],
  [{ 'sin\nc€': '1' }, undefined],
  [{ 'since\n': '1' }, 'parameter since? is ignored; did you mean since?'],
  [{ until: '1' }, undefined],
  [{ sql: '1' }, undefined],
])('%j', async (given, note) => {
  const { ask } = explainer({ first: ['acme'] });
  expect(await ask({ project: 'acme', ...given })).toBe(note);
});

test('a name that another endpoint declares is not a mistake, unless that one is out of scope', async () => {
  const { ask } = explainer({ first: ['acme'] });
  expect(await ask({ project: 'acme', sinc: '1' })).toBeUndefined();
  const scope = createScope({ endpoints: new Set(['logs']) });
  expect(await ask({ project: 'acme', sinc: '1' }, { scope })).toContain('did you mean since?');
});
