import { expect, test } from 'vitest';
import { createLineMapper, createRecordMapper } from '../../../src/logs/shapes/map-line.js';
import { createTextReader } from '../../../src/logs/shapes/read-text.js';
import { recognizeLines } from '../../../src/logs/shapes/recognize.js';
import { createInZone } from '../../../src/logs/shapes/zone.js';
import { mappingsOf, readShippedShapes } from '../../support/declared-sources.js';

const shapes = mappingsOf(readShippedShapes({ makesLevel: true }));

interface Row {
  readonly timestamp: string | number;
  readonly level?: string;
  readonly event_message: string;
  readonly metadata?: object;
}

/** Reads lines by the shape that they are recognised as, in a zone. */
function read(lines: readonly string[], timezone?: string) {
  const { shape = '', fitting = 0 } = recognizeLines(lines, shapes) ?? {};
  const mapping = { ...shapes[shape], ...(timezone && { timezone }) } as (typeof shapes)[string];
  const text = fitting === 0 ? (mapping.text?.otherwise ?? mapping.text) : mapping.text;
  const latin = lines.map((line) => Buffer.from(line).toString('latin1'));
  const facts = {
    writtenMs: Date.parse('2026-03-10T12:30:00Z'),
    ...(timezone && { inZone: createInZone(timezone) }),
  };
  const reader = text && createTextReader(text, createRecordMapper(mapping), facts);
  const mapLine = createLineMapper(mapping);
  const written = reader
    ? latin.map(reader.read).join('') + reader.end()
    : latin.map((line) => `${mapLine(line)}\n`).join('');
  const rows = written.split('\n').filter((line) => line !== '');
  return {
    shape,
    rows: rows.map((row): Row | undefined => {
      const text = Buffer.from(row, 'latin1').toString();
      return text.startsWith('{') ? JSON.parse(text) : undefined;
    }),
  };
}

/** Returns an instant as ISO 8601 in UTC. */
function instant({ timestamp }: Row): string {
  const number = Number(timestamp);
  const digits = String(Math.trunc(number)).length;
  const ms = digits > 13 ? number / 1000 : digits > 10 ? number : number * 1000;
  return new Date(Number.isNaN(number) ? timestamp : Math.round(ms)).toISOString();
}

/** What is read of lines: the shape, and the time, level and message of each record; null for a line that is skipped. */
function outline(lines: readonly string[], timezone?: string) {
  const { shape, rows } = read(lines, timezone);
  const day = '2026-03-10T';
  return [
    shape,
    ...rows.map((row) => {
      if (row === undefined) return null;
      const time = instant(row).replace(day, '').replace('.000Z', '').replace('Z', '');
      return `${time} ${row.level ?? '-'} ${row.event_message}`;
    }),
  ];
}

/** Lines of a log, and what is read of them. */
type Case = readonly [lines: string, shape: string, ...rows: (string | null)[]];

const zones: readonly Case[] = [
  ['2026-03-10 12:00:00.123 CET [71] LOG:  ready', 'postgres', '11:00:00.123 info ready'],
  ['2026-03-10 12:00:00.123 EDT [71] LOG:  ready', 'postgres', '16:00:00.123 info ready'],
  ['2026-03-10 12:00:00.123 +03 [71] LOG:  ready', 'postgres', '09:00:00.123 info ready'],
  ['2026-03-10 12:00:00.123 -0330 [71] LOG:  ready', 'postgres', '15:30:00.123 info ready'],
  ['2026-03-10 12:00:00.123 XYZ [71] LOG:  ready', 'postgres', '12:00:00.123 info ready'],
  [
    '2026-03-10 12:00:00.123 CET,"a","b",72,"c",65ed.48,1,"SELECT",2026-03-10 11:59:00 CET,3/1,0,ERROR,42P01,"x",,,,,,"select 1",15,,"psql","client backend",,0',
    'postgres-csv',
    '11:00:00.123 error x',
  ],
  [
    '{"timestamp":"2026-03-10 12:00:00.123 CET","pid":1,"error_severity":"LOG","message":"x","backend_type":"b"}',
    'postgres-json',
    '11:00:00.123 info x',
  ],
  ['2026-03-10 12:00:00 CET INFO started', 'text', '11:00:00 info started'],
  ['2026-03-10 12:00:00 ESTABLISHED 7', 'text', '12:00:00 - ESTABLISHED 7'],
];

