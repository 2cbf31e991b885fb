import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readCommand, takeTokens } from '../../src/config/config.js';
import { readPreset } from '../../src/config/preset.js';
import { makeFolder } from '../support/load-logs.js';

function settingsOf(argv: readonly string[], environment = {}) {
  const command = readCommand(argv, environment);
  if (!('settings' in command)) throw new Error(`no settings for ${command.verb}`);
  return command.settings;
}

/** A file with a preset, in a folder of its own. */
function presetFile(content: unknown): string {
  const file = join(makeFolder({}), 'my preset.json');
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
}

test('a preset gives defaults: variables and flags win', () => {
  const file = presetFile({ settings: { 'header-prefix': 'LF', 'max-body': '1MB', port: '1' } });
  const environment = { LOG_ENDPOINTS_PORT: '3', LOG_ENDPOINTS_PRESET: file };
  expect(settingsOf(['serve', '--max-body', '2MB'], environment)).toMatchObject({
    headerPrefix: 'LF',
    maxBody: 2 * 1024 ** 2,
    port: 3,
  });
});

test('the shipped preset is found by its name', () => {
  expect(settingsOf(['serve', '--preset', 'supabase'])).toMatchObject({
    headerPrefix: 'LF',
    errorStatus: '200',
    allowShortTokens: true,
  });
  const { sources, endpoints } = readPreset('supabase');
  expect(sources.map(({ name }) => name)).toContain('auth_audit_logs');
  expect([...endpoints.keys()]).toEqual(['usage.api-counts.sql']);
});

test.each([
  ['an unknown setting', { settings: { 'header-prefx': 'LF' } }, 'did you mean header-prefix?'],
  [
    'a misspelt key',
    { endpoint: {} },
    'unknown key endpoint; did you mean endpoints?; the keys are',
  ],
  ['a text for lines', { endpoints: { a: 'x' } }, 'endpoints.a: Invalid type'],
  ['a preset in a preset', { settings: { preset: 'a' } }, 'unknown setting preset'],
  ['a bad value', { settings: { port: 'x' } }, '--port must be a whole number'],
  ['an unknown part', { tokens: {} }, 'tokens'],
  ['no JSON', '{', 'JSON'],
])('%s is refused', (_name, content, message) => {
  expect(() => settingsOf(['serve', '--preset', presetFile(content)])).toThrow(message);
});

test('a preset that is not there is refused', () => {
  expect(() => settingsOf(['serve', '--preset', 'supabse'])).toThrow(
    '--preset supabse: there is no such preset; did you mean supabase?; a file is named by its path, as in ./supabse.json',
  );
  expect(() => settingsOf(['serve', '--preset', 'my-own'])).toThrow('there is supabase; a file');
  expect(() => settingsOf(['serve', '--preset', './none.json'])).toThrow('ENOENT');
});

test('short tokens are accepted on request, and marked', () => {
  const environment = () => ({ LOG_ENDPOINTS_TOKENS: 'short,long-enough-for-a-token' });
  const { known } = takeTokens(environment(), true);
  expect(known.map(({ isShort = false }) => isShort)).toEqual([true, false]);
  expect(() => takeTokens(environment())).toThrow('16 characters');
});
