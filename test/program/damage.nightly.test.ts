import {
  closeSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { query } from '../../src/cli/query.js';
import { readCommand } from '../../src/config/config.js';
import { randomFrom } from '../support/random.js';

const root = mkdtempSync(join(tmpdir(), 'damage-test-'));
const [data, sound] = [join(root, 'data'), join(root, 'sound')];
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** A text that a database cannot compress. */
function randomText(random: () => number, length: number): string {
  return Array.from({ length }, () => String.fromCharCode(48 + (random() % 74))).join('');
}

/** A query that reads every message. */
const sql = `select count(*) as n, count(distinct event_message) as messages,
  sum(length(replace(event_message, 'a', ''))) as others from edge_logs`;

async function ask(cache: string): Promise<string> {
  const argv = ['query', 'logs.all', '--data', data, '--cache-dir', cache];
  const command = readCommand([...argv, '--param', 'project=acme', '--sql', sql], {});
  if (command.verb !== 'query') throw new Error('not the verb');
  return String(await query(command.settings, 'logs.all', { verifiedBytes: 0 }));
}

function databasesIn(cache: string): readonly string[] {
  return readdirSync(cache, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.duckdb'))
    .map((name) => join(cache, name));
}

let answer = '';
beforeAll(async () => {
  mkdirSync(data);
  const random = randomFrom(3);
  const rows = Array.from({ length: 20_000 }, (_, id) =>
    JSON.stringify({
      ...{ id: `r${id}`, timestamp: 1_770_000_000 + id, project: 'acme' },
      event_message: `${id} ${randomText(random, 600)}`,
    }),
  );
  writeFileSync(join(data, 'edge_logs.ndjson'), rows.join('\n'));
  answer = await ask(sound);
});

const damages = [
  ['a byte', 1, 1 / 3],
  ['a sector', 512, 1 / 3],
  ['a page', 4096, 1 / 3],
  ['its first sector', 512, 0],
] as const;

test.each(damages)(
  'a query over a database file with damage in %s returns the right rows',
  async (what, bytes, place) => {
    const cache = join(root, what);
    cpSync(sound, cache, { recursive: true });
    const [file = ''] = databasesIn(cache);
    const fd = openSync(file, 'r+');
    const from = Math.floor(statSync(file).size * place);
    writeSync(fd, Buffer.alloc(bytes, '\u0001'), 0, bytes, from);
    closeSync(fd);
    const { ino } = statSync(file);
    expect(await ask(cache)).toBe(answer);
    expect(databasesIn(cache).some((each) => statSync(each).ino !== ino)).toBe(true);
  },
);
