import { type Differing, instead, type Reason } from './reason.js';

/** Why bigquery-emulator answers otherwise where an answer is redacted. */
export const reasonsOfRedacted: readonly Reason[] = [
  {
    statement: `SELECT ${'REPLACE('.repeat(40)}'a'${", 'b', 'c')".repeat(40)}`,
    theirs: 'parser stack overflow: SQLite takes no calls as deep as those that redact',
    right: 'a',
    says: /: parser stack overflow$/,
  },
  {
    statement: "SELECT REGEXP_REPLACE('ab', '(a)', r'\\1')",
    theirs: '${1b: a group at the end of a replacement is not closed',
    right: 'ab',
    gives: withOpenGroups,
  },
  {
    statement: "SELECT REGEXP_REPLACE('ab', 'a', r'\\0;')",
    theirs: String.raw`\0;b`,
    right: 'the group 0 is the whole match: a;b',
    gives: instead(
      [String.raw`"/users?email=jane\\0example\\0com&x=1"`, '"/users?email=REDACTED&x=1"'],
      [String.raw`"ip\\010\\00.0\\01\\0x"`, '"ip%3DREDACTED%2Fx"'],
      [String.raw`"http://\\0fe80\\0\\01\\0/"`, '"http://%5BREDACTED%5D/"'],
      [
        String.raw`"{\"m\":\"jane\\0example\\0com 10\\00.0.1 fe80\\0\\01\"}"`,
        String.raw`"{\"m\":\"REDACTED REDACTED REDACTED\"}"`,
      ],
      [String.raw`"jane\\0example.com"`, '"REDACTED"'],
      [String.raw`"{\"m\":\"\\0jane doe\\0@example.com\"}"`, String.raw`"{\"m\":\"REDACTED\"}"`],
    ),
  },
  {
    statement: `SELECT JSON_VALUE(REGEXP_REPLACE('{"a":"x"}', '(x)"', r'y"\\1'), '$.a')`,
    theirs: 'expected comma after object value: the JSON has ${1',
    right: 'NULL, since it is no JSON',
    says: /^failed to scan rows: expected comma after object value$/,
    cases: ['own.pii.email-in-json-text', 'own.pii.email-parse-json'],
  },
  {
    statement: "SELECT LENGTH(REGEXP_REPLACE('ab', '(a)', r'\\1'))",
    theirs: '4: what reads a redacted text reads ${1',
    right: '2',
    gives: instead(
      ['"19"', '"16"'],
      ['null', '"REDACTED"'],
      ['"1{$DETCADER ot tnes"', '"DETCADER ot tnes"'],
      [
        '"UjI5VWNuVmxJRUZRU1NCemRHRnlkR1ZrSUc5dU9pQlNSVVJCUTFSRlJDUjdNams1T1RrPQ=="',
        '"R29UcnVlIEFQSSBzdGFydGVkIG9uOiBSRURBQ1RFRDo5OTk5"',
      ],
      [
        '"X-Forwarded-For: REDACTED${2 REDACTED${2150.172.238.178"',
        '"X-Forwarded-For: REDACTED, REDACTED,REDACTED"',
      ],
    ),
    cases: [
      ...['pii.blind.025', 'pii.blind.029', 'pii.blind.032', 'pii.ipv4.012'],
      'own.pii.email-length',
    ],
  },
];

/** Whether ours is theirs with some text for each group that is not closed: `a${1b` is `a`, any text, and `b`. */
function withOpenGroups({ ours, theirs }: Differing): boolean {
  const parts = theirs.split(/\$\{\d/);
  if (parts.length === 1) return false;
  const pattern = parts.map((part) => part.replaceAll(/[^\w ]/g, '\\$&')).join('.{0,9}');
  return new RegExp(`^${pattern}$`).test(ours);
}
