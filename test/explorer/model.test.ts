import { describe, expect, test } from 'vitest';
import { printCsv } from '../../src/explorer/model/csv.js';
import { examplesOf } from '../../src/explorer/model/examples.js';
import { mend, mendingOf, rangeOf } from '../../src/explorer/model/mend.js';
import { emptyState, printFragment, readFragment } from '../../src/explorer/model/page-state.js';
import { parseJson, printJson } from '../../src/explorer/model/parse-json.js';
import { printCell } from '../../src/explorer/model/print-value.js';
import { printRequest } from '../../src/explorer/model/request-lines.js';
import { printMicros, valuesToSend } from '../../src/explorer/model/time.js';
import { edgeLogs, endpoint, records, scalar } from './tables.js';

describe('a link', () => {
  test('says what the page shows', () => {
    const state = {
      ...emptyState,
      endpoint: 'logs.all',
      language: 'sql',
      sql: "select '#&+ü' from edge_logs",
      values: { project: 'a b' },
      window: 'day',
    } as const;
    expect(readFragment(printFragment(state))).toEqual({
      state: {
        endpoint: 'logs.all',
        language: 'sql',
        sql: state.sql,
        values: { project: 'a b' },
        window: 'day',
      },
    });
  });

  test('may have a code, which is not printed again', () => {
    const { state, code } = readFragment('#code=abc&p.project=larkspur');
    expect(code).toBe('abc');
    expect(printFragment({ ...emptyState, ...state })).toBe('#p.project=larkspur');
  });

  test('with nonsense is ignored', () => {
    expect(readFragment('#show=html&time=year&x=1')).toEqual({ state: {} });
    expect(printFragment(emptyState)).toBe('');
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
    expect(valuesToSend({ values, window: 'custom' }, endpoint.parameters, now)).toEqual({
      project: 'a',
      iso_timestamp_start: '2026-01-01T00:00:00Z',
    });
  });
});

describe('a fault', () => {
  const message = 'Unrecognized name: event_mesage; did you mean event_message? at [2:3]';
  const text = '-- 😀\n  event_mesage';

  test('is at its line and column, which counts characters', () => {
    expect(rangeOf(text, { message, line: 2, column: 3 })).toEqual({ from: 8, to: 20 });
    expect(rangeOf('😀 x', { message, line: 1, column: 3 })).toEqual({ from: 3, to: 4 });
    expect(rangeOf('', { message, line: 1, column: 1 })).toEqual({ from: 0, to: 0 });
  });

  test('is mended by its hint, unless the text has changed', () => {
    const mending = mendingOf(text, { message, line: 2, column: 3 });
    expect(mending && mend(text, mending)).toBe('-- 😀\n  event_message');
    expect(mendingOf('select other', { message, line: 1, column: 8 })).toBeUndefined();
  });
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
    expect(printCell(value, field, { zone: 'utc' })).toBe('{"b":[{"d":"x y"}],"e":0}');
  });

  test('CSV is what the server prints: quoted where it must be, times as texts', () => {
    const fields = [
      scalar('a'),
      { ...scalar('b', 'INT64'), mode: 'REPEATED' },
      scalar('at', 'TIMESTAMP'),
      records('r', scalar('at', 'TIMESTAMP')),
    ] as const;
    const rows = [
      { a: 'x,"y"', b: null, at: 1773144000000000, r: [{ at: 1773144000120000 }] },
      { a: '', b: [1, 2n], at: null, r: null },
    ];
    expect(printCsv(fields, rows).split('\r\n')).toEqual([
      'a,b,at,r',
      '"x,""y""",,2026-03-10T12:00:00Z,"[{""at"":""2026-03-10T12:00:00.120000Z""}]"',
      '"","[1,2]",,',
      '',
    ]);
    expect(printCsv([scalar('a')], [{ a: null }])).toBe('a\r\n""\r\n');
  });
});

test('examples read the fields that tell records apart', () => {
  expect(examplesOf(edgeLogs).map(({ text }) => text)).toContain(
    [
      'select response.status_code, count(*) as records',
      'from edge_logs',
      'cross join unnest(metadata) as m',
      'cross join unnest(m.response) as response',
      'group by 1',
      'order by records desc',
    ].join('\n'),
  );
});

test('a request as code has a placeholder for the token', () => {
  const request = { url: 'http://127.0.0.1:4000/x', body: { sql: "select 'a'" } };
  expect(printRequest('curl', request)).toBe(
    `curl -H "X-API-KEY: $TOKEN" -X POST 'http://127.0.0.1:4000/x' \\\n  --data-urlencode 'sql=select '\\''a'\\'''`,
  );
  expect(printRequest('Python', request)).toContain('os.environ["TOKEN"]');
  expect(printRequest('fetch', request)).toContain("'x-api-key': token");
});
