import { describe, expect, test } from 'vitest';
import { printTokenLine, readTokenLine } from '../../src/config/token-file.js';
import { checkEndpoints, digestToken, readTokens } from '../../src/config/tokens.js';
import { createScope } from '../../src/endpoint/scope.js';
import { SetupError } from '../../src/errors/errors.js';

const one = 'a-token-of-the-tests';
const two = 'another-known-token';

function tokensOf(text: string, list?: string) {
  return readTokens({ list, file: 'f', read: () => text });
}

function linesOf(work: () => unknown): readonly string[] {
  try {
    work();
  } catch (error) {
    if (error instanceof SetupError) return error.lines;
    throw error;
  }
  throw new Error('nothing was refused');
}

/** Label, project and endpoints. */
function scopesOf(text: string) {
  return tokensOf(text).map(({ label, scope: { project, endpoints } }) => [
    label,
    project,
    endpoints && [...endpoints],
  ]);
}

describe('a tokens file', () => {
  test('has a token on each line', () => {
    const tokens = tokensOf(`\uFEFF${one}\r\n\n  # a comment\n\t${two} `);
    expect(tokens).toEqual([
      { digest: digestToken(one), scope: createScope({}), where: 'LOG_ENDPOINTS_TOKENS_FILE f:1' },
      { digest: digestToken(two), scope: createScope({}), where: 'LOG_ENDPOINTS_TOKENS_FILE f:4' },
    ]);
  });

  test.each([
    ['', [undefined, undefined, undefined]],
    [' name=ci', ['ci', undefined, undefined]],
    ['\tproject=acme  name=ci ', ['ci', 'acme', undefined]],
    [' endpoints=logs.all,b', [undefined, undefined, ['logs.all', 'b']]],
    [' endpoints="logs.all, b"', [undefined, undefined, ['logs.all', 'b']]],
    [' project="two words"', [undefined, 'two words', undefined]],
    [' name="a \\"b\\" \\\\ c" project=^/x\\d=1#', ['a "b" \\ c', '^/x\\d=1#', undefined]],
  ])('binds by%s', (rest, scope) => {
    expect(scopesOf(`${one}${rest}`)).toEqual([scope]);
  });

  test('may be JSON', () => {
    const text = `[
      { "token": "${one}" },
      { "name": "C I", "token": "${two}", "project": "[a]", "endpoints": ["a", "b"] }
    ]`;
    expect(scopesOf(text)).toEqual([
      [undefined, undefined, undefined],
      ['C I', '[a]', ['a', 'b']],
    ]);
    expect(tokensOf(text).map(({ where }) => where.split(':')[1])).toEqual(['2', '3']);
    expect(scopesOf(`[{"token":"${one}","endpoints":"a,b"}]`)[0]?.[2]).toEqual(['a', 'b']);
  });

  const short = 'must have at least 16 characters';
  test.each([
    [`\n${one} colour=red`, 'f:2: unknown key; expected one of name, project, endpoints'],
    [`${one} ${two}`, 'f:1: a line must be <token> [name=<label>]'],
    [`${one} name=a b`, 'f:1: a line must be <token> [name=<label>]'],
    [`${one} name="a`, 'f:1: a line must be <token> [name=<label>]'],
    [`${one} name="a"b`, 'f:1: a line must be <token> [name=<label>]'],
    [`${one} secret-of-sixteen=`, 'f:1: a line must be <token> [name=<label>]'],
    [`${one} project=a project=a`, 'f:1: project is repeated'],
    [`${one} project=`, 'f:1: project must be a string that is not empty'],
    [`${one} name=" "`, 'f:1: name must be a string that is not empty'],
    [`${one} endpoints=a,,b`, 'f:1: endpoints must be names of endpoints'],
    [`${one} endpoints=`, 'f:1: endpoints must be names of endpoints'],
    ['fifteen-letters', `f:1: a token ${short}`],
    [`project=acme\n${one}`, 'f:1: a line must begin with its token'],
    ['project=acme-of-sixteen name=a', 'f:1: a line must begin with its token'],
    [`${one}\n${two}\n${one} name=a`, 'f:3: the same token as LOG_ENDPOINTS_TOKENS_FILE f:1'],
    ['# only a comment', ': it contains no token'],
    ['[]', ': it contains no token'],
    [`["${one}"`, ': begins with [ but is not a JSON array'],
    [`["${one}"]`, 'f:1: a token must be an object'],
    [`[\n{}]`, 'f:2: an object must have exactly one token, a string'],
    [
      `[{"token":"${one}","token":"${one}"}]`,
      'f:1: an object must have exactly one token, a string',
    ],
    [`[{"token":"${one}","name":"a","name":"b"}]`, 'f:1: name is repeated'],
    [`[{"token":"${one}","project":7}]`, 'f:1: project must be a string that is not empty'],
    [
      `[{"token":"${one}","project":"a\\u0000"}]`,
      'f:1: project must be a string that is not empty',
    ],
    [`[{"token":"${one}","endpoints":[]}]`, 'f:1: endpoints must be names of endpoints'],
    [`[{"token":"${one}","colour":"red"}]`, 'f:1: unknown key; expected one of name'],
    [`[{"token":"${one}"},\n\n{"token":"${one}"}]`, 'f:3: the same token as'],
  ])('is refused: %j', (text, fault) => {
    const lines = linesOf(() => tokensOf(text));
    expect(lines).toEqual([expect.stringContaining(fault)]);
    expect(lines.join()).not.toMatch(/a-token-of|another-known|fifteen|secret|acme/);
  });

  test('all faults are reported', () => {
    expect(linesOf(() => tokensOf(`${one} name=\n${two} x=1 project=\nshort`))).toHaveLength(4);
  });

  test('must not repeat a token of the list', () => {
    const fault = 'f:1: the same token as LOG_ENDPOINTS_TOKENS: token 2';
    const lines = linesOf(() => tokensOf(`${one} project=a`, `${two},${one}`));
    expect(lines).toEqual([expect.stringContaining(fault)]);
  });

  test('names endpoints that exist', () => {
    const tokens = tokensOf(`${one} endpoints=a,b\n${two} endpoints=a,c,d`);
    const lines = linesOf(() => checkEndpoints(tokens, ['a', 'b']));
    expect(lines).toEqual([
      'LOG_ENDPOINTS_TOKENS_FILE f:2: unknown endpoint c; expected one of a, b',
      'LOG_ENDPOINTS_TOKENS_FILE f:2: unknown endpoint d; expected one of a, b',
    ]);
    expect(() => checkEndpoints(tokens, ['a', 'b', 'c', 'd'])).not.toThrow();
  });
});

test.each([
  {},
  { name: 'ci', project: 'acme', endpoints: ['a', 'b'] },
  { name: 'a "b" \\ c', project: '^/x\\d' },
  { project: 'a"b\\' },
])('a line of %j is read back', (settings) => {
  const { token, faults, ...read } = readTokenLine(printTokenLine(one, settings));
  expect([token, faults]).toEqual([one, []]);
  expect(read).toEqual({ name: undefined, project: undefined, endpoints: undefined, ...settings });
});

test('scopes have equal keys exactly if they are equal', () => {
  const [a, b] = [new Set(['a', 'b']), new Set(['b', 'a'])];
  const scopes = [{}, { project: 'a' }, { project: 'b' }, { endpoints: a }].map(createScope);
  const more = [{ project: 'a', endpoints: a }, { endpoints: new Set(['a,b']) }].map(createScope);
  expect(new Set([...scopes, ...more].map(({ key }) => key)).size).toBe(6);
  expect(createScope({ endpoints: a }).key).toBe(createScope({ endpoints: b }).key);
});
