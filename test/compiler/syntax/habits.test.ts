import { describe, expect, test } from 'vitest';
import { findFunction } from '../../../src/compiler/functions/functions.js';
import { functionHabits } from '../../../src/compiler/syntax/habits.js';
import { maxMessageLength } from '../../../src/errors/errors.js';
import { compiler, messageOf, stored } from '../../support/refused-query.js';

const joins = 'cross join unnest(metadata) as m cross join unnest(m.request) as r';

describe('what people write out of habit is refused with what to write instead', () => {
  test.each([
    ["select interval '1 hour'", 'INTERVAL 1 HOUR'],
    ["select timestamp_sub(timestamp, interval '1 hour') from web", 'INTERVAL 1 HOUR'],
    ["select timestamp - interval '7 days' as x from web", 'INTERVAL 1 HOUR'],
    ["select id ->> 'a' from web", "JSON_VALUE(x, '$.key')"],
    ["select id -> 'a' from web", "JSON_VALUE(x, '$.key')"],
    ["select 'it''s'", "write a quote as \\'"],
    ['select count(*) filter (where id is null) from web', 'COUNTIF(condition)'],
    ['select 1 from web having count(*) filter (where true) > 1', 'COUNTIF(condition)'],
    ['select percentile_cont(0.5) within group (order by id) from web', 'APPROX_QUANTILES'],
    [
      'select listagg(id) within group (order by id) from web',
      "STRING_AGG(x, ',' ORDER BY y) at [1:20]",
    ],
    [
      "select string_agg(id, ',') within group (order by id) from web",
      "STRING_AGG(x, ',' ORDER BY y)",
    ],
    [
      "select id from web where timestamp > now() - interval '1 hour' and id = 'x'",
      'INTERVAL 1 HOUR at [1:64]',
    ],
    [
      'select id from web where timestamp > 1773100000000000',
      '(write TIMESTAMP_MICROS(1773100000000000))',
    ],
    [
      'select id from web where timestamp between 1773100000000 and 2',
      'TIMESTAMP_MILLIS(1773100000000)',
    ],
    ['select id from web where 1773100000 < timestamp', 'TIMESTAMP_SECONDS(1773100000)'],
    [
      "select parse_timestamp(id, '%F') from web",
      "the format comes first, as in PARSE_TIMESTAMP('%F', value)",
    ],
    ["select format_timestamp(timestamp, '%F') from web", '(the format comes first)'],
    ['select ts from web', 'Unrecognized name: ts; ts is read as timestamp at [1:8]'],
    [
      'with t as (select id as event_message from web) select msg from t',
      'Unrecognized name: msg; msg is read as event_message at [1:56]',
    ],
    ['select extract(epoch from timestamp) from web', 'date part; write UNIX_SECONDS(t)'],
    ['select top 10 id from web', 'LIMIT at the end'],
    ['select id from web limit 10, 20', 'LIMIT count OFFSET skipped'],
    ['select id from web offset 20', 'LIMIT count OFFSET skipped'],
    ['select id from web fetch first 5 rows only', 'LIMIT at the end'],
    ["select id from web where id rlike 'a'", "REGEXP_CONTAINS(x, r'pattern')"],
    ['select distinct on (id) id from web', 'QUALIFY ROW_NUMBER()'],
    ["select timestamp at time zone 'UTC' from web", 'DATETIME(t, '],
    ["select id from web where id ~ 'a'", "REGEXP_CONTAINS(x, r'pattern')"],
    ["select id from web where id !~ 'a'", "NOT REGEXP_CONTAINS(x, r'pattern')"],
    ["select id from web where id == 'a'", 'write = once'],
    ['select id from web where true && true', 'write AND'],
    ['select 5 % 3', 'MOD(a, b)'],
    ['select try_cast(id as int64) from web', 'SAFE_CAST(x AS type)'],
    ['select substring(id from 1 for 2) from web', 'SUBSTR(x, start, length)'],
    ["select position('a' in id) from web", 'STRPOS(text, part)'],
    ["select id from web where 'a' in id", 'IN UNNEST(array)'],
    ['select id from "web"', 'without quotes, or in backticks'],
    ['select 1 from web join "web" on true', 'without quotes, or in backticks'],
    ["select date_trunc('hour', timestamp) from web", 'TIMESTAMP_TRUNC(timestamp, HOUR) at [1:19]'],
    ["select date_trunc(timestamp, 'hour') from web", 'TIMESTAMP_TRUNC(timestamp, HOUR) at [1:30]'],
    ['select date_trunc(hour, timestamp) from web', 'TIMESTAMP_TRUNC(timestamp, HOUR) at [1:19]'],
    [
      "select date_diff('day', w.timestamp, current_timestamp) from web as w",
      'TIMESTAMP_DIFF(current_timestamp, w.timestamp, DAY)',
    ],
    ['select metadata.request.path from web', `; write r.path after ${joins} at`],
    ['select id from web where metadata.level = 1', 'write m.level after cross join'],
    ['select w.metadata.request.path from web as w', 'r.path after cross join unnest(w.metadata)'],
    [
      'select m.request.path from web, unnest(metadata) as m',
      'r.path after cross join unnest(m.request) as r at',
    ],
    [
      'select metadata.request.path from web as m, unnest(items) as r',
      'write re.path after cross join unnest(metadata) as me cross join unnest(me.request) as re at',
    ],
    ['select path from web', `Unrecognized name: path; write r.path after ${joins} at`],
    [
      'select a.id, path from web as a join web as b using (id)',
      'write r.path after cross join unnest(a.metadata) as m',
    ],
    ["select id from web where status = '500'", 'write m.status after cross join'],
    ["select 1 from (select 1 as x) where x = '500'", 'a number is written without quotes'],
    ["select 1 from (select '1' as x) where x = 500", 'a string is written in quotes'],
    ['select id from logs.web', 'did you mean web?'],
    ['select id from `logs.web`', 'did you mean web?'],
    ['select id from wbe', 'did you mean web?'],
  ])('%s', (text, hint) => {
    const message = messageOf(text);
    expect(message).toContain(hint);
    expect(message.length).toBeLessThan(maxMessageLength);
  });

  test.each(Object.entries(functionHabits))('%s(id)', (name, instead) => {
    expect(findFunction(name)).toBeUndefined();
    expect(messageOf(`select ${name}(id) from web`)).toContain(
      `Function not found: ${name}; write ${instead} at [1:8]`,
    );
  });
});

test.each([
  'select date_trunc(day, month) from (select date "2026-03-10" as day)',
  'select 1 as filter, 2 as top from web',
  "select interval '1' hour",
  'select date_diff(day, day, day) from (select date "2026-03-10" as day)',
])('%s is not taken for a habit', (text) => {
  expect(() => compiler.compile(stored, { language: 'sql', text })).not.toThrow();
});
