import { expect, test } from 'vitest';
import { type Given, gatherValues } from '../../src/endpoint/given.js';
import { bindParameters } from '../../src/endpoint/parameters.js';
import { bindScope, createScope } from '../../src/endpoint/scope.js';

const scope = createScope({ project: 'acme' });
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

test('a bound project is the only value of a list, also if it has a comma', () => {
  const lists = [{ name: 'project', type: 'string', isList: true, required: true }] as const;
  const bind = (given: Given, project = 'a,b') =>
    bindParameters(
      lists,
      bindScope(lists, new Map([['project', given]]), createScope({ project })),
    );
  const bound = { project: '["a,b"]' };
  expect([
    bind(''),
    bind('a,b'),
    bind(gatherValues(['a,b', 'a,b'])),
    bind(gatherValues([['a,b']])),
  ]).toEqual(Array.from({ length: 4 }, () => bound));
  for (const given of [
    'a',
    gatherValues(['a,b', 'c']),
    gatherValues([['a', 'b']]),
    gatherValues([['a,b', 'c']]),
  ]) {
    expect(() => bind(given)).toThrow('another value of parameter project');
  }
  expect(() => bind('a,b', 'a')).toThrow('another value of parameter project');
});

test.each<readonly [Given, 'bound' | 'refused']>([
  ['["acme"]', 'bound'],
  [' [ "acme" , "acme" ] ', 'bound'],
  ['acme,acme', 'bound'],
  [gatherValues(['acme', '["acme"]', 'acme, acme']), 'bound'],
  [gatherValues([['acme', 'acme']]), 'bound'],
  ['[]', 'bound'],
  ['["acme","blue"]', 'refused'],
  ['acme,blue', 'refused'],
  [gatherValues(['acme', 'blue']), 'refused'],
  [gatherValues(['["acme"]', '["blue"]']), 'refused'],
  [gatherValues([['acme'], 'blue']), 'refused'],
  [gatherValues([['["acme"]']]), 'refused'],
  [gatherValues([['acme,acme']]), 'refused'],
  ['["acme"', 'refused'],
  ['[["acme"]]', 'refused'],
  ['[null]', 'refused'],
  ['["ACME"]', 'refused'],
])('a list %j of projects is %s', (given, expected) => {
  const lists = [{ name: 'project', type: 'string', isList: true, required: true }] as const;
  const bind = () => bindParameters(lists, bindScope(lists, new Map([['project', given]]), scope));
  if (expected === 'bound') expect(bind()).toEqual({ project: '["acme"]' });
  else expect(bind).toThrow('another value of parameter project');
});

test('a bound project is no JSON array', () => {
  const given = new Map([['project', gatherValues([['acme']])]]);
  const bound = bindScope(declared('project'), given, scope);
  expect(() => bindParameters(declared('project'), bound)).toThrow('must not be an object');
});
