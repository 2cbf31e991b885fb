import { expect, test } from 'vitest';
import { bindScope, scopeOf } from '../../src/endpoint/scope.js';

const scope = scopeOf({ project: 'acme' });
const declared = (name: string) => [{ name, type: 'string', required: true }] as const;

// Parameter names are case-insensitive in GoogleSQL, so an endpoint file may declare any of these.
test.each(['project', 'Project', 'PROJECT'])('a bound project binds @%s', (name) => {
  const bind = (given: readonly (readonly [string, string])[]) =>
    bindScope(declared(name), new Map(given), scope).get(name);
  expect(bind([])).toBe('acme');
  expect(bind([[name, '']])).toBe('acme');
  expect(bind([[name, 'acme']])).toBe('acme');
  expect(() => bind([[name, 'blue']])).toThrow(`another value of parameter ${name}`);
});

test('a bound project does not bind a parameter of another name', () => {
  const given = new Map([['project_ref', 'blue']]);
  expect(bindScope(declared('project_ref'), given, scope)).toBe(given);
});
