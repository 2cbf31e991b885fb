import { afterAll, beforeAll, expect, test } from 'vitest';
import { randomFrom } from '../support/random.js';
import { openQueryRunner, type QueryRunner, type Row } from '../support/run-query.js';

// Any text in a literal or a name comes back unchanged: the printer quotes and escapes everything.
let runner: QueryRunner;

beforeAll(async () => {
  runner = await openQueryRunner();
});
afterAll(() => runner.close());

async function firstRow(sql: string): Promise<Row> {
  const [row = {}] = await runner.run(sql);
  return row;
}

const pieces = [
  "'",
  '"',
  '`',
  '\\',
  '\n',
  '\r',
  '\0',
  '--',
  '/*',
  '*/',
  ';',
  '$1',
  '@x',
  '%',
  '😀',
  'é',
  'a',
  ' ',
  "''",
  '\\n',
  '\u200b',
  '}',
  '$$',
];

function textOf(random: () => number): string {
  return Array.from({ length: random() % 12 }, () => pieces[random() % pieces.length]).join('');
}

/** The text as a GoogleSQL literal in these quotes. */
function quoted(text: string, quote: string): string {
  const escaped = text
    .replaceAll('\\', '\\\\')
    .replaceAll(quote[0] ?? '', `\\${quote[0]}`)
    .replaceAll('\n', '\\n')
    .replaceAll('\r', '\\r')
    .replaceAll('\0', '\\x00');
  return `${quote}${escaped}${quote}`;
}

test.each(["'", '"', "'''", '"""'])('300 random texts in %s', async (quote) => {
  const random = randomFrom(quote.length + quote.charCodeAt(0));
  for (let round = 0; round < 15; round++) {
    const texts = Array.from({ length: 20 }, () => textOf(random));
    const items = texts.map((text, place) => `${quoted(text, quote)} as x${place}`);
    expect(Object.values(await firstRow(`select ${items.join(', ')}`))).toEqual(texts);
  }
});

test('200 random names', async () => {
  const random = randomFrom(7);
  for (let round = 0; round < 200; round++) {
    const name = `n${textOf(random).replaceAll(/\p{Cc}/gu, '')}`;
    const sql = `select ${quoted(name, '`')} from (select 1 as ${quoted(name, '`')})`;
    expect(await firstRow(sql)).toEqual({ [name]: 1 });
  }
});

test('escapes', async () => {
  const items = [
    String.raw`'\a\b\f\n\r\t\v\\\?\"\'' as simple`,
    String.raw`'\101\x41\u0041\U0001F600' as codes`,
    String.raw`r'\d\'' as raw`,
    String.raw`b'\xff\101' as bytes`,
    String.raw`rb'\x' as raw_bytes`,
    "'''a\r\nb''' as lines",
  ];
  expect(await firstRow(`select ${items.join(', ')}`)).toEqual({
    simple: '\x07\b\f\n\r\t\v\\?"\'',
    codes: 'AAA😀',
    raw: "\\d\\'",
    bytes: Buffer.from([0xff, 0x41]).toString('base64'),
    raw_bytes: Buffer.from('\\x').toString('base64'),
    lines: 'a\nb',
  });
});

test('numbers', async () => {
  const sql =
    'select 0x1F as a, -9223372036854775808 as b, 1. as c, .5e2 as d, 1E-2 as e, 9223372036854775807 as f';
  expect(await runner.runText(sql)).toBe(
    '[{"a":31,"b":-9223372036854775808,"c":1.0,"d":50.0,"e":0.01,"f":9223372036854775807}]',
  );
});
