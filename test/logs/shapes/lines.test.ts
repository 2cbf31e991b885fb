import { expect, test } from 'vitest';
import { createRecordMapper } from '../../../src/logs/shapes/map-line.js';
import { createTextReader } from '../../../src/logs/shapes/read-text.js';
import { recognizeLines } from '../../../src/logs/shapes/recognize.js';
import { mappingsOf, readShippedShapes } from '../../support/declared-sources.js';

const shapes = mappingsOf(readShippedShapes({ makesLevel: true }));

/** The recognized shape of lines, and their records without `project`; `!` for a skipped line. */
function read(lines: readonly string[]) {
  const shape = recognizeLines(lines, shapes)?.shape ?? '';
  const mapping = shapes[shape];
  if (mapping?.text === undefined) throw new Error(`the shape is ${shape}`);
  const facts = { writtenMs: Date.parse('2026-03-10T12:30:00Z') };
  const reader = createTextReader(mapping.text, createRecordMapper(mapping), facts);
  const latin = lines.map((line) => Buffer.from(line).toString('latin1'));
  const written = latin.map(reader.read).join('') + reader.end();
  const records = written.split('\n').filter((line) => line !== '');
  return {
    shape,
    records: records.map((line) => {
      if (line === '!') return line;
      const { project: _, metadata, ...rest } = JSON.parse(Buffer.from(line, 'latin1').toString());
      return { ...metadata, ...rest };
    }),
  };
}

const request = '[10/Mar/2026:12:00:00 +0000] "GET /a?b HTTP/1.1" 502 5';
const common = `203.0.113.7 - - ${request}`;
const combined = `${common} "-" "curl/8"`;
const got = {
  ...{ timestamp: '2026-03-10T12:00:00+0000', level: 'error', event_message: 'GET /a?b HTTP/1.1' },
  ...{ remote_addr: '203.0.113.7', request_method: 'GET', path: '/a', args: 'b', status: '502' },
};

