import { afterAll, beforeAll, expect, test } from 'vitest';
import { attachMacros } from '../../../src/engine/duckdb/macro-file.js';
import { macros } from '../../support/macros.js';
import { redactAll } from '../../support/redact-all.js';
import { redactOracle } from '../../support/redact-oracle.js';
import { openScratch } from '../../support/scratch-database.js';

const { connection: database, close } = await openScratch();
beforeAll(() => attachMacros(database, macros));
afterAll(close);

test.each([
  // escapes in URLs, in JSON, in HTML
  ['/users?email=jane%40example.com&x=1', '/users?email=REDACTED&x=1'],
  ['jane%40example%2Ecom jane%40example%2ecom%2Fx', 'REDACTED REDACTED%2Fx'],
  ['jane%2Edoe%2Bx%40example.com', 'REDACTED'],
  ['next=%2Fusers%2Fjane%40example.com%2Fedit', 'next=%2Fusers%2FREDACTED%2Fedit'],
  ['next=%252Fusers%252Fjane%2540example.com', 'next=%252Fusers%252FREDACTED'],
  [String.raw`{"m":"jane\u0040example\u002ecom"}`, '{"m":"REDACTED"}'],
  [String.raw`{"m":"jane\u002Edoe\u002Bx\\u0040example\\\u002Ecom"}`, '{"m":"REDACTED"}'],
  ['jane&#64;example.com jane&#x40;example&#46;com', 'REDACTED REDACTED'],
  ['jane&#064;example.com jane&amp;#64;example&#x2E;com', 'REDACTED REDACTED'],
  [
    'jane%40home %40example.com npm/%40scope%2Fpkg',
    'jane%40home %40example.com npm/%40scope%2Fpkg',
  ],
  ['10%2E0%2E0%2E1 10%2e0.0%2E1', 'REDACTED REDACTED'],
  [String.raw`"10\u002e0\u002E0\\u002e1" 10&#46;0&#46;0&#46;1`, '"REDACTED" REDACTED'],
  ['1%2E2%2E3%2E4%2E5 256%2E1%2E1%2E1', '1%2E2%2E3%2E4%2E5 256%2E1%2E1%2E1'],
  ['1%2E2%2E3%2E4%2E %2E1.2.3.4', 'REDACTED%2E %2EREDACTED'],
  ['http%3A%2F%2F10.0.0.1%3A80%2Fx', 'http%3A%2F%2FREDACTED%3A80%2Fx'],
  ['ip%3D10.0.0.1%2C10.0.0.2%20and%2010.0.0.3', 'ip%3DREDACTED%2CREDACTED%20and%20REDACTED'],
  ['2001%3Adb8%3A%3A1 2001%3adb8:%3a1 %3A%3A1', 'REDACTED REDACTED REDACTED'],
  [String.raw`"fe80\u003a\u003a1" fe80&#58;&#x3a;1`, '"REDACTED" REDACTED'],
  ['http://%5B2001%3Adb8%3A%3A1%5D%3A443/', 'http://%5BREDACTED%5D%3A443/'],
  ['2001%3Adb8%3A%3A%2F32 %3A%3A', 'REDACTED%2F32 %3A%3A'],
  ['%3A%3Affff%3A1%2E2%2E3%2E4', 'REDACTED'],
  ['fe80%3A%3A1%25en0 fe80%3A%3A1%20 fe80::1%2C', 'REDACTED REDACTED REDACTED%2C'],
  ['std%3A%3Astring 12%3A34%3A56 %3A%3A1é', 'std%3A%3Astring 12%3A34%3A56 %3A%3A1é'],
  // an escape before an address is not part of it
  [String.raw`{"a":"x\nbob@example.com"}`, String.raw`{"a":"x\nREDACTED"}`],
  [String.raw`{"a":"jane\n@example.com"}`, String.raw`{"a":"jane\n@example.com"}`],
  [String.raw`{"a":"\t@b.co \u0041@b.co"}`, String.raw`{"a":"\t@b.co \u0041@b.co"}`],
  [
    String.raw`{"a":"\"bob@b.co\" \\bo.b@b.co \/bob@b.co"}`,
    String.raw`{"a":"\"REDACTED\" \\bREDACTED \/REDACTED"}`,
  ],
  [
    String.raw`{"a":"\b::1 \fdead::1 \t::1 \n1.2.3.4 \\::1"}`,
    String.raw`{"a":"\bREDACTED \fREDACTED \tREDACTED \nREDACTED \\REDACTED"}`,
  ],
  [
    String.raw`{"a":"{\"b\":\"x\\nbob@b.co\\n@b.co\"}"}`,
    String.raw`{"a":"{\"b\":\"x\\nREDACTED\\n@b.co\"}"}`,
  ],
  [String.raw`{"a":"bob@b.co\n1.2.3.4\n::1"}`, String.raw`{"a":"REDACTED\nREDACTED\nREDACTED"}`],
  [String.raw`CORP\jane@b.co`, String.raw`CORP\REDACTED`],
  // quoted local parts
  ['"jane doe"@example.com', 'REDACTED'],
  ['to <"jane, doe"@example.com>', 'to <REDACTED>'],
  [String.raw`"jane \"j\" doe"@example.com`, 'REDACTED'],
  ['"jane@home"@example.com', 'REDACTED'],
  [String.raw`{"to":"\"jane doe\"@example.com"}`, '{"to":"REDACTED"}'],
  [
    String.raw`{"a":"{\"to\":\"\\\"jane doe\\\"@example.com\"}"}`,
    String.raw`{"a":"{\"to\":\"REDACTED\"}"}`,
  ],
  ['to=%22jane%20doe%22%40example.com', 'to=REDACTED'],
  ['&quot;jane doe&quot;&#64;example.com', 'REDACTED'],
  [
    '{"a":"@b.co","c" : "@d.ee","e":["x","@f.gg", 1, "@h.ii"]}',
    '{"a":"@b.co","c" : "@d.ee","e":["x","@f.gg", 1, "@h.ii"]}',
  ],
  [String.raw`{"a":"{\"b\":\"@b.co\"}"}`, String.raw`{"a":"{\"b\":\"@b.co\"}"}`],
  ['a="x" b="@b.co"', 'a="x" b="@b.co"'],
  // apostrophes
  ["o'brien@example.com d’arc@example.com", 'REDACTED REDACTED'],
  ["'jane@example.com'", "'REDACTED'"],
  ["values ('o''brien@example.com')", "values ('REDACTED')"],
  [String.raw`{"m":"o\u0027brien@example.com"}`, '{"m":"REDACTED"}'],
  ['o%27brien%40example.com o&#39;brien@example.com', 'REDACTED REDACTED'],
  ['%27jane%40example.com%27', '%27REDACTED%27'],
  // the marks that redaction itself uses
  ['jane\uFDD1@example.com 1.2\uFDD2.3.4', 'jane\uFFFD@example.com 1.2\uFFFD.3.4'],
])('%j -> %j', async (text, expected) => {
  expect(redactOracle(text)).toBe(expected);
  expect(await redactAll(database, [text])).toEqual([[expected, expected]]);
});

test('JSON stays JSON, and its strings are redacted as if they stood alone', async () => {
  const values = [
    'x\nbob@example.com',
    '\b::1',
    '\\\tb@b.co',
    '"jane doe"@b.co\u2028',
    '"',
    '\n@b.co',
  ];
  const texts = values.flatMap((value) => [value, JSON.stringify([value, { k: value }])]);
  const redacted = (await redactAll(database, texts)).map(([once]) => once);
  for (let place = 0; place < texts.length; place += 2) {
    const value = redacted[place];
    expect(JSON.parse(redacted[place + 1] ?? '')).toEqual([value, { k: value }]);
  }
});
