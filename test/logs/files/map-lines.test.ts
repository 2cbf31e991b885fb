import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { mapLines } from '../../../src/logs/files/map-lines.js';
import type { Mapping } from '../../../src/logs/shapes/mapping.js';

const folder = mkdtempSync(join(tmpdir(), 'map-lines-'));
afterAll(() => rmSync(folder, { recursive: true }));

const mapping: Mapping = {
  id: ['id'],
  timestamp: ['time'],
  eventMessage: ['msg'],
  project: { from: [], otherwise: 'p' },
  columns: [],
};

async function map(text: string): Promise<string> {
  const [from, to] = [join(folder, 'from'), join(folder, 'to')];
  writeFileSync(from, text);
  await mapLines({ path: from, compression: 'none' }, mapping, to);
  return readFileSync(to, 'utf8');
}

const line = (message: string) => `{"event_message":"${message}","project":"p"}`;
const long = 'é'.repeat(3_000_000);

test.each([
  ['an empty file', '', ''],
  ['a last line without a line break', '{"msg":"a"}\n{"msg":"b"}', `${line('a')}\n${line('b')}`],
  ['blank lines keep their places', '\n{"msg":"a"}\n\n', `\n${line('a')}\n\n`],
  ['a byte order mark', '\ufeff{"msg":"a"}\n', `${line('a')}\n`],
  ['a byte order mark in a text', '{"msg":"a\ufeffb"}\n', `${line('a\ufeffb')}\n`],
  [
    'a line of many chunks',
    `{"msg":"a"}\n{"msg":"${long}"}\n{"msg":"b"}\n`,
    `${line('a')}\n${line(long)}\n${line('b')}\n`,
  ],
])('%s', async (_what, text, expected) => {
  expect((await map(text)) === expected).toBe(true);
});