test.each([
  ['cri', `2026-03-10T12:00:00.123Z stdout F ${combined}`, { stream: 'stdout' }],
  ['cri', `2026-03-10T12:00:00.123Z stdout F ${common}`, { event_message: common }],
  ['common', `::1 - "" ${request}`, { ...got, remote_addr: '::1' }],
  ['common', `${common} 12`, { ...got, extra: '12' }],
  [
    'common',
    `${common.replace('/a?b', '/\\"x\\"?y=\\"')}`,
    { path: '/\\"x\\"', args: 'y=\\"', server_protocol: 'HTTP/1.1' },
  ],
  ['combined', `fe80::1 - john doe ${request} "-" "-"`, { remote_user: 'john doe' }],
  ['combined', `web-1 shop ${combined}`, { ...got, prefix: 'web-1 shop' }],
  ['combined', `${combined} 1234`, { ...got, http_user_agent: 'curl/8', extra: '1234' }],
  ['combined', `${combined} 812 5500`, { ...got, request_length: '812', bytes_sent: '5500' }],
  ['combined', `${combined} "3.12"`, { ...got, gzip_ratio: '3.12' }],
  [
    'combined',
    `${combined} 5.012 5.000, 0.010`,
    { ...got, request_time: '5.012', upstream_response_time: '0.010' },
  ],
  [
    'combined',
    `${combined} "192.0.2.1, 10.0.0.1" "shop.example" 0.012 "0.010 : 0.002"`,
    {
      ...{ ...got, http_x_forwarded_for: '192.0.2.1, 10.0.0.1', http_host: 'shop.example' },
      ...{ request_time: '0.012', upstream_response_time: '0.002' },
    },
  ],
  [
    'combined',
    `${combined} "-" rt=0.012 uct="0.001" uht="0.010" urt="0.011"`,
    {
      ...{ ...got, request_time: '0.012', upstream_connect_time: '0.001' },
      ...{ upstream_header_time: '0.010', upstream_response_time: '0.011' },
    },
  ],
  ['combined', `${combined} cache=HIT id="x y" n=7`, { ...got, cache: 'HIT', id: 'x y', n: 7 }],
  [
    'combined',
    `${combined} 512 5.001 [default-web-80] [] 10.0.0.2:80, 10.0.0.3:80 0, 190 5.000, 0.001 502, 200 0123ab`,
    {
      ...{ ...got, request_length: '512', request_time: '5.001', req_id: '0123ab' },
      ...{ proxy_upstream_name: 'default-web-80', upstream_addr: '10.0.0.2:80, 10.0.0.3:80' },
      ...{ upstream_response_length: '190', upstream_response_time: '0.001' },
      ...{ upstream_status: '200' },
    },
  ],
  [
    'combined',
    `${combined} 1 "web@docker" "http://172.17.0.2:80" 12ms`,
    {
      ...{ ...got, request_count: '1', router_name: 'web@docker', request_time: 0.012 },
      ...{ service_url: 'http://172.17.0.2:80' },
    },
  ],
  [
    'vhost-combined',
    `[2001:db8::1]:80 ${combined}`,
    { ...got, server_name: '[2001:db8::1]', server_port: '80' },
  ],
  ['vhost-combined', `shop.example ${combined}`, { ...got, server_name: 'shop.example' }],
  ['text', '2026-03-10 12:00:02,999 ERROR shop.pay: charge failed', { level: 'error' }],
  ['text', '2026-03-10T12:00:01Z ERR provider: bad', { level: 'error' }],
  ['text', '2026-03-10T12:00:01.123456Z ERROR failed: http://x', { level: 'error' }],
  ['text', '2026-03-10 12:00:02 web-1 shop: up', { event_message: 'web-1 shop: up' }],
  [
    'alb',
    '2026-03-10T12:00:00.123456Z my-lb 203.0.113.7:2817 10.0.0.1:80 0.000073 0.001 0.00005 503 200 0 29 "GET http://shop.example:80/ HTTP/1.1" "curl/8" - -',
    {
      ...{ timestamp: '2026-03-10T12:00:00.123456Z', level: 'error', elb: 'my-lb' },
      ...{ remote_addr: '203.0.113.7', status: '503', target_status_code: '200' },
    },
  ],
  ['syslog', 'Mar 10 12:00:03 log app[7]: up', { hostname: 'log', appname: 'app' }],
  [
    'syslog',
    '<11>Mar 10 2026 12:00:03 web-1 app: up',
    { timestamp: '2026-03-10T12:00:03Z', level: 'error', hostname: 'web-1', appname: 'app' },
  ],
  [
    'syslog',
    'Mar 10 12:00:03 10.0.0.1 %ASA-4-106023: Deny tcp',
    { hostname: '10.0.0.1', appname: '%ASA-4-106023', event_message: 'Deny tcp' },
  ],
  ['syslog', '64 <34>1 2026-03-10T12:00:01Z h su 8 - - x', { level: 'critical', hostname: 'h' }],
  [
    'haproxy',
    '2026-03-10T12:00:00.123456+01:00 lb1 haproxy[1201]: 203.0.113.7:51022 [10/Mar/2026:12:00:00.123] fe be/app1 0/0/1/11/12 502 5120 - - ---- 1/1/0/0/0 0/0 "GET /a?b HTTP/1.1"',
    { ...got, timestamp: '2026-03-10T12:00:00.123Z', server_name: 'app1', request_time: 0.012 },
  ],
  [
    'haproxy',
    'Mar 10 12:00:03 lb1 haproxy[1201]: 2001:db8::7:51022 [10/Mar/2026:12:00:02.123] fe be/<NOSRV> -1/-1/5007 212 SC 0/0/0/0/3 0/0',
    {
      ...{ timestamp: '2026-03-10T12:00:02.123Z', remote_addr: '2001:db8::7', bytes_read: '212' },
      ...{ server_name: '<NOSRV>', request_time: 5.007, termination_state: 'SC' },
    },
  ],
  [
    'haproxy',
    'Mar 10 12:00:05 lb1 haproxy[1201]: 203.0.113.7:51022 [10/Mar/2026:12:00:04.123] fe/1: SSL handshake failure',
    {
      timestamp: '2026-03-10T12:00:04.123Z',
      bind_name: '1',
      event_message: 'SSL handshake failure',
    },
  ],
  [
    'heroku-router',
    '<158>1 2026-03-10T12:00:00.123456+00:00 host heroku router - at=info method=GET path="/" status=502',
    { event_message: 'GET /', process: 'router', status: 502 },
  ],
  [
    'heroku-router',
    '83 <40>1 2026-03-10T12:00:01+00:00 host app web.1 - listening',
    { event_message: 'listening', process: 'web.1' },
  ],
  [
    'vpc-flow',
    '2 123456789010 eni-1235b8ca - - - - - - - 1773144000 1773144060 - NODATA',
    { timestamp: 1773144000, interface_id: 'eni-1235b8ca', log_status: 'NODATA' },
  ],
  [
    'apache-error',
    '[Tue Mar 10 12:00:03 2026] [error] [client ::1] File does not exist: /x',
    { client: '::1', event_message: 'File does not exist: /x' },
  ],
  [
    'apache-error',
    '[Tue Mar 10 12:00:03 2026] [error] [client 203.0.113.7] File does not exist: /x',
    { client: '203.0.113.7', event_message: 'File does not exist: /x' },
  ],
  [
    'apache-error',
    '[Tue Mar 10 12:00:03.1 2026] [core:error] [pid 7] [client ::1:51022] x',
    { client: '::1', port: '51022', event_message: 'x' },
  ],
  [
    'nginx-error',
    '2026/03/10 12:00:00 [error] 31#31: *7 open() "/x" failed, client: 203.0.113.7, server: , request: "GET /?a=b, client: ::1, server: x HTTP/1.1", upstream: "http://[::1]:80/", host: "shop.example", referrer: "-"',
    {
      ...{ client: '203.0.113.7', request: 'GET /?a=b, client: ::1, server: x HTTP/1.1' },
      ...{ upstream: 'http://[::1]:80/', host: 'shop.example', connection: '7' },
    },
  ],
])('%s: %s', (shape, line, fields) => {
  const found = read([line, line]);
  expect(found.shape).toBe(shape);
  expect(found.records).toMatchObject([fields, fields]);
});

