import { expect, test } from 'vitest';
import { bindScope, scopeOf } from '../../src/endpoint/scope.js';

const scope = scopeOf({ project: 'acme' });
const declared = (name: string) => [{ name, type: 'string', required: true }] as const;

// GoogleSQL does not tell @Project from @project: an endpoint file may declare either.
test.each(['project', 'Project', 'PROJECT'])('a bound project binds @%s', (name) => {
  const bind = (given: readonly (readonly [string, string])[]) =>
    bindScope(declared(name), new Map(given), scope).get(name);
  expect(bind([])).toBe('acme');
  expect(bind([[name, '']])).toBe('acme');
  expect(bind([[name, 'acme']])).toBe('acme');
  expect(() => bind([[name, 'blue']])).toThrow(`another value of parameter ${name}`);
});

test('a bound project is none of a parameter of another name', () => {
  const given = new Map([['project_ref', 'blue']]);
  expect(bindScope(declared('project_ref'), given, scope)).toBe(given);
});
