import { expect, test } from 'vitest';
import { clockOf, createDecodeHead } from '../../src/http/decode-request.js';

const now = '2026-03-10T12:00:00.000000+00:00';
const options = { headerPrefix: 'SVC', allowNowHeader: true, now: () => Date.parse(now) };
const path = 'http://localhost/api/endpoints/query/logs.all?project=acme&sql=select+1';

function headOf(headers: Readonly<Record<string, string>> = {}, url = path) {
  return { url, headers: new Headers(headers) };
}

test('equal heads are decoded once, other ones for themselves', () => {
  const decode = createDecodeHead(options);
  const heads = [
    headOf(),
    headOf({}, `${path}&x=1`),
    headOf({ accept: 'text/csv' }),
    headOf({ accept: 'null' }),
    headOf({ accept: '' }),
    headOf({ 'svc-endpoint-redact-pii': 'null' }),
    headOf({ 'svc-endpoint-redact-pii': 'true' }),
    headOf({ 'svc-endpoint-now': '2026-01-01T00:00:00Z' }),
  ];
  const decoded = heads.map((head) => decode(head, 'logs.all'));
  expect(new Set(decoded).size).toBe(heads.length);
  expect(heads.map((head) => decode(head, 'logs.all'))).toEqual(decoded);
  for (const [index, head] of heads.entries()) {
    expect(decode(head, 'logs.all')).toBe(decoded[index]);
  }
  expect(decode(headOf({ 'x-other': '1' }), 'logs.all')).toBe(decoded[0]);
});

test('a decoded head has the instant that was set, and no other', () => {
  const decode = createDecodeHead(options);
  expect(clockOf(decode(headOf(), 'logs.all'), options)).toEqual({ now, fixed: false });
  const later = { now: () => Date.parse(now) + 1 };
  expect(clockOf(decode(headOf(), 'logs.all'), later)).toEqual({
    now: '2026-03-10T12:00:00.001000+00:00',
    fixed: false,
  });
  const set = headOf({ 'svc-endpoint-now': '2026-01-01T00:00:00Z' });
  expect(clockOf(decode(set, 'logs.all'), later)).toEqual({
    now: '2026-01-01T00:00:00.000000+00:00',
    fixed: true,
  });
});

test('a head is decoded again once the instant of the service is another one', () => {
  let fixedNow: string | undefined = now;
  const decode = createDecodeHead({
    ...options,
    get fixedNow() {
      return fixedNow;
    },
  });
  const first = decode(headOf(), 'logs.all');
  expect(first.fixedNow).toBe(now);
  fixedNow = '2030-01-01T00:00:00.000000+00:00';
  expect(decode(headOf(), 'logs.all').fixedNow).toBe(fixedNow);
  fixedNow = undefined;
  expect(decode(headOf(), 'logs.all').fixedNow).toBeUndefined();
  expect(decode(headOf(), 'logs.all')).not.toBe(first);
});

test('a malformed header is refused each time', () => {
  const decode = createDecodeHead(options);
  const head = headOf({ 'svc-endpoint-now': 'noon' });
  for (let time = 0; time < 2; time += 1) {
    expect(() => decode(head, 'logs.all')).toThrow('must be an ISO 8601 timestamp');
  }
});