const postgres: readonly Case[] = [
  ['1773144000.123 [71] LOG:  ready', 'postgres', '12:00:00.123 info ready'],
  [
    '2026-03-10 12:00:00 UTC:203.0.113.7(51022):app@shop:[72]:ERROR:  x\n2026-03-10 12:00:01 UTC::@:[71]:LOG:  y',
    'postgres',
    '12:00:00 error x',
    '12:00:01 info y',
  ],
  [
    '2026-03-10 12:00:00 UTC [72]: [1-1] user=app,db=shop,app=psql,client=10.0.0.1 ERROR:  x',
    'postgres',
    '12:00:00 error x',
  ],
];

const times: readonly Case[] = [
  ['10-Mar-2026 12:00:00.123 SEVERE [main] a.B c', 'text', '12:00:00.123 error [main] a.B c'],
  [
    '[10-Mar-2026 12:00:00 UTC] PHP Warning:  x in /a.php\n[10-Mar-2026 12:00:01 Europe/Berlin] PHP Fatal error:  y\nStack trace:\n#0 {main}',
    'text',
    '12:00:00 warning PHP Warning:  x in /a.php',
    '11:00:01 critical PHP Fatal error:  y\nStack trace:\n#0 {main}',
  ],
  ['INFO 2026-03-10 12:00:00,123 basehttp 7 x', 'text', '12:00:00.123 info basehttp 7 x'],
  ['INFO:2026-03-10 12:00:00,123:up', 'text', '12:00:00.123 info up'],
  [
    'WARN  [main] 2026-03-10 12:00:00,123 X.java:1 - w',
    'text',
    '12:00:00.123 warning X.java:1 - w',
  ],
  ['[10/Mar/2026:12:00:00 +0100] a', 'text', '11:00:00 - a'],
  ['[10/Mar/2026 12:00:00] a', 'text', '12:00:00 - a'],
  ['Tue Mar 10 12:00:00 2026 a', 'text', '12:00:00 - a'],
  ['Tue Mar 10 12:00:00 UTC 2026 a', 'text', '12:00:00 - a'],
  ['[Tue Mar 10 12:00:00 2026] usb 1-1: new', 'text', '12:00:00 - usb 1-1: new'],
  ['Tue, 10 Mar 2026 12:00:00 GMT a', 'text', '12:00:00 - a'],
  ['03/10/2026 12:00:00 ERROR a', 'text', '12:00:00 error a'],
  ['13/03/2026 12:00:00 a', 'text', '2026-03-13T12:00:00 - a'],
  ['3/10/2026 1:00:00 PM INFO a', 'text', '13:00:00 info a'],
  ['10.03.2026 12:00:00 a', 'text', '12:00:00 - a'],
  ['20260310T120000Z a', 'text', '12:00:00 - a'],
  [
    '1773144000.123    12 192.0.2.10 TCP_MISS/200',
    'text',
    '12:00:00.123 - 12 192.0.2.10 TCP_MISS/200',
  ],
  ['1773144000123 INFO a', 'text', '12:00:00.123 info a'],
  ['1.773144000123456e+09\tinfo\ta', 'text', '12:00:00.123 info a'],
  ['26/03/10 12:00:00 WARN NativeCodeLoader: a', 'text', '12:00:00 warning NativeCodeLoader: a'],
  ['[Nest] 7  - 03/10/2026, 12:00:00 PM     LOG [App] a', 'text', '12:00:00 info a'],
  ['Tue 2026-03-10 12:00:00 UTC web-1 sshd[800]: a', 'text', '12:00:00 - web-1 sshd[800]: a'],
  ['[pod/web-1/web] 2026-03-10T12:00:00Z a', 'text', '12:00:00 - a'],
  ['2026-03-10  9:00:02 8 [ERROR] mariadbd: a', 'text', '09:00:02 error mariadbd: a'],
  ['12:00:00.123 [info] a', 'text', '12:00:00.123 info a'],
  [
    '  2026-03-10T12:00:00Z  INFO a::b: c\n    at src/main.rs:12',
    'text',
    '12:00:00 info a::b: c\n    at src/main.rs:12',
  ],
];

