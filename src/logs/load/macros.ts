import { madeIdMacro } from '../columns/made-id.js';
import { maxDepth } from '../files/line-reader.js';

/**
 * The DuckDB macros of the loader; `j` and `v` are JSON, `t` is text. Conversions return NULL for
 * values that they cannot convert.
 *
 * `log_deep` is true for JSON nested deeper than {@link maxDepth}. It counts brackets in the text, removing the
 * innermost ones in each round, because DuckDB's JSON functions crash on deeply nested values.
 */
export const loadMacros: readonly string[] = [
  madeIdMacro,
  String.raw`create macro log_brackets(j) as regexp_replace(
    regexp_replace(j::varchar, '"(?:[^"\\]|\\.)*"', '', 'g'), '[^\[\]{}]+', '', 'g')`,
  // A CASE, because DuckDB evaluates all terms of an AND for every row.
  String.raw`create macro log_deep(j) as case
    when j is null then null
    when strlen(j::varchar) > 128 and regexp_matches(j::varchar, '(?:[\[{][^\[{]*){${maxDepth + 1}}')
    then list_reduce(
      list_prepend(log_brackets(j), list_transform(range(${maxDepth}), lambda i: '')),
      lambda rest, i: regexp_replace(rest, '\[\]|\{\}', '', 'g')) <> ''
    else false end`,
  // DuckDB would accept a comma after the last item.
  String.raw`create macro log_valid(t) as json_valid(t) and case
    when regexp_matches(t, ',\s*[}\]]')
    then not regexp_matches(regexp_replace(t, '"(?:[^"\\]|\\.)*"', '', 'g'), ',\s*[}\]]')
    else true end`,
  `create macro log_pointer(key) as '/' || replace(replace(key, '~', '~0'), '/', '~1')`,
  `create macro log_elements(v) as case json_type(v)
    when 'OBJECT' then [v]
    when 'ARRAY' then list_filter(json_extract(v, '$[*]'), lambda e: json_type(e) = 'OBJECT') end`,
  // Most values are objects, recognized by their first character; the rest is evaluated for few
  // rows.
  `create macro log_first(v) as
    case when starts_with(v::varchar, '{') then v else log_elements(v)[1] end`,
  `create macro log_array(v) as
    case when starts_with(v::varchar, '{') then concat('[', v, ']') else v::varchar end`,
  `create macro log_strays(v) as case coalesce(json_type(v), 'NULL')
    when 'OBJECT' then 0
    when 'ARRAY' then len(list_filter(
      json_extract(v, '$[*]'), lambda e: json_type(e) not in ('OBJECT', 'NULL')))
    when 'NULL' then 0
    else 1 end`,
  `create macro log_string(v) as
    case when json_type(v) not in ('OBJECT', 'ARRAY') then v ->> '$' end`,
  String.raw`create macro log_int64(v) as case json_type(v)
    when 'UBIGINT' then try_cast(v ->> '$' as bigint)
    when 'BIGINT' then try_cast(v ->> '$' as bigint)
    when 'VARCHAR' then case when regexp_full_match(v ->> '$', '\s*[+-]?[0-9]+\s*')
      then try_cast(v ->> '$' as bigint) end
    when 'DOUBLE' then case when try_cast(v ->> '$' as double) = trunc(try_cast(v ->> '$' as double))
      then try_cast(try_cast(v ->> '$' as double) as bigint) end end`,
  // nginx writes a missing number in this way.
  `create macro log_none(v) as json_type(v) = 'NULL'
    or (json_type(v) = 'VARCHAR' and (v ->> '$') in ('', '-'))`,
  // Infinity must be written as a word; a number beyond the range does not become infinite.
  `create macro log_float64(v) as list_transform(
    [case when json_type(v) in ('UBIGINT', 'BIGINT', 'DOUBLE', 'VARCHAR') then v ->> '$' end],
    lambda t: case when not isinf(try_cast(t as double)) or not regexp_matches(t, '[0-9]')
      then try_cast(t as double) end)[1]`,
  `create macro log_bool(v) as case when json_type(v) in ('BOOLEAN', 'VARCHAR') then
    case lower(v ->> '$') when 'true' then true when 'false' then false end end`,
  // The macros of unix times infer the unit from the magnitude, and round down to microseconds, never via DOUBLE.
  // DECIMAL holds all such numbers, but is a hundred times slower to read than BIGINT.
  `create macro log_unix(d) as try(make_timestamp(try_cast(floor(case
    when abs(d) < 100000000000 then d * 1000000
    when abs(d) < 100000000000000 then d * 1000
    when abs(d) < 100000000000000000 then d
    else d * 0.001 end) as bigint))::timestamptz)`,
  `create macro log_whole_unix(i) as try(make_timestamp(case
    when i between -99999999999 and 99999999999 then i * 1000000
    when i between -99999999999999 and 99999999999999 then i * 1000
    when i between -99999999999999999 and 99999999999999999 then i
    else i // 1000 - case when i < 0 and i % 1000 <> 0 then 1 else 0 end end)::timestamptz)`,
  // Seconds with a fraction, as many programs write them: their digits are the microseconds.
  `create macro log_seconds(t) as list_transform(
    [case when regexp_full_match(t, '[+-]?[0-9]{1,11}[.][0-9]{1,6}') then string_split(t, '.') end],
    lambda parts: try(make_timestamp(
      (parts[1] || rpad(parts[2], 6, '0'))::bigint)::timestamptz))[1]`,
  `create macro log_unix_text(t) as coalesce(
    list_transform([case when regexp_full_match(t, '[+-]?[0-9]{1,19}') then try_cast(t as bigint) end],
      lambda i: log_whole_unix(i))[1],
    list_transform([case when not contains(t, '_') then try_cast(t as decimal(38, 9)) end],
      lambda d: log_unix(d))[1])`,
  // Nanoseconds to microseconds, rounding down.
  `create macro log_microseconds(ns) as try(make_timestamp(
    ns // 1000 - case when ns < 0 and ns % 1000 <> 0 then 1 else 0 end))`,
  // Accepts only https://www.rfc-editor.org/rfc/rfc3339#section-5.6: DuckDB also reads 'epoch',
  // 'infinity', BC and zone names; a zone name can even shift the times of the rows after it. No expression occurs
  // twice in these macros, because DuckDB would then evaluate it for every row.
  String.raw`create macro log_iso(t) as list_transform([case when regexp_full_match(t, concat(
      '[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}',
      '([Tt ][0-9]{1,2}:[0-9]{2}(:[0-9]{2}([.,][0-9]*)?)?',
      '( ?([Zz]|UTC|[+-]([01][0-9]|2[0-3])(:?[0-5][0-9])?))?)?')) then t end],
    lambda t: coalesce(try_cast(t as timestamptz), try_cast(regexp_replace(
      replace(replace(upper(t), ',', '.'), ' Z', 'Z'),
      '([T ][0-9]{2}:[0-9]{2})(Z|[+-].*)?$', '\1:00\2') as timestamptz)))[1]`,
  // `20260310T120000Z` -> `2026-03-10T12:00:00Z`; the seconds may be missing.
  String.raw`create macro log_extended(t) as regexp_replace(
    regexp_replace(t, '^([0-9]{4})([0-9]{2})([0-9]{2}[Tt][0-9]{2})([0-9]{2})([0-9]{2})', '\1-\2-\3:\4:\5'),
    '^([0-9]{4})([0-9]{2})([0-9]{2}[Tt][0-9]{2})([0-9]{2})', '\1-\2-\3:\4')`,
  // A leap second occurs only before midnight UTC, and counts as the next second.
  String.raw`create macro log_leap(t) as list_transform(
    [log_iso(regexp_replace(t, '^([^:]+:[0-9]{2}):60', '\1:59'))],
    lambda t: case when epoch_us(t) % 86400000000 >= 86399000000 then t + to_seconds(1) end)[1]`,
  `create macro log_rare_iso(t) as list_transform(
    [case when regexp_matches(t, '^[0-9]{8}[Tt][0-9]{4}|:60') then log_extended(t) end],
    lambda t: case when regexp_matches(t, '^[^:]+:[0-9]{2}:60') then log_leap(t) else log_iso(t) end)[1]`,
  // The range of BigQuery: https://cloud.google.com/bigquery/docs/reference/standard-sql/data-types
  `create macro log_in_range(t) as list_transform([t], lambda t: case
    when t between timestamptz '0001-01-01 00:00:00+00'
      and timestamptz '9999-12-31 23:59:59.999999+00' then t end)[1]`,
  // Any integer type; values beyond BIGINT are rare.
  `create macro log_whole_timestamp(i) as log_in_range(
    coalesce(log_whole_unix(try_cast(i as bigint)), log_unix_text(i::varchar)))`,
  `create macro log_timestamp(t) as log_in_range(
    coalesce(log_iso(t), log_seconds(t), log_unix_text(t), log_rare_iso(t)))`,
];
