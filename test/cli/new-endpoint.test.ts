import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { newEndpoint } from '../../src/cli/new-endpoint.js';
import { createCompiler } from '../../src/compiler/compile.js';
import { readCommand } from '../../src/config/config.js';
import { readEndpoints } from '../../src/endpoint/catalog.js';
import { openSources } from '../../src/start/source-files.js';

let root = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'new-endpoint-'));
});
afterEach(() => rmSync(root, { recursive: true }));

function create(name: string): string {
  const command = readCommand(['new', name, '--endpoints', join(root, 'own')], {});
  if (command.verb !== 'new') throw new Error('not the verb');
  return newEndpoint(command.settings, command.argument);
}

test('a new endpoint compiles', () => {
  const file = join(root, 'own', 'requests.by-hour.sql');
  expect(create('requests.by-hour')).toContain(
    `${file}\nrun it: log-endpoints query requests.by-hour`,
  );
  const { endpoints, faults } = readEndpoints(
    [join(root, 'own')],
    createCompiler(openSources().declared),
  );
  expect(faults).toEqual([]);
  expect(endpoints.map(({ name }) => name)).toEqual(['requests.by-hour']);
});

test('an existing file stays', () => {
  create('one');
  const before = readFileSync(join(root, 'own/one.sql'), 'utf8');
  expect(() => create('one')).toThrow(
    expect.objectContaining({ lines: [expect.stringContaining(': the file, or one')] }),
  );
  expect(readFileSync(join(root, 'own/one.sql'), 'utf8')).toBe(before);
});

test.each(['a b', '../up', ''])('%j cannot be the name of an endpoint', (name) => {
  expect(() => create(name)).toThrow(
    expect.objectContaining({ lines: [expect.stringContaining('name must be 1 to 100')] }),
  );
  expect(existsSync(join(root, 'own'))).toBe(false);
});
