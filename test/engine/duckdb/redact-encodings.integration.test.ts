import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { attachMacros } from '../../../src/engine/duckdb/macro-file.js';
import { holdsAddress } from '../../../src/values/address-key.js';
import { macros } from '../../support/macros.js';
import { redactAll } from '../../support/redact-all.js';
import { redactOracle } from '../../support/redact-oracle.js';
import { openScratch } from '../../support/scratch-database.js';

const { connection: database, close } = await openScratch();

/** The function of BigQuery, as one of DuckDB. */
async function createGoogleFunction(): Promise<void> {
  const text = readFileSync('sql/googlesql/redaction.sql', 'utf8');
  const [, body = ''] = /FUNCTION redact\(x STRING\) AS \(\n(.*?)\n\);/s.exec(text) ?? [];
  const expression = body
    .replace(/'(?:[^'\\]|\\.)*'/gs, 'e$&')
    .replaceAll('REGEXP_REPLACE(', 'replace_all(')
    .replaceAll('REGEXP_CONTAINS(', 'regexp_matches(');
  await database.run(`create macro replace_all(x, p, r) as regexp_replace(x, p, r, 'g')`);
  await database.run(`create macro google_redact(x) as (${expression})`);
}

beforeAll(async () => {
  await attachMacros(database, macros);
  await createGoogleFunction();
});
afterAll(close);

const signs = { '@': 'commat', '.': 'period', ':': 'colon' } as const;
type Sign = keyof typeof signs;

type Encode = (sign: Sign) => string;

const hexOf = (sign: Sign) => sign.charCodeAt(0).toString(16);

const encodings: Readonly<Record<string, Encode>> = {
  '%40': (sign) => `%${hexOf(sign).toUpperCase()}`,
  '%40, lower case': (sign) => `%${hexOf(sign)}`,
  '\\u0040': (sign) => `\\u00${hexOf(sign)}`,
  '\\x40': (sign) => `\\x${hexOf(sign)}`,
  '%u0040': (sign) => `%u00${hexOf(sign)}`,
  '&#64;': (sign) => `&#${sign.charCodeAt(0)};`,
  '&#64': (sign) => `&#${sign.charCodeAt(0)}`,
  '&#064;': (sign) => `&#0${sign.charCodeAt(0)};`,
  '&#x40;': (sign) => `&#x${hexOf(sign)};`,
  '&#X0040': (sign) => `&#X00${hexOf(sign).toUpperCase()}`,
  '&commat;': (sign) => `&${signs[sign]};`,
};

const again: Readonly<Record<string, (text: string) => string>> = {
  once: (text) => text,
  'in a URL': encodeURIComponent,
  'in a URL twice': (text) => encodeURIComponent(encodeURIComponent(text)),
  'in JSON': (text) => JSON.stringify(text).slice(1, -1),
  'in the JSON of Go': (text) =>
    JSON.stringify(text).slice(1, -1).replaceAll('&', '\\u0026').replaceAll('%', '\\u0025'),
  'in HTML': (text) => text.replaceAll('&', '&amp;'),
  'in HTML by number': (text) => text.replaceAll('&', '&#38;'),
  'in HTML in a URL': (text) => encodeURIComponent(text.replaceAll('&', '&amp;')),
};

const encoded = Object.entries(encodings).flatMap(([encoding, encode]) =>
  Object.entries(again).map(
    ([how, more]) => [`${encoding} ${how}`, (sign: Sign) => more(encode(sign))] as const,
  ),
);

/** Each text as every implementation redacts it, which must be the same. */
async function redactEverywhere(texts: readonly string[]): Promise<readonly string[]> {
  const list = JSON.stringify(texts);
  const google = await database.runAndReadAll(
    'select google_redact(t) from (select unnest($1::json::varchar[]) as t)',
    [list],
  );
  const redacted = texts.map(redactOracle);
  expect(await redactAll(database, texts)).toEqual(redacted.map((text) => [text, text]));
  expect(google.getRows().flat()).toEqual(redacted);
  expect(texts.map(holdsAddress)).toEqual(texts.map((text, index) => text !== redacted[index]));
  return redacted;
}

const addresses = ['jane@zoo.org', '10.0.0.1', '::1', '2001:db8::7', '1:2:3:4:5:6:1.2.3.4'];

test.each([...encoded, ['as it is', (sign: Sign) => sign] as const])(
  'an address whose signs are escaped: %s',
  async (_, encode) => {
    const some = (escaped: string) =>
      addresses.map((address) =>
        address.replace(/[@.:]/g, (sign) => (escaped.includes(sign) ? encode(sign as Sign) : sign)),
      );
    const texts = ['@.:', '@', '.', ':'].flatMap(some);
    expect(await redactEverywhere(texts)).toEqual(texts.map(() => 'REDACTED'));
    const inside = some('@.:').map((address) => `from <${address}> to`);
    expect(await redactEverywhere(inside)).toEqual(inside.map(() => 'from <REDACTED> to'));
  },
);

test.each([
  ['jane＠zoo.org', 'REDACTED'],
  ['<jane＠zoo%2Eorg>', '<REDACTED>'],
  ['"jane doe"＠zoo.org', 'REDACTED'],
  ['jane&commat;zoo&period;org&colon;8080', 'REDACTED&colon;8080'],
  [
    'a&b.c&d @ &commat &#64 %u %u00 \\x &amp; &#6 100%',
    'a&b.c&d @ &commat &#64 %u %u00 \\x &amp; &#6 100%',
  ],
  ['1&period;2&period;3&period;4&period;5', '1&period;2&period;3&period;4&period;5'],
  ['\\x0ajane@zoo.org\\x2C1.2.3.4', '\\x0aREDACTED\\x2CREDACTED'],
  ['%u000Ajane@zoo.org %u000A1.2.3.4 %u4e2d::1', '%u000AREDACTED %u000AREDACTED %u4e2dREDACTED'],
])('%j -> %j', async (text, expected) => {
  expect(await redactEverywhere([text])).toEqual([expected]);
});
