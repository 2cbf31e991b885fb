import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { functionNames } from '../src/compiler/functions/functions.js';
import {
  isListed,
  refusedFunctions,
  unsupportedFunctions,
} from '../src/compiler/functions/unsupported.js';
import { flagOf, type Setting, settings, variableOf, verbs } from '../src/config/settings.js';
import { reasons } from '../src/errors/errors.js';
import { fixtures, root } from './support/paths.js';
import { type Service, startService, token } from './support/start-service.js';

const readme = readFileSync(join(root, 'README.md'), 'utf8');
const [, exampleEndpoint = ''] = /```sql\n(.*?)```/s.exec(readme) ?? [];

describe('the tables are complete', () => {
  const rows = readme.split('\n').filter((line) => line.startsWith('|'));

  test.each(Object.entries<Setting>(settings))('setting %s', (name, setting) => {
    const row = rows.find((line) => /^\| `--([a-z-]+)/.exec(line)?.[1] === flagOf(name)) ?? '';
    expect(row).toContain(`| \`${variableOf(name)}\` |`);
    const usual = setting.default === undefined ? '' : `\`${setting.default}\` `;
    const users = setting.verbs.length === verbs.length ? 'all' : setting.verbs.join(', ');
    expect(row).toContain(`| ${usual}| ${users} |`);
  });

  test.each(Object.entries<Refusal>(reasons))('reason %s', (name, { code, status, reason }) => {
    const start = `| ${code} | \`${status}\` | \`${reason ?? name}\` |`;
    expect(rows.filter((line) => line.startsWith(start))).toHaveLength(1);
  });

  test.each(variablesOf('src'))('variable %s', (variable) => {
    expect(rows.some((line) => line.includes(`\`${variable}\``))).toBe(true);
  });

  test('no row is of a setting that is not there', () => {
    const flags = rows.flatMap((row) => /^\| `--([a-z-]+)/.exec(row)?.[1] ?? []);
    const known = Object.keys(settings).map(flagOf);
    expect(flags.filter((flag) => !known.includes(flag))).toEqual([]);
  });

  // Without one of its keys, or with another, the example could not be run.
  test('keys of endpoints', () => {
    const [, table = ''] = /\n\| Key \|[^\n]*\n(.*?)\n\n/s.exec(readme) ?? [];
    const keys = [...exampleEndpoint.matchAll(/^-- ([a-z-]+):/gm)].map(([, key]) => key);
    const listed = [...table.matchAll(/^\| `([a-z-]+)` \|/gm)].map(([, key]) => key);
    expect(listed).toEqual(keys);
  });

  test.each(scriptNames())('script %s', (name) => {
    expect(readme).toContain(`\`npm run ${name}`);
  });

  test.each(headersOf('src/http'))('header %s', (header) => {
    expect(rows.some((line) => line.toLowerCase().startsWith(`| \`${header}\` |`))).toBe(true);
  });
});

test.each([...new Set(readme.match(/(?<=`)(?:src|sql|test|scripts|fixtures)\/[\w./-]*(?=`)/g))])(
  '%s is there',
  (path) => expect(existsSync(join(root, path))).toBe(true),
);

