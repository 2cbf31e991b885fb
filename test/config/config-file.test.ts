import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readCommand } from '../../src/config/config.js';
import { makeFolder } from '../support/load-logs.js';

let folder = '';
beforeEach(() => {
  folder = makeFolder({});
});
afterEach(() => rmSync(folder, { recursive: true }));

function settingsOf(argv: readonly string[], environment = {}) {
  const command = readCommand(argv, environment, folder);
  if (!('settings' in command)) throw new Error(`no settings for ${command.verb}`);
  return command.settings;
}

function writeConfig(content: unknown): void {
  writeFileSync(join(folder, 'log-endpoints.json'), JSON.stringify(content));
}

test('the file of the current folder gives defaults: variables and flags win', () => {
  writeConfig({ settings: { data: 'logs', port: '1', 'max-body': '1MB' }, endpoints: {} });
  expect(settingsOf(['serve', '--max-body', '2MB'], { LOG_ENDPOINTS_PORT: '3' })).toMatchObject({
    preset: join(folder, 'log-endpoints.json'),
    data: 'logs',
    port: 3,
    maxBody: 2 * 1024 ** 2,
  });
});

test.each(['mcp', 'check', 'test', 'new x', 'query x', 'explain x', 'bigquery ddl'])(
  '%s reads it',
  (words) => {
    const isDdl = words === 'bigquery ddl';
    writeConfig({ settings: isDdl ? { 'bigquery-tables': 'a.b.{source}' } : { data: 'logs' } });
    expect(settingsOf(words.split(' ')).preset).toBe(join(folder, 'log-endpoints.json'));
  },
);

test.each(['demo', 'test-server', 'generate', 'tokens new', 'cache list'])(
  '%s does not',
  (words) => {
    writeConfig({ settings: { data: 'logs' } });
    expect(settingsOf(words.split(' '))).not.toMatchObject({ data: 'logs' });
  },
);

test('a preset that is named replaces it', () => {
  writeConfig({ settings: { port: '1' } });
  expect(settingsOf(['serve', '--preset', 'supabase'])).toMatchObject({ port: 4000 });
  expect(settingsOf(['serve'], { LOG_ENDPOINTS_PRESET: '' })).toMatchObject({ port: 1 });
});

test.each(['host', 'allow-short-tokens'])('it may not set %s, named or not', (flag) => {
  writeConfig({ settings: { [flag]: flag === 'host' ? '0.0.0.0' : 'true' } });
  const line = `log-endpoints.json may not set ${flag}; use --${flag} instead`;
  expect(() => settingsOf(['serve'])).toThrow(line);
  expect(() => settingsOf(['serve', '--preset', join(folder, 'log-endpoints.json')])).toThrow(line);
});

test('a format of rows does not concern check', () => {
  writeConfig({ settings: { format: 'table' } });
  expect(settingsOf(['check']).format).toBe('text');
  expect(settingsOf(['query', 'logs.all']).format).toBe('table');
});

test('messages name the file', () => {
  writeConfig({ settings: { port: 'x' } });
  expect(() => settingsOf(['serve'])).toThrow('log-endpoints.json: --port must be a whole number');
  writeConfig({ setings: {} });
  expect(() => settingsOf(['serve'])).toThrow('log-endpoints.json: unknown key setings');
});

test('its port is taken, or none', () => {
  writeConfig({ settings: { port: '5000' } });
  const file = join(folder, 'app.log');
  writeFileSync(file, '');
  expect(settingsOf([file])).not.toHaveProperty('anyPort');
});