test.each([
  'open() "/x, client: 6.6.6.6, server: y, request: "z" failed (2: No such file or directory), client: 203.0.113.7, server: s, request: "GET / HTTP/1.1"',
  'open() "/x" failed, client: 203.0.113.7, server: s, request: "GET /?a="b, client: 6.6.6.6, server: y, request: "z HTTP/1.1"',
])('a path that pretends to be a client gives none: %s', (text) => {
  const { records } = read([`2026/03/10 12:00:00 [error] 31#31: *7 ${text}`]);
  expect(records[0]).not.toHaveProperty('client');
});

test.each([
  ['a user with dashes', `203.0.113.7 - 6.6.6.6 - x ${request} "-" "-"`, '6.6.6.6 - x'],
  ['a user with a bracket', `203.0.113.7 - a [b ${request} "-" "-"`, 'a [b'],
])('%s does not hide or change the address', (_, line, remote_user) => {
  expect(read([line]).records).toMatchObject([{ remote_addr: '203.0.113.7', remote_user }]);
});

test('an empty user is none', () => {
  expect(read([`::1 - "" ${request}`]).records[0]).not.toHaveProperty('remote_user');
});

test('lines of syslog without a program are records, and indented lines go on the one before', () => {
  const lines = [
    'Mar 10 12:00:00 web-1 python3[9]: Traceback (most recent call last):',
    '                                    File "x.py", line 3',
    '-- Boot 0123456789abcdef0123456789abcdef --',
    'Mar 10 12:00:01 web-1 kernel: x',
    'Mar 10 12:00:01 web-1 -- MARK --',
    'Mar 10 12:00:02 web-1 last message repeated 3 times',
    'Mar 10 12:00:03 web-1 su[7]: y',
    'Mar 10 12:00:04 web-1 ',
  ];
  const { shape, records } = read(lines);
  expect(shape).toBe('syslog');
  expect(records.map((record) => record.event_message ?? record)).toEqual([
    `Traceback (most recent call last):\n${lines[1]}`,
    ...['!', 'x', '-- MARK --', 'last message repeated 3 times', 'y', ''],
  ]);
});

