import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isInContext, lintDockerfile, readDockerfile } from '../support/dockerfile.js';
import { root } from '../support/paths.js';

const dockerfile = readFileSync(join(root, 'Dockerfile'), 'utf8');

test('the Dockerfile has no faults', () => {
  expect(lintDockerfile(dockerfile)).toEqual([]);
});

test('the build context has whatever the Dockerfile copies from it', () => {
  const copies = readDockerfile(dockerfile)
    .flatMap(({ steps }) => steps)
    .filter(({ name, text }) => name === 'COPY' && !text.startsWith('--from='));
  const paths = copies.flatMap(({ words }) => words.slice(0, -1));
  expect(paths).toContain('src');
  expect(paths.filter((path) => !isInContext(path))).toEqual([]);
});

test.each([
  ['FROM node\nCMD ["a"]', 'node has no tag and digest'],
  ['FROM node:22-slim\nCMD ["a"]', 'node:22-slim has no tag and digest'],
  ['FROM a:1\nUSER root', 'the last USER is root'],
  ['FROM a:1\nADD x y', 'COPY does it without the magic of ADD'],
  [
    'FROM a:1\nENTRYPOINT node main.js',
    'ENTRYPOINT must be there, in its JSON form: a shell would not pass on signals',
  ],
  ['FROM a:1\nCOPY --from=b /c d', 'no stage b'],
  ['FROM a:1\nRUM x', 'unknown instruction RUM'],
  ['FROM a:1\nWORKDIR app', 'WORKDIR app is not absolute'],
])('the rules: %j', (text, fault) => {
  expect(lintDockerfile(text)).toContain(fault);
});

test('the image keeps data and cache in volumes, and listens to other machines', () => {
  const final = readDockerfile(dockerfile).at(-1)?.steps ?? [];
  const wordsOf = (name: string) => final.findLast((step) => step.name === name)?.words;
  expect(wordsOf('VOLUME')).toEqual(['/data', '/cache']);
  expect(wordsOf('USER')).toEqual(['node']);
  expect(wordsOf('CMD')?.join(' ')).toBe(
    'serve --host 0.0.0.0 --data /data --cache-dir /cache --watch',
  );
});

test('compose.yaml mounts these volumes over a read-only file system', () => {
  const compose = readFileSync(join(root, 'compose.yaml'), 'utf8');
  for (const part of ['read_only: true', 'tmpfs: [/tmp]', 'logs:/data:ro', 'cache:/cache'])
    expect(compose).toContain(part);
});
