import { afterAll, beforeAll, expect, test } from 'vitest';
import { attachMacros } from '../../src/engine/duckdb/macro-file.js';
import { holdsAddress } from '../../src/values/address-key.js';
import { cpuMsOf } from '../support/cpu-time.js';
import { macros } from '../support/macros.js';
import { randomFrom } from '../support/random.js';
import { redactAll } from '../support/redact-all.js';
import { openScratch } from '../support/scratch-database.js';

const { connection: database, close } = await openScratch();
beforeAll(() => attachMacros(database, macros));
afterAll(close);

test.each([
  ...[
    'jane@example.com',
    'mail to jane@example.com',
    '10.0.0.1',
    '10.0.0.1:80',
    '::1',
    'fe80::1%eth0',
  ],
  ...['::ffff:1.2.3.4', '1:2:3:4:5:6:1.2.3.4.5', '1:2:3:4:5:6:7:8', '[2001:db8::]:443', "o'b@b.co"],
  ...['jane%40example%2Ecom', '10%2e0.0.1', '%3A%3A1', 'x%2F1.2.3.4', 'jane%2540b.co', '%5B::1%5D'],
  ...[String.raw`jane\u0040b\u002Eco`, String.raw`\n1.2.3.4`, 'jane&#64;b.co', '"jane doe"@b.co'],
])('%j holds an address', (key) => {
  expect(holdsAddress(key)).toBe(true);
});

test.each([
  ...[
    'path',
    'http.status',
    'a.b.c.d',
    '1.2.3',
    '1.2.3.4.5',
    'v1.2.3.4',
    'std::string',
    'a:b',
    '::',
  ],
  ...[
    'x-forwarded-for',
    '00:1b:44:11:3a:b7',
    '2026-03-10T12:30:45',
    '@channel',
    'a@b',
    'pkg@1.2.3',
  ],
  ...['cpu%', 'a%2Fb', 'a%3Ab', 'a&b', '%40', 'c\\d', '', String.raw`\n@b.co`],
])('%j holds none', (key) => {
  expect(holdsAddress(key)).toBe(false);
});

const pieces = [
  ...[
    '1.2.3.4',
    '1',
    '255.',
    '::',
    '::1',
    '1:2:3:4:5:6:',
    'fe80:',
    '7:8',
    'c',
    'é',
    'z',
    '_',
    '%eth0',
  ],
  ...[
    'jane',
    '@',
    '@b.co',
    '.',
    ':',
    '-',
    ' ',
    '"',
    "'",
    '"j d"',
    '\\n',
    '\\u0040',
    '\\u002e',
    '\\"',
  ],
  ...[
    '\\x40',
    '%u002E',
    '&#64',
    '&commat;',
    '&period;',
    '&colon;',
    '＠',
    '%5Cu0040',
    '%26%2364%3B',
  ],
  ...['\\u0026#64;', '%u', ';', '%3B', '\\x0a', '%u000A'],
  ...['%40', '%2E', '%3a', '%3A', '%2F', '%20', '%25', '&#64;', '&#x2e;', '&quot;', '\\', '%27'],
];

test('finds every address that redaction finds, and little else', async () => {
  const next = randomFrom(7);
  const keys = Array.from({ length: 20_000 }, () =>
    Array.from({ length: 1 + (next() % 7) }, () => pieces[next() % pieces.length]).join(''),
  );
  const redacted = await redactAll(database, keys);
  const isRedacted = (index: number) => redacted[index]?.[0] !== keys[index];
  expect(keys.filter((key, index) => isRedacted(index) && !holdsAddress(key)).slice(0, 10)).toEqual(
    [],
  );
  const found = keys.filter(holdsAddress).length;
  const count = keys.filter((_, index) => isRedacted(index)).length;
  expect(count).toBeGreaterThan(2_000);
  expect(found - count).toBeLessThan(count * 0.1);
});

test('takes time proportional to the length of a key', () => {
  const length = 200_000;
  const check = () => {
    for (const key of [`${'\\'.repeat(length)}@`, '%25'.repeat(length), '&amp;'.repeat(length)]) {
      expect(holdsAddress(key)).toBe(false);
    }
  };
  expect(cpuMsOf(check)).toBeLessThan(10_000);
});