test('the client of an error of several lines is on the last one', () => {
  const lines = [
    '2026/03/10 12:00:00 [error] 31#31: *7 FastCGI sent in stderr: "PHP message: x in /a.php:3',
    '  thrown in /a.php on line 3", client: 203.0.113.7, server: _, request: "GET / HTTP/1.1"',
    '2026/03/10 12:00:01 [error] 31#31: *8 y, client: ::1, server: _',
  ];
  expect(read(lines).records).toMatchObject([{ client: '203.0.113.7' }, { client: '::1' }]);
});

test('the status 000 of CloudFront is a number', () => {
  const lines = ['#Fields: date time sc-status', '2026-03-10\t12:00:00\t000'];
  expect(read(lines)).toMatchObject({ shape: 'cloudfront', records: [{ status: 0 }] });
});

test("Envoy's own lines are records", () => {
  const lines = [
    '[2026-03-10T12:00:00.123Z] "GET / HTTP/1.1" 200 - 0 5 12 11 "-" "curl/8" "0" "h" "10.0.0.1:80"',
    '2026-03-10T12:00:02.123456Z\terror\txdsproxy\tdisconnected',
    '[2026-03-10 12:00:03.123][1][warning][main] [source/server/server.cc:1] x',
  ];
  expect(read(lines)).toMatchObject({
    shape: 'envoy',
    records: [
      { level: 'info', request_time: 0.012 },
      { level: 'error', logger: 'xdsproxy', event_message: 'disconnected' },
      { level: 'warning', logger: 'main', pid: '1' },
    ],
  });
});

test('errors between the lines of an access log are records; other lines are skipped', () => {
  const lines = [
    '[2026-03-10 12:00:00 +0000] [7] [ERROR] Exception in worker process',
    'Traceback (most recent call last):',
    '2026/03/10 12:00:00 [warn] 31#31: *7 an upstream response is buffered',
    combined,
    'sh: 1: foo: not found',
    ...[combined, combined, combined, combined],
  ];
  expect(read(lines)).toMatchObject({
    shape: 'combined',
    records: [
      {
        level: 'error',
        event_message: `Exception in worker process\n${lines[1]}`,
      },
      { level: 'warning', event_message: 'an upstream response is buffered', pid: '31' },
      { ...got, event_message: got.event_message },
      '!',
      ...[got, got, got, got],
    ],
  });
});

test("stack traces of Django's and Flask's servers do not hide the requests between them", () => {
  const requests = (n: number) => `[10/Mar/2026 12:00:0${n}] "GET /orders HTTP/1.1" 500 145`;
  const trace = [
    'Internal Server Error: /orders',
    'Traceback (most recent call last):',
    ...Array.from({ length: 12 }, (_, n) => `  File "/app/views.py", line ${n}, in get\n    run()`),
    'ValueError: no such order',
  ].flatMap((line) => line.split('\n'));
  const { shape, records } = read([
    ...trace,
    requests(0),
    requests(1),
    requests(2),
    ...trace,
    requests(3),
  ]);
  expect(shape).toBe('django-runserver');
  expect(records.filter((record) => record !== '!')).toHaveLength(4);
});
