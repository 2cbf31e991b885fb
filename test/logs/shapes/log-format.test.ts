import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parseDeclaration } from '../../../src/logs/columns/declaration.js';
import { createRecordMapper } from '../../../src/logs/shapes/map-line.js';
import { createTextReader } from '../../../src/logs/shapes/read-text.js';

const pieces = JSON.parse(readFileSync('sql/patterns.json', 'utf8'));
const declare = (declaration: object) =>
  parseDeclaration('web', JSON.stringify(declaration), { makesLevel: true, pieces });

/** The records of lines in a format. */
function read(declaration: object, ...lines: readonly string[]) {
  const { mapping } = declare(declaration);
  if (mapping?.text === undefined) throw new Error('no text');
  const reader = createTextReader(mapping.text, createRecordMapper(mapping), { writtenMs: 0 });
  const written = lines.map((line) => reader.read(line)).join('') + reader.end();
  return written
    .split('\n')
    .filter(Boolean)
    .map((line) => (line === '!' ? line : JSON.parse(line)));
}

const request = { request_method: 'GET', path: '/a', args: 'b=1', server_protocol: 'HTTP/1.1' };
const message = 'GET /a?b=1 HTTP/1.1';
const local = '10/Mar/2026:12:00:00 +0100';
const timestamp = '2026-03-10T12:00:00+0100';
const combined = `'$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent ' '"$http_referer" "$http_user_agent"'`;

describe("nginx's log_format", () => {
  test('of the combined format, in its quotes', () => {
    const [record] = read(
      { log_format: `log_format main ${combined};` },
      `10.0.0.1 - - [${local}] "${message}" 404 512 "-" "curl \\"8\\""`,
    );
    expect(record).toMatchObject({ timestamp, event_message: message, level: 'warning' });
    expect(record.metadata).toEqual({
      ...request,
      remote_addr: '10.0.0.1',
      status: '404',
      body_bytes_sent: '512',
      http_user_agent: 'curl \\"8\\"',
    });
  });

  test('without a request line: method and path are the message', () => {
    const log_format = '$msec|$time_iso8601|$request_method|$request_uri|$request_time;s|$uri';
    const [record] = read(
      { log_format },
      '1773144000.123|2026-03-10T12:00:00+00:00|GET|/a?b|0.5;s|/a',
    );
    expect(record).toEqual({
      timestamp: '2026-03-10T12:00:00+00:00',
      event_message: 'GET /a?b',
      project: 'default',
      metadata: { request_method: 'GET', request_uri: '/a?b', request_time: '0.5', uri: '/a' },
    });
  });

  test('fields that the request line has, and those that come twice, are there once', () => {
    const log_format = '[$time_local] $request_method "$request" $status $status $server_protocol';
    const line = `[${local}] GET "${message}" 200 200 HTTP/1.1`;
    expect(read({ log_format }, line)).toMatchObject([{ metadata: { ...request, status: '200' } }]);
  });

  test('sizes and times have types, which a declaration may change', () => {
    const log_format = '$status $bytes_sent $request_time $upstream_response_time $host';
    const { columns } = declare({ log_format, fields: { 'metadata.status': 'STRING' } });
    expect(JSON.stringify(columns)).toContain(
      JSON.stringify([
        { name: 'status', type: { kind: 'STRING' }, stored: false },
        { name: 'bytes_sent', type: { kind: 'INT64' }, stored: false },
        { name: 'request_time', type: { kind: 'FLOAT64' }, stored: false },
        { name: 'upstream_response_time', type: { kind: 'FLOAT64' }, stored: false },
      ]),
    );
  });
});

