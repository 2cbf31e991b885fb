import { afterAll, beforeAll, expect, test } from 'vitest';
import { attachMacros } from '../../../src/engine/duckdb/macro-file.js';
import { macros } from '../../support/macros.js';
import { nightly } from '../../support/nightly.js';
import { randomFrom } from '../../support/random.js';
import { redactAll } from '../../support/redact-all.js';
import { redactOracle } from '../../support/redact-oracle.js';
import { openScratch } from '../../support/scratch-database.js';

const { connection: database, close } = await openScratch();
beforeAll(() => attachMacros(database, macros));
afterAll(close);

/** The parts of random texts: addresses, lookalikes, and what may be between them. */
const pieces = [
  ...['1.2.3.4', '10.0.0.255', '256.1.1.1', '1.2.3', '01.002.3.4', '1', '9', '255', '.5', '4.'],
  ...['::', '::1', '1::', 'fe80::1', '2001:db8::8a2e:370:7348', '1:2:3:4:5:6:7:8', '1:2:3:4:5:6:7'],
  ...[
    '::ffff:1.2.3.4',
    '64:ff9b::',
    '1:2:3:4:5:6:1.2.3.4',
    'DEAD',
    'beef',
    'c',
    'f:',
    ':a',
    '12345',
  ],
  ...[
    '%eth0',
    '%',
    '%25en0',
    '/64',
    '%é',
    'jane@example.com',
    'bo',
    '@',
    '@b.co',
    '.co',
    '@x',
    'o-k',
  ],
  ...[
    '.',
    '..',
    ':',
    ':::',
    ',',
    ' ',
    '-',
    '_',
    '+',
    '"',
    '[',
    ']',
    '=',
    '\n',
    '|',
    '/',
    '(',
    '\0',
  ],
  ...[
    'é',
    'ß',
    '字',
    '٣',
    'z',
    'x',
    'std',
    'REDACTED',
    '\u0301',
    '“',
    '…',
    '😀',
    '\\',
    '\\n',
    '\\u003c',
  ],
  ...['%40', '%2E', '%2e', '%3A', '%3a', '%2540', '\\u0040', '\\u002e', '\\u003A', '\\\\u002E'],
  ...['&#64;', '&#x2e;', '&amp;#58;', '&', '%2F', '%20', '%25', '%5b', '\\t', '\\\\', '\\"', '\\/'],
  ...['\\x40', '%u002E', '&#64', '&#46', '&commat;', '&period;', '&colon;', '＠', '%5Cu0040'],
  ...['%26%2364%3B', '%26amp;', '\\u0026#64;', '%u', '&#', ';', '%3B', '\\x', '%u000A', '&plus;'],
  ...["'", '’', '\\u0027', '%27', '&#39;', '%22', '\\u0022', '&quot;', '"jane doe"', '\\"j d\\"'],
];

function randomText(next: () => number): string {
  const length = 1 + (next() % 12);
  return Array.from({ length }, () => pieces[next() % pieces.length]).join('');
}

test.each([1, 2, 3, 4])(
  'random texts are redacted as the oracle says, and redacting again changes nothing (%i)',
  async (seed) => {
    const next = randomFrom(seed);
    const texts = Array.from({ length: nightly(20_000, 200) }, () => randomText(next));
    const redacted = await redactAll(database, texts);
    const wrong = texts.flatMap((text, place) => {
      const expected = redactOracle(text);
      const [once, twice] = redacted[place] ?? [];
      return once === expected && twice === expected ? [] : [{ text, expected, once, twice }];
    });
    expect(wrong.slice(0, 10)).toEqual([]);
  },
);

test('redaction takes time linear in the text', async () => {
  const signs = ['1.2.3.', '1:2:', 'a@', 'a.@', '::', 'f:%', '\\u00', '%25', '\\', '&amp;', '%3A'];
  const quotes = ['"a', '\\"a\\u0040', "a'", '"a@'];
  const addresses = ['"a@b.co ', '\\"a@b.co ', '"a%40b.co', 'a@b.co\\n'];
  const hard = [
    ...[...signs, ...quotes].map((piece) => piece.repeat(25_000)),
    // Each of them is an address, which takes time to replace.
    ...addresses.map((piece) => piece.repeat(5_000)),
  ];
  const start = performance.now();
  await redactAll(database, hard);
  expect(performance.now() - start).toBeLessThan(30_000);
});
