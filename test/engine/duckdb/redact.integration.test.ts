import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { attachMacros } from '../../../src/engine/duckdb/macro-file.js';
import { macros } from '../../support/macros.js';
import { redactAll } from '../../support/redact-all.js';
import { redactOracle } from '../../support/redact-oracle.js';
import { openScratch } from '../../support/scratch-database.js';

const { connection: database, close } = await openScratch();
beforeAll(() => attachMacros(database, macros));
afterAll(close);

describe('hand-written texts', () => {
  const cases = [
    // IPv4
    ['10.0.0.1', 'REDACTED'],
    ['0.0.0.0 255.255.255.255', 'REDACTED REDACTED'],
    ['1.2.3.4,5.6.7.8 9.9.9.9', 'REDACTED,REDACTED REDACTED'],
    ['1.1.1.1 2.2.2.2 3.3.3.3 4.4.4.4 5.5.5.5', 'REDACTED REDACTED REDACTED REDACTED REDACTED'],
    ['1.1.1.1..2.2.2.2..3.3.3.3', 'REDACTED..REDACTED..REDACTED'],
    ['10.0.0.1:5432', 'REDACTED:5432'],
    ['10.0.0.1/24', 'REDACTED/24'],
    ['peer 1.2.3.4.', 'peer REDACTED.'],
    ['1.2.3.4...', 'REDACTED...'],
    ['.1.2.3.4', '.REDACTED'],
    ['1.2.3.4.com', 'REDACTED.com'],
    ['a.1.2.3.4', 'a.REDACTED'],
    ['1.2.3.4.5', '1.2.3.4.5'],
    ['1.2.3.4.5.6.7.8', '1.2.3.4.5.6.7.8'],
    ['256.1.1.1 1.1.1.256 1.2.3.1000', '256.1.1.1 1.1.1.256 1.2.3.1000'],
    ['1.2.3 and 1.2.3.', '1.2.3 and 1.2.3.'],
    ['v1.2.3.4', 'v1.2.3.4'],
    ['1.2.3.4x', '1.2.3.4x'],
    ['é1.2.3.4 1.2.3.4é', 'é1.2.3.4 1.2.3.4é'],
    ['“1.2.3.4”…1.2.3.4—', '“REDACTED”…REDACTED—'],
    ['ip_1.2.3.4_5.6.7.8_9.9.9.9_', 'ip_REDACTED_REDACTED_REDACTED_'],
    ['192.168.001.010', 'REDACTED'],
    [
      '[1.2.3.4] <1.2.3.4> (1.2.3.4) "1.2.3.4" \'1.2.3.4\'',
      '[REDACTED] <REDACTED> (REDACTED) "REDACTED" \'REDACTED\'',
    ],
    ['host=1.2.3.4;port=1', 'host=REDACTED;port=1'],
    ['1.2.3.4-5.6.7.8', 'REDACTED-REDACTED'],
    ['1.2.3.4\n5.6.7.8\t9.9.9.9', 'REDACTED\nREDACTED\tREDACTED'],
    [
      String.raw`{"trace":"a\n1.2.3.4\t5.6.7.8 \u003c9.9.9.9\u003e"}`,
      String.raw`{"trace":"a\nREDACTED\tREDACTED \u003cREDACTED\u003e"}`,
    ],
    ['1. 2. 3. 4', '1. 2. 3. 4'],
    ['2026.03.10.11', '2026.03.10.11'],
    // IPv6
    ['::1', 'REDACTED'],
    ['::', '::'],
    ['listening on [::]:4000', 'listening on [::]:4000'],
    ['::/0', '::/0'],
    ['1::', 'REDACTED'],
    ['2001:db8::', 'REDACTED'],
    ['2001:db8:85a3:8d3:1319:8a2e:370:7348', 'REDACTED'],
    ['2001:DB8::A', 'REDACTED'],
    ['1:2:3:4:5:6:7::', 'REDACTED'],
    ['::2:3:4:5:6:7:8', 'REDACTED'],
    ['1:2:3::6:7:8', 'REDACTED'],
    ['1:2:3:4:5:6:7', '1:2:3:4:5:6:7'],
    ['12345::1', '12345::1'],
    ['[2001:db8::1]:443', '[REDACTED]:443'],
    ['{"addr":"2001:db8::1"}', '{"addr":"REDACTED"}'],
    ["'fe80::1'", "'REDACTED'"],
    ['ip=2001:db8::1;', 'ip=REDACTED;'],
    ['2001:db8::/32', 'REDACTED/32'],
    ['2001:db8::1/128', 'REDACTED/128'],
    ['fe80::1%eth0', 'REDACTED'],
    ['fe80::1%br-12ab.7/64', 'REDACTED/64'],
    ['fe80::1%25en0]', 'REDACTED]'],
    ['fe80::1%', 'REDACTED%'],
    ['fe80::1%eth0. Next', 'REDACTED. Next'],
    ['::ffff:1.2.3.4', 'REDACTED'],
    ['::ffff:1.2.3.4:80', 'REDACTED:80'],
    ['64:ff9b::10.0.0.1', 'REDACTED'],
    ['1:2:3:4:5:6:1.2.3.4', 'REDACTED'],
    ['::FFFF:10.0.0.1,::ffff:10.0.0.2', 'REDACTED,REDACTED'],
    ['std::string', 'std::string'],
    ['foo::1', 'foo::1'],
    ['x::dead', 'x::dead'],
    ['now()::date 5::bigint', 'now()::date 5::bigint'],
    ['fe80::xyz', 'fe80::xyz'],
    ['_::1 ::1_', '_::1 ::1_'],
    ['é::1 ::1é 1::é', 'é::1 ::1é 1::é'],
    ['éz::1 1::2zé', 'éz::1 1::2zé'],
    ['“::1”', '“REDACTED”'],
    ['addr:2001:db8::1: refused', 'addr:REDACTED: refused'],
    ['2001:db8::1:postgres@app', 'REDACTED:postgres@app'],
    ['2001:db8::1.443 > fe80::2.53:', 'REDACTED.443 > REDACTED.53:'],
    ['10.0.0.5:5432:2001:db8::1', 'REDACTED:REDACTED'],
    ['2001:db8:1:2:3:4:5:6:2001:db8:1:2:3:4:5:6:443', 'REDACTED:REDACTED:443'],
    ['::1,::2 ::3|::4', 'REDACTED,REDACTED REDACTED|REDACTED'],
    [String.raw`a\n2001:db8::1\u0026`, String.raw`a\nREDACTED\u0026`],
    // not an address
    ['00:1b:44:11:3a:b7', '00:1b:44:11:3a:b7'],
    ['2026-03-10T12:30:45.123456Z', '2026-03-10T12:30:45.123456Z'],
    ['10/Mar/2026:11:58:31 +0000', '10/Mar/2026:11:58:31 +0000'],
    ['7c0f3a52-1111-4222-8333-00000000000a', '7c0f3a52-1111-4222-8333-00000000000a'],
    ['[:realtime, :connections]', '[:realtime, :connections]'],
    ['room:lobby:42 {a: {b: 1}}', 'room:lobby:42 {a: {b: 1}}'],
    ['Chrome/120.0.0.0x', 'Chrome/120.0.0.0x'],
    // e-mail addresses
    ['jane@example.com', 'REDACTED'],
    ['Jane.Doe+logs_1%x-y@mail.EXAMPLE.co.uk', 'REDACTED'],
    ['a@b.co,c@d.ee;e@f.gg', 'REDACTED,REDACTED;REDACTED'],
    ['<jane@example.com>', '<REDACTED>'],
    ['mailto:jane@example.com?subject=1', 'mailto:REDACTED?subject=1'],
    ['to jane@example.com.', 'to REDACTED.'],
    ['jörg@bücher.example', 'REDACTED'],
    ['a@b', 'a@b'],
    ['a@b.1', 'a@b.1'],
    ['pkg@1.2.3', 'pkg@1.2.3'],
    ['a@b.c1', 'a@b.c1'],
    ['@channel hello, @all', '@channel hello, @all'],
    ['a@b.co@c.de', 'REDACTED'],
    ['app@10.0.0.1:5432', 'app@REDACTED:5432'],
    ['app@10.0.0.1.internal', 'REDACTED'],
    ['10.0.0.1@example.com', 'REDACTED'],
    [
      String.raw`{"m":"\njane@example.com\u003e \u003cbo@example.com"}`,
      String.raw`{"m":"\nREDACTED\u003e \u003cREDACTED"}`,
    ],
    ['', ''],
    ['REDACTED', 'REDACTED'],
  ] as const;
  let redacted: readonly (readonly [string, string])[];
  beforeAll(async () => {
    redacted = await redactAll(
      database,
      cases.map(([text]) => text),
    );
  });

  test.each(cases.map(([text, expected], index) => [text, expected, index] as const))(
    '%j -> %j',
    (text, expected, index) => {
      expect(redactOracle(text)).toBe(expected);
      expect(redacted[index]).toEqual([expected, expected]);
    },
  );
});
