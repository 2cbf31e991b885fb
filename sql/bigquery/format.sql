-- FORMAT: https://cloud.google.com/bigquery/docs/reference/standard-sql/string_functions#format_string
create macro bq.format_float64(x) as
  case
    when x = 0 then cast(x as varchar)
    else regexp_replace(bq.float64_to_string(x), '\A(-?\d+)\z', '\1.0')
  end;

create macro bq.format_float64_literal(x) as
  list_transform(
    [x],
    lambda v: case
      when isfinite(v) then bq.format_float64(v)
      else 'CAST("' || lower(bq.float64_to_string(v)) || '" AS FLOAT64)'
    end
  )[1];

create macro bq.escape_control(s) as
  case
    when regexp_matches(s, '[\x00-\x1f\x7f]')
      then bq.join(
        list_transform(
          string_split(s, ''),
          lambda c: case when unicode(c) < 32 or unicode(c) = 127 then printf('\x%02x', unicode(c)) else c end
        ),
        ''
      )
    else s
  end;

create macro bq.escape_text(s, q) as
  list_transform(
    [
      replace(
        replace(replace(replace(replace(s, '\', '\\'), q, '\' || q), chr(10), '\n'), chr(13), '\r'),
        chr(9),
        '\t'
      )
    ],
    lambda v: bq.escape_control(v)
  )[1];

create macro bq.quoted(s, q) as q || bq.escape_text(s, q) || q;

create macro bq.quote_text(s) as
  list_transform(
    [s],
    lambda v: case
      when strlen(v) > 1000000
        then bq.fail_string('Output string too long while evaluating FORMAT; limit 1000000')
      else bq.quoted(v, case when contains(v, '"') and not contains(v, '''') then '''' else '"' end)
    end
  )[1];

create macro bq.escape_byte(h, quotes) as
  case
    when h between '20' and '7E'
      then case when contains(quotes || '\', decode(unhex(h))) then '\' else '' end || decode(unhex(h))
    else '\x' || lower(h)
  end;

create macro bq.escape_bytes(b, quotes) as
  bq.join(list_transform(regexp_extract_all(hex(b), '..'), lambda h: bq.escape_byte(h, quotes)), '');

create macro bq.quote_bytes(b) as
  list_transform(
    [{b: b, q: case when regexp_full_match(hex(b), '(..)*22(..)*') and not regexp_full_match(hex(b), '(..)*27(..)*') then '''' else '"' end}],
    lambda r: 'b' || r.q || bq.escape_bytes(r.b, r.q) || r.q
  )[1];
