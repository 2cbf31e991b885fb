import { execFile } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { functionNames } from '../../src/compiler/functions/functions.js';
import { root } from '../support/paths.js';
import { findPage, tableRows } from './markdown.js';

const run = promisify(execFile);
const copy = mkdtempSync(join(tmpdir(), 'log-endpoints-add-function-'));

/** The steps that CONTRIBUTING.md names for its two functions: a file, and the line that it gets. */
const steps = readSteps();

beforeAll(async () => {
  for (const name of [
    'src',
    'sql',
    'scripts',
    'package.json',
    'tsconfig.json',
    'tsconfig.build.json',
  ]) {
    cpSync(join(root, name), join(copy, name), { recursive: true });
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  mkdirSync(join(copy, 'logs'));
  mkdirSync(join(copy, 'test/compiler/functions'), { recursive: true });
  cpSync(join(root, 'test/compiler/functions'), join(copy, 'test/compiler/functions'), {
    recursive: true,
  });
  for (const { file, line } of steps) addLine(join(copy, file), line);
  await run('npm', ['run', 'build'], { cwd: copy });
});
afterAll(() => rmSync(copy, { recursive: true }));

test('the steps name each kind of file', () => {
  expect([...new Set(steps.map(({ file }) => file))]).toEqual([
    'src/compiler/functions/math.ts',
    'sql/bigquery/mathematical.sql',
    'sql/bigquery/descriptions.json',
    'test/compiler/functions/math.json',
    'src/engine/verify/allow-list.ts',
  ]);
});

const cases = steps
  .filter(({ file }) => file.startsWith('test/'))
  .map(({ line }) => parseCase(line));

test('after all steps, both functions run', async () => {
  const expressions = cases.map(([expression]) => expression);
  expect(await evaluate(`[${expressions.map((one) => `to_json_string(${one})`).join()}]`)).toEqual(
    cases.map(([, value]) => JSON.stringify(value)),
  );
});

// One step changed the file that is restored here.
test.each([
  ['the macro', 'sql/bigquery/mathematical.sql', 'is_even(42)'],
  ['the allowed call', 'src/engine/verify/allow-list.ts', 'gamma(5.0)'],
] as const)('without %s the function does not run', async (_, file, expression) => {
  const changed = readFileSync(join(copy, file));
  cpSync(join(root, file), join(copy, file));
  await bundle();
  await expect(evaluate(expression)).rejects.toThrow();
  writeFileSync(join(copy, file), changed);
  await bundle();
});

test('without the documents, the list of functions is not complete', async () => {
  const path = join(copy, 'build/compiler/functions/functions.js');
  const after = (await import(path)) as { readonly functionNames: typeof functionNames };
  const added = after.functionNames().filter((name) => !functionNames().includes(name));
  expect(added).toEqual(['is_even', 'gamma']);
});

function readSteps(): readonly { readonly file: string; readonly line: string }[] {
  const [, section = ''] =
    /\n## Add a function\n(.*?)\n## /s.exec(findPage('CONTRIBUTING.md').text) ?? [];
  return tableRows(section)
    .map(([file = '', line = '']) => ({ file: file.replaceAll('`', ''), line }))
    .filter(({ line }) => line.startsWith('`'))
    .map(({ file, line }) => ({ file, line: line.replaceAll('`', '') }));
}

function addLine(path: string, line: string): void {
  const text = readFileSync(path, 'utf8');
  if (path.endsWith('.sql')) appendFileSync(path, `${line}\n`);
  else if (path.endsWith('.json')) writeFileSync(path, text.replace(/^[[{]/, `$&\n  ${line}`));
  else if (line.endsWith(',')) writeFileSync(path, text.replace(/^( +is_nan:)/m, `${line}\n$1`));
  else writeFileSync(path, text.replace('isinf isnan', `${line} isinf isnan`));
}

function parseCase(line: string): readonly [expression: string, value: unknown] {
  return JSON.parse(line.replace(/,$/, '')) as readonly [string, unknown];
}

async function bundle(): Promise<void> {
  await run(process.execPath, ['scripts/bundle.mjs'], { cwd: copy });
}

async function evaluate(expression: string): Promise<unknown> {
  const flags = [
    '--data',
    'logs',
    '--no-disk-cache',
    '--param',
    'project=none',
    '--format',
    'ndjson',
  ];
  const sql = `select ${expression} as x`;
  const command = ['dist/main.js', 'query', 'logs.all', ...flags, '--sql', sql];
  const { stdout } = await run(process.execPath, command, { cwd: copy });
  return (JSON.parse(stdout) as { readonly x: unknown }).x;
}
