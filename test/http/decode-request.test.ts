import { expect, test } from 'vitest';
import { decodeRequest, requestClock } from '../../src/http/decode-request.js';

const now = '2026-03-10T12:00:00.000000+00:00';
const options = { headerPrefix: 'SVC', allowNowHeader: true, now: () => Date.parse(now) };
const path = 'http://localhost/api/endpoints/query/logs.all?project=acme&sql=select+1';

const decode = (headers: Readonly<Record<string, string>> = {}, more = {}) =>
  decodeRequest(new Request(path, { headers }), 'logs.all', { ...options, ...more });

test('a decoded request has the instant that was set, and no other', async () => {
  const decoded = await decode();
  expect(requestClock(decoded, options)).toEqual({ now, fixed: false });
  const later = { now: () => Date.parse(now) + 1 };
  expect(requestClock(decoded, later)).toEqual({
    now: '2026-03-10T12:00:00.001000+00:00',
    fixed: false,
  });
  const set = await decode({ 'svc-endpoint-now': '2026-01-01T00:00:00Z' });
  expect(requestClock(set, later)).toEqual({
    now: '2026-01-01T00:00:00.000000+00:00',
    fixed: true,
  });
  const ofService = await decode({}, { fixedNow: now });
  expect(requestClock(ofService, later)).toEqual({ now, fixed: true });
});

test('a malformed header is refused', async () => {
  const decoding = decode({ 'svc-endpoint-now': 'noon' });
  await expect(decoding).rejects.toThrow('must be an ISO 8601 timestamp');
});