describe("Apache's LogFormat", () => {
  test('has the names of nginx, and times in seconds', () => {
    const LogFormat =
      '%v:%p %h %l %u %t \\"%r\\" %>s %b \\"%{Referer}i\\" \\"%{User-Agent}i\\" %D %%';
    const line = `a.example:443 10.0.0.1 - bob [${local}] "${message}" 200 512 "-" "curl" 1500 %`;
    const [record] = read({ LogFormat }, line);
    expect(record).toMatchObject({ timestamp, event_message: message, level: 'info' });
    expect(record.metadata).toEqual({
      ...request,
      ...{ server_name: 'a.example', server_port: '443', remote_addr: '10.0.0.1' },
      ...{ remote_user: 'bob', status: '200', body_bytes_sent: '512' },
      ...{ http_user_agent: 'curl', request_time: 0.0015 },
    });
  });

  test('of the common format in the order of the manual', () => {
    const line = `127.0.0.1 - frank [${local}] "GET /a HTTP/1.0" 200 2326`;
    const [record] = read({ LogFormat: '%h %l %u %t "%r" %>s %b' }, line);
    expect(record).toMatchObject({ timestamp, metadata: { remote_user: 'frank', status: '200' } });
  });
});

test('of two directives for a time, the finer one counts', () => {
  const line = '10.0.0.1 2 1999999';
  for (const LogFormat of ['%h %T %D', '%h %T %{us}T']) {
    expect(read({ LogFormat }, line)).toMatchObject([{ metadata: { request_time: 1.999999 } }]);
  }
  expect(read({ LogFormat: '%h %D %T' }, '10.0.0.1 1999999 2')).toMatchObject([
    { metadata: { request_time: 1.999999 } },
  ]);
});

test('values that touch each other, and lists of servers', () => {
  expect(read({ LogFormat: '%m %U%q %H' }, 'GET /x?y=1 HTTP/1.1')).toMatchObject([
    { metadata: { path: '/x', args: 'y=1', server_protocol: 'HTTP/1.1' } },
  ]);
  const log_format = '$scheme://$host$request_uri $upstream_addr $upstream_response_time $pipe';
  const line = 'https://a.example/x?y 10.0.0.1:80, 10.0.0.2:80 0.100, 0.025 .';
  expect(read({ log_format }, line)[0].metadata).toEqual({
    ...{ scheme: 'https', host: 'a.example', request_uri: '/x?y', pipe: '.' },
    ...{ upstream_addr: '10.0.0.1:80, 10.0.0.2:80', upstream_response_time: '0.100, 0.025' },
  });
});

test('a line that does not fit is counted, and is no part of the record before', () => {
  const records = read({ log_format: '$remote_addr $status' }, '10.0.0.1 200', 'other tenant');
  expect(records).toMatchObject([{ metadata: { status: '200' } }, '!']);
});

test('a whole directive is read, and quotes in a format', () => {
  const LogFormat = 'LogFormat "%h\\t\\"%r\\"" short';
  expect(read({ LogFormat }, `10.0.0.1\t"${message}"`)).toMatchObject([{ metadata: request }]);
  for (const part of ['"%h\\t\\"%r\\"" short', '"%h\\t\\"%r\\""', '%h\\t"%r"'])
    expect(read({ LogFormat: part }, `10.0.0.1\t"${message}"`)).toMatchObject([
      { metadata: request },
    ]);
  const log_format = "$remote_addr '$request' $status";
  expect(read({ log_format }, `10.0.0.1 '${message}' 200`)).toMatchObject([
    { metadata: { status: '200', remote_addr: '10.0.0.1' } },
  ]);
});

test.each([
  [{ LogFormat: '%h %^FB' }, 'LogFormat: %^FB is not known'],
  [{ LogFormat: '%h %Z' }, 'LogFormat: %Z is not known'],
  [{ LogFormat: '%{%Y}t' }, 'LogFormat: %{%Y}t is not known'],
  [{ log_format: '{"a":"$status"}' }, 'log_format: its lines are JSON: use the shape nginx'],
  [{ log_format: '$status', text: { lines: 'a' } }, 'log_format and text describe the same lines'],
])('%j is refused', (declaration, error) => {
  expect(() => declare(declaration)).toThrow(error);
});

test('signs of patterns in a format stand for themselves', () => {
  const log_format = '^$status$ (a|b)* [$host] \\d+ $uri';
  const [record] = read({ log_format }, '^200$ (a|b)* [x] \\d+ /a', 'other');
  expect(record.metadata).toMatchObject({ status: '200', host: 'x', uri: '/a' });
});
