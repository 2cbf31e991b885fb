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
])('%s: %s', (shape, line, fields) => {
  const found = read([line, line]);
  expect(found.shape).toBe(shape);
  expect(found.records).toMatchObject([fields, fields]);
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
