import { describe, expect, test } from 'vitest';
import {
  applyEdits,
  findQueryFaults,
  rangeAt,
  suggestedMending,
} from '../../src/explorer/model/mend.js';
import {
  emptyState,
  isSameQuery,
  printFragment,
  readFragment,
} from '../../src/explorer/model/page-state.js';
import { parseJson, printJson } from '../../src/explorer/model/parse-json.js';
import { printCell } from '../../src/explorer/model/print-value.js';
import { requestPrinters } from '../../src/explorer/model/request-lines.js';
import { printMicros, valuesToSend } from '../../src/explorer/model/time.js';
import { endpoint } from './tables.js';

describe('a link', () => {
  test('says what the page shows', () => {
    const state = {
      ...emptyState,
      endpoint: 'logs.all',
      language: 'sql',
      sql: "select '#&+ü' from edge_logs",
      values: { project: 'a b' },
      window: 'day',
      columns: ['metadata.request.path', 'metadata.level'],
      record: '1773143865730556.an id',
      isLive: true,
    } as const;
    expect(readFragment(printFragment(state))).toEqual({ state, hasQuery: true, code: undefined });
  });

  test('may have a code, which is not printed again', () => {
    const { state, code, hasQuery } = readFragment('#code=abc&p.project=larkspur');
    expect([code, hasQuery]).toEqual(['abc', false]);
    expect(printFragment(state)).toBe('#p.project=larkspur');
  });

  test('with nonsense is ignored', () => {
    const empty = { state: emptyState, hasQuery: false, code: undefined };
    expect(readFragment('#show=html&time=year&x=1')).toEqual(empty);
    expect(printFragment(emptyState)).toBe('');
  });

  test('of the stored query, or of an empty one, says so', () => {
    for (const language of ['stored', 'lql'] as const) {
      const state = { ...emptyState, endpoint: 'a', language };
      expect(readFragment(printFragment(state))).toMatchObject({ state, hasQuery: true });
    }
  });

  test('asks for the same rows whatever columns and record it shows', () => {
    const state = { ...emptyState, endpoint: 'a', columns: ['x'], record: '1.a', isLive: true };
    expect(isSameQuery(state, { ...emptyState, endpoint: 'a' })).toBe(true);
    expect(isSameQuery(state, { ...state, window: 'day' })).toBe(false);
  });
});

describe('a time window', () => {
  const now = Date.parse('2026-03-10T12:00:00Z');
  const values = { project: 'a', iso_timestamp_start: '2026-01-01T00:00:00Z', other: 'x' };

  test('ends at the server’s clock', () => {
    expect(valuesToSend({ values, window: 'hour' }, endpoint.parameters, now)).toEqual({
      project: 'a',
      iso_timestamp_start: '2026-03-10T11:00:00.000Z',
    });
  });

  test('that was typed in is sent as it is; parameters of other endpoints are not', () => {
    expect(valuesToSend({ values, window: '' }, endpoint.parameters, now)).toEqual({
      project: 'a',
      iso_timestamp_start: '2026-01-01T00:00:00Z',
    });
  });
});

describe('a fault', () => {
  const message = 'Unrecognized name: event_mesage; did you mean event_message? at [2:3]';
  const text = '-- 😀\n  event_mesage';

  test('is at its line and column, which counts characters', () => {
    expect(rangeAt(text, { message, line: 2, column: 3 })).toEqual({ from: 8, to: 20 });
    expect(rangeAt('😀 x', { message, line: 1, column: 3 })).toEqual({ from: 3, to: 4 });
    expect(rangeAt('', { message, line: 1, column: 1 })).toEqual({ from: 0, to: 0 });
  });

  test('is mended by its hint, unless the text has changed', () => {
    const mending = suggestedMending(text, { message, line: 2, column: 3 });
    expect(mending && applyEdits(text, mending.edits)).toBe('-- 😀\n  event_message');
    expect(suggestedMending('select other', { message, line: 1, column: 8 })).toBeUndefined();
  });

  const records = 'cross join unnest(metadata) as m cross join unnest(m.request) as r';
  const unread = `Unrecognized name: path; write r.path after ${records} at [1:8]`;
  const joined = records.replaceAll('cross', '\ncross').replaceAll(' \n', '\n');
  test.each([
    ['sql', 'select path from t limit 1', 8, unread, `select r.path from t${joined} limit 1`],
    [
      'sql',
      'select id from t where path = 1',
      24,
      unread,
      `select id from t${joined} where r.path = 1`,
    ],
    [
      'lql',
      'status:1',
      1,
      'Unrecognized name: status; write m.status after cross join unnest(metadata) as m at [1:1]',
      'm.status:1',
    ],
    ['lql', 'path:1', 1, unread, undefined],
    [
      ...(['lql', 'm.stauts:500', 3] as const),
      'Field name stauts does not exist in STRUCT<a INT64,...; did you mean status? at [1:3]',
      'm.status:500',
    ],
  ])('%s: %s is mended at %d', (location, query, column, hint, expected) => {
    const mending = suggestedMending(query, { message: hint, location, line: 1, column });
    expect(mending && applyEdits(query, mending.edits)).toBe(expected);
  });
});

test('all faults are found, each at its place in the text', async () => {
  const text = 'select aa, bb\nfrom t';
  const check = async (now: string) => {
    const [wrong, right] = now.includes('aa') ? ['aa', 'first'] : ['bb', 'b'];
    const column = now.indexOf(wrong) + 1;
    const message = `Unrecognized name: ${wrong}; did you mean ${right}? at [1:${column}]`;
    return column === 0 ? [] : [{ message, line: 1, column }];
  };
  const places = (await findQueryFaults(text, check)).map(({ line, column }) => [line, column]);
  expect(places).toEqual([
    [1, 8],
    [1, 12],
  ]);
});

describe('values', () => {
  test('long integers keep their digits', () => {
    const value = parseJson('{"a":9223372036854775807,"b":1.5,"c":"9223372036854775807"}');
    // Older engines do not tell the digits.
    const a = (value as { a: unknown }).a;
    expect(['bigint', 'number']).toContain(typeof a);
    expect(printJson({ a: 9223372036854775807n, b: [1n] })).toBe(
      '{"a":9223372036854775807,"b":[1]}',
    );
  });

  test('times have milliseconds, and microseconds where asked', () => {
    expect(printMicros(1773143865730556, 'utc')).toBe('2026-03-10 11:57:45.730');
    expect(printMicros(1773143865730556, 'utc', true)).toBe('2026-03-10 11:57:45.730556');
    expect(printMicros(-1, 'utc', true)).toBe('1969-12-31 23:59:59.999999');
  });

  test('a cell has no fields that are NULL, and one line', () => {
    const value = { a: null, b: [{ c: null, d: 'x  y' }], e: 0 };
    const field = { name: 'r', type: 'STRUCT', mode: 'NULLABLE' } as const;
    expect(printCell(value, field, 'utc')).toBe('{"b":[{"d":"x y"}],"e":0}');
  });
});

test('a request as code has a placeholder for the token', () => {
  const request = { url: 'http://127.0.0.1:4000/x', body: { sql: "select 'a'" } };
  expect(requestPrinters['curl']?.(request)).toBe(
    `curl -H "X-API-KEY: $TOKEN" -X POST 'http://127.0.0.1:4000/x' \\\n  --data-urlencode 'sql=select '\\''a'\\'''`,
  );
  expect(requestPrinters['Python']?.(request)).toContain('os.environ["TOKEN"]');
  expect(requestPrinters['fetch']?.(request)).toContain("'x-api-key': token");
});
