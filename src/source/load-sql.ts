/** A name as DuckDB reads it in double quotes. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** A text as DuckDB reads it in single quotes. */
export function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/**
 * What the loader teaches DuckDB; `j` and `v` are JSON, `t` is text. A conversion gives NULL for
 * what it cannot convert.
 *
 * `log_deep`: nested deeper than 64; deeper still crashes DuckDB's JSON functions, which is why
 * brackets are counted in the text: each round takes the innermost ones away.
 */
export const loadMacros: readonly string[] = [
  String.raw`create macro log_brackets(j) as regexp_replace(
    regexp_replace(j::varchar, '"(?:[^"\\]|\\.)*"', '', 'g'), '[^\[\]{}]+', '', 'g')`,
  String.raw`create macro log_deep(j) as strlen(j::varchar) > 128
    and regexp_matches(j::varchar, '(?:[\[{][^\[{]*){65}')
    and list_reduce(
      list_prepend(log_brackets(j), list_transform(range(64), lambda i: '')),
      lambda rest, i: regexp_replace(rest, '\[\]|\{\}', '', 'g')) <> ''`,
  `create macro log_elements(v) as case json_type(v)
    when 'OBJECT' then [v]
    when 'ARRAY' then list_filter(json_extract(v, '$[*]'), lambda e: json_type(e) = 'OBJECT') end`,
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
  `create macro log_float64(v) as
    case when json_type(v) in ('UBIGINT', 'BIGINT', 'DOUBLE', 'VARCHAR')
    then try_cast(v ->> '$' as double) end`,
  `create macro log_bool(v) as case when json_type(v) in ('BOOLEAN', 'VARCHAR') then
    case lower(v ->> '$') when 'true' then true when 'false' then false end end`,
  // A unix number's unit by its magnitude; the whole microseconds of it.
  `create macro log_unix(d) as try(make_timestamp(try_cast(floor(case
    when abs(d) < 100000000000 then d * 1000000
    when abs(d) < 100000000000000 then d * 1000
    when abs(d) < 100000000000000000 then d
    else d / 1000 end) as bigint))::timestamptz)`,
  // Only what begins with a digit: DuckDB also knows 'epoch' and 'infinity'. No term stands twice
  // in these two, or DuckDB would work it out for every row, needed or not.
  String.raw`create macro log_iso(t) as case when t >= '0' and t < ':' then coalesce(
    try_cast(t as timestamptz),
    try_cast(regexp_replace(upper(t), '(T[0-9]{2}:[0-9]{2})(Z|[+-].*)?$', '\1:00\2') as timestamptz)
  ) end`,
  `create macro log_timestamp(t) as coalesce(log_iso(t),
    list_transform([try_cast(t as decimal(38, 9))], lambda d: log_unix(d))[1])`,
];