const levels: readonly Case[] = [
  ['2026-03-10 12:00:00.123 +01:00 [ERR] failed', 'text', '11:00:00.123 error failed'],
  ['2026-03-10 12:00:00 [info     ] started   port=1', 'text', '12:00:00 info started   port=1'],
  ['[2026-03-10T12:00:00,123][INFO ][o.e.n.Node   ] [n] up', 'text', '12:00:00.123 info [n] up'],
  ['[2026-03-10T12:00:00Z INFO  shop] up', 'text', '12:00:00 info up'],
  ['[2026-03-10 12:00:00,123: ERROR/MainProcess] a', 'text', '12:00:00.123 error a'],
  ['2026-03-10T12:00:00Z 8 [ERROR] [MY-000067] [Server] a', 'text', '12:00:00 error a'],
  ['2026-03-10T12:00:00Z 0 [System] [MY-010116] [Server] a', 'text', '12:00:00 - a'],
  [
    '2026-03-10 12:00:00,123 fail2ban.actions        [800]: NOTICE  [sshd] Ban',
    'text',
    '12:00:00.123 notice [sshd] Ban',
  ],
  [
    '[2026-03-10T12:00:00.123+0000] {standard.py:1} ERROR - Failed',
    'text',
    '12:00:00.123 error Failed',
  ],
  [
    '2026-03-10 12:00:00,123 [myid:1] - WARN  [main:X@1] - w',
    'text',
    '12:00:00.123 warning [main:X@1] - w',
  ],
  ['2026-03-10 12:00:00.123+0000 [id=1]\tINFO\th.x#y: up', 'text', '12:00:00.123 info h.x#y: up'],
  [
    '2026-03-10 12:00:00,123 [7] ERROR Shop.Pay [(null)] - bad',
    'text',
    '12:00:00.123 error Shop.Pay [(null)] - bad',
  ],
  ['2026-03-10 12:00:00,123 [MainThread  ] [ERROR] shop: a', 'text', '12:00:00.123 error shop: a'],
  [
    '2026-03-10T12:00:00.000+0100\tERROR\tmain.go:41\tfailed',
    'text',
    '11:00:00 error main.go:41\tfailed',
  ],
  ['2026-03-10 12:00:00.123 | SUCCESS  | a:b:41 - paid', 'text', '12:00:00.123 info a:b:41 - paid'],
  ['[2026-03-10 12:00:00 +0000] [7] [ERROR] a', 'text', '12:00:00 error a'],
  ['2026-03-10T12:00:00.123Z [cart] error: a', 'text', '12:00:00.123 error a'],
  [
    '2026-03-10 12:00:00 [cart] error while charging',
    'text',
    '12:00:00 - [cart] error while charging',
  ],
  ['[12:00:00] [Server thread/WARN]: a', 'text', '12:00:00 warning a'],
  ['2026-03-10 12:00:00 HTTP GET /x', 'text', '12:00:00 - HTTP GET /x'],
  ...[
    'http: TLS handshake error',
    'all: done',
    'ok: x',
    'Config: read',
    '[log] x',
    'success: y',
  ].map((text): Case => [`2026/03/10 12:00:00 ${text}`, 'text', `12:00:00 - ${text}`]),
];

const trace = '0123456789abcdef0123456789abcdef-0123456789abcdef';
const shop = '2026-03-10T12:00:00.123456Z';

const java: readonly Case[] = [
  [
    'Mar 10, 2026 1:00:00 PM a.b.C start\nINFO: up\nMar 10, 2026 1:00:01\u202fPM a.B y\nSEVERE: bad\njava.lang.X',
    'java-logging',
    '13:00:00 info up',
    '13:00:01 error bad\njava.lang.X',
  ],
  [
    `2026-03-10T12:00:00Z  INFO 7 --- [shop] [           main] [${' '.repeat(49)}] a.B    : up\n2026-03-10T12:00:01Z ERROR 7 --- [shop] [exec-1] [${trace}] a.B   : bad`,
    'spring-boot',
    '12:00:00 info up',
    '12:00:01 error bad',
  ],
  [
    '2026-03-10 12:00:00.123  INFO [shop,0123456789abcdef,0123456789abcdef] 7 --- [  main] a.B  : up',
    'spring-boot',
    '12:00:00.123 info up',
  ],
  ['12:00:00.123 [main] INFO c.e.App -- up', 'log4j', '12:00:00.123 info up'],
  ['12:00:00.123 [main] INFO c.e.App -a="b c"- up', 'log4j', '12:00:00.123 info up'],
];