describe('the functions', () => {
  const [, supported = '', refused = '', adding = ''] =
    /\n## Functions\n(.*?)\n\| Refused(.*?)\n### Adding a function\n(.*?)\n## /s.exec(readme) ?? [];
  const refusals = refused.split('\n').filter((line) => line.startsWith('| n'));

  // Of a list that differs, the message has the names that are missing or too many.
  test.each([
    ['supported', supported, functionNames()],
    ['not there', refusals[0] ?? '', [...unsupportedFunctions]],
    ['never', refusals[1] ?? '', [...refusedFunctions]],
  ])('%s: the list is that of the source', (_, text, names) => {
    expect(listed(text)).toEqual(names.map((name) => name.toUpperCase()).sort());
  });

  test('what is in the table is not refused', () => {
    const isRefused = (name: string) =>
      isListed(name, unsupportedFunctions) || isListed(name, refusedFunctions);
    expect(functionNames().filter(isRefused)).toEqual([]);
  });

  const lines = [...adding.matchAll(/^\| `([^`]+)` \| `(.+)` \|$/gm)];
  test('there are lines of an added function', () => expect(lines).toHaveLength(2));
  test.each(lines.map(([, file = '', line = '']) => [file, line]))('%s has %s', (file, line) => {
    expect(readFileSync(join(root, file), 'utf8')).toContain(line);
  });
});

/** The names in the rows of a table, in their order. */
function listed(text: string): readonly string[] {
  const rows = text.split('\n').filter((line) => line.startsWith('|'));
  return [...rows.join().matchAll(/`([A-Z0-9_.]+\*?)`/g)].map(([, name = '']) => name).sort();
}

/** The scripts of the package that somebody runs by name, and npm does not by itself. */
function scriptNames(): readonly string[] {
  const text = readFileSync(join(root, 'package.json'), 'utf8');
  const { scripts } = JSON.parse(text) as { readonly scripts: Readonly<Record<string, string>> };
  return Object.keys(scripts).filter((name) => !/^(pre|start$|test$)/.test(name));
}

interface Refusal {
  readonly code: number;
  readonly status: string;
  readonly reason?: string;
}

/** The variables that the sources name beside those of the settings' table. */
function variablesOf(folder: string): readonly string[] {
  return [...new Set(readSources(folder).match(/LOG_ENDPOINTS_[A-Z_]*[A-Z]\b/g))];
}

/** The headers that a room reads or sets, by the forms in which code names one. */
function headersOf(folder: string): readonly string[] {
  const text = readSources(folder);
  const lists = [...text.matchAll(/(?:allow|expose)Headers: \[(.*?)\n {4}\]/gs)].map(
    ([list]) => list,
  );
  const found = [
    ...text.matchAll(/(?:headers\.[gs]et|\.header)\('([\w-]+)'/g),
    ...text.matchAll(/^\s+(?:\.{3}.*\{ )?'([a-z]+(?:-[a-z]+)+)':/gm),
    ...text.matchAll(/: \{ '([a-z]+(?:-[a-z]+)+)':/g),
    ...text.matchAll(/headers\['([\w-]+)'\]/g),
    ...lists.join().matchAll(/'([\w-]+)'/g),
    ...text.matchAll(/\$\{[\w.]*headerPrefix\}(-[A-Z-]+)/g),
  ];
  const names = found.map(([, name = '']) => (name.startsWith('-') ? `svc${name}` : name));
  return [...new Set(names.map((name) => name.toLowerCase()))].sort();
}

function readSources(folder: string): string {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => readFileSync(join(root, folder, path), 'utf8'))
    .join('\n');
}

/** An example is a block of sh and the block of json or text after it: what the first one prints. */
const examples = [...readme.matchAll(/```sh\n(.*?)```\n\n```(json|text)\n(.*?)```/gs)].map(
  ([, script = '', form = '', answer = '']) => ({ script, form, answer }),
);

describe('the examples are true', () => {
  const endpoints = mkdtempSync(join(tmpdir(), 'log-endpoints-readme-'));
  let service: Service;

  beforeAll(async () => {
    writeFileSync(join(endpoints, 'errors.by-status.sql'), exampleEndpoint);
    service = await startService(['--data', fixtures, '--now', '2026-03-10T12:00:00Z']);
  });
  afterAll(async () => {
    rmSync(endpoints, { recursive: true });
    await service.stop();
  });

  test('there are some, and every block of sh has its answer', () => {
    expect(examples.length).toBeGreaterThan(3);
    expect(readme.match(/^```sh$/gm)).toHaveLength(examples.length);
  });

  test.each([
    ['GET', 'api/endpoints/query/logs.all?project=quarry', token],
    ['GET', 'api/endpoints/query/logs.all', 'a-wrong-token'],
    ['DELETE', 'health', token],
  ])('every header that answers %s /%s is in the table', async (method, path, key) => {
    const { headers } = await fetch(`${service.url}/${path}`, {
      method,
      headers: { 'x-api-key': key },
    });
    const ofHttp = ['connection', 'date', 'keep-alive', 'transfer-encoding'];
    const own = [...headers.keys()].filter((name) => !ofHttp.includes(name));
    expect(own.filter((name) => !readme.includes(`\n| \`${name}\` |`))).toEqual([]);
  });

  test('every metric is in the table', async () => {
    const text = await (await fetch(`${service.url}/metrics`)).text();
    const names = [...text.matchAll(/^# TYPE (\w+)/gm)].map(([, name = '']) => name);
    const own = names.filter((name) => !/^log_endpoints_(process|nodejs)_/.test(name));
    expect(own).not.toEqual([]);
    const row = (name: string) => new RegExp(`^\\|.*\`${name}\`.* \\|`, 'm');
    expect(own.filter((name) => !row(name).test(readme))).toEqual([]);
    const told = readme.match(/(?<=`)log_endpoints_\w+(?=`)/g) ?? [];
    expect(told.filter((name) => !own.includes(name))).toEqual([]);
  });

  test.each(examples)('$script', async ({ script, form, answer }) => {
    const local = script
      .replaceAll('http://127.0.0.1:4000', service.url)
      .replaceAll('my-endpoints', endpoints);
    const { PATH } = process.env;
    const { stdout } = await promisify(execFile)('bash', ['-euc', local], {
      cwd: root,
      env: { PATH, TOKEN: token },
    });
    if (form === 'json') expect(JSON.parse(stdout)).toEqual(JSON.parse(answer));
    else expect(stdout.trimEnd()).toBe(answer.trimEnd());
  });
});