const tables: readonly Case[] = [
  ['date,message\n2026-03-10T12:00:00Z,a', 'csv', '12:00:00 - a'],
  ['Date,Time,Level,Message\n10.03.2026,12:00:00,Error,x', 'csv', '12:00:00 error x'],
  ['"@timestamp","message"\n"Mar 10, 2026 @ 12:00:00.123","a"', 'csv', '12:00:00.123 - a'],
  [
    'time;level;message\n2026-03-10 12:00:00Z;WARN;"a; b"',
    'csv-semicolon',
    '12:00:00 warning a; b',
  ],
  ...['', ',"client backend"'].map(
    (more): Case => [
      `2026-03-10 12:00:00 UTC,"a","b",7,"c",6.4,1,"SELECT",2026-03-10 11:59:00 UTC,3/1,0,ERROR,42P01,"x",,,,,,"y",15,,"psql"${more}`,
      'postgres-csv',
      '12:00:00 error x',
    ],
  ),
];

const others: readonly Case[] = [
  [
    'INFO: Analyzed target\nERROR: build failed',
    'text',
    '12:30:00 info INFO: Analyzed target',
    '12:30:00 error ERROR: build failed',
  ],
  [
    'INFO:     Started server process [7]\nERROR:    bad',
    'uvicorn',
    '12:30:00 info Started server process [7]',
    '12:30:00 error bad',
  ],
  [`${shop}  INFO ThreadId(01) a::b: src/main.rs:12: up`, 'tracing-text', '12:00:00.123 info up'],
  [
    `${shop} ERROR main ThreadId(02) r{id=1}: a::b: src/main.rs:13: bad`,
    'tracing-text',
    '12:00:00.123 error bad',
  ],
  [
    `${shop}  INFO a::b: up\n${shop} ERROR failed`,
    'tracing-text',
    '12:00:00.123 info up',
    '12:00:00.123 error failed',
  ],
  [
    '[0-a] Started GET "/" for ::1 at 2026-03-10 12:00:00 +0000\n[0-a] Completed 404 Not Found in 12ms (Views: 3ms)',
    'rails',
    '12:00:00 warning Started GET "/" for ::1 at 2026-03-10 12:00:00 +0000\nCompleted 404 Not Found in 12ms (Views: 3ms)',
  ],
  [
    '# Time: 260310  9:00:00\n# User@Host: a[a] @ h []\n# Thread_id: 12  Schema: s  QC_hit: No\nselect 1;\n# User@Host: a[a] @ h []\n# Schema: s  Errno: 0\nSET timestamp=1773133201;\nselect 2;',
    'mysql-slow',
    '09:00:00 - select 1;',
    '09:00:01 - select 2;',
  ],
  [
    '2026-03-10T12:00:00+00:00 fail: Shop.Pay[0]\n      bad',
    'dotnet-console',
    '12:00:00 error bad',
  ],
  ['2026-03-10 12:00:00 info: Shop.Pay[0] up', 'dotnet-console', '12:00:00 info up'],
  ['<3>Shop.Pay[0] bad', 'dotnet-console', '12:30:00 error bad'],
  ['I20260310 12:00:00.123456 12345 main.cc:1] up', 'klog', '12:00:00.123 info up'],
  [
    '7:M 10 Mar 2026 12:00:00.123 * Ready\n7:signal-handler (1773144003) Received SIGTERM',
    'redis',
    '12:00:00.123 notice Ready',
    '12:00:03 - Received SIGTERM',
  ],
  [
    '2026-03-10 12:00:00.123 UTC [71] LOG:  ready\n2026-03-10 12:00:01 INFO other',
    'postgres',
    '12:00:00.123 info ready',
    '12:00:01 info other',
  ],
];

test('a value in single quotes is one value', () => {
  const line = "method=GET error='NoMethodError: undefined 'x' for nil' status=500 a='b";
  const { rows } = read([line]);
  expect(rows[0]?.metadata).toEqual({
    method: 'GET',
    error: "NoMethodError: undefined 'x' for nil",
    status: 500,
    a: "'b",
  });
});

const cases = [...zones, ...postgres, ...times, ...levels, ...java, ...tables, ...others].map(
  ([lines, ...expected]) => ({
    lines,
    expected,
  }),
);

test.each(cases)('$lines', ({ lines, expected }) => {
  expect(outline(lines.split('\n'))).toEqual(expected);
});

test('an abbreviation without an offset means the zone of the file', () => {
  const lines = ['2026-03-10 12:00:00 IST [71] LOG:  ready', '2026-03-10 12:00:00 CET [7] LOG:  a'];
  const [, ...rows] = outline(lines, 'Asia/Kolkata');
  expect(rows).toEqual(['06:30:00 info ready', '11:00:00 info a']);
});
