-- JSON functions: https://cloud.google.com/bigquery/docs/reference/standard-sql/json_functions
-- A text must be checked for validity before these macros read it; a path is a JSON pointer. Casts of JSON to lists
-- overflow the stack on deeply nested JSON: use them only if the nesting is bounded.
create macro bq.is_json(s) as json_valid(s);

-- The text if it may be JSON: after a byte order mark, DuckDB does not read it.
create macro bq.json_or_null(s) as case when json_valid(s) or starts_with(s, chr(65279)) then s end;
create macro bq.opens_json(s) as regexp_matches(s, '^[ \n\r\t]*[\[{]');

create macro bq.json_pointer(p) as
  case
    when p = '$' then '$'
    when regexp_full_match(
        p,
        '\$(?:\.[^.\[\]"''*]+|\."(?:[^"\\]|\\.)*"|\[\d+\]|\[''(?:[^''\\]|\\.)*''\]|\["(?:[^"\\]|\\.)*"\])+'
      )
    then '/'
      || array_to_string(
          list_transform(
            regexp_extract_all(
              substr(p, 2),
              '\.[^.\[\]"''*]+|\."(?:[^"\\]|\\.)*"|\[\d+\]|\[''(?:[^''\\]|\\.)*''\]|\["(?:[^"\\]|\\.)*"\]'
            ),
            lambda t: replace(
              replace(
                regexp_replace(regexp_replace(t, '^[.\[]["'']?|["'']?\]$|"$', '', 'g'), '\\(.)', '\1', 'g'),
                '~',
                '~0'
              ),
              '/',
              '~1'
            )
          ),
          '/'
        )
    when p is not null then bq.fail_string('Invalid JSONPath: ' || p)
  end;

create macro bq.json_null_to_null(j) as nullif(j, 'null');
create macro bq.json_scalar(j) as json_extract_string(j, '$');
create macro bq.json_scalar_at(j, p) as json_value(j, p);
create macro bq.json_value(j, p) as bq.json_scalar(json_value(j, p));
create macro bq.json_query(j, p) as json_extract(j, p);

-- The casts are for NULL, of which json_extract makes no list.
create macro bq.json_elements(j) as cast(json_extract(cast(j as json), '$[*]') as json[]);
create macro bq.json_texts(j) as cast(json_extract_string(cast(j as json), '$[*]') as varchar[]);

create macro bq.json_query_array(j, p) as
  case when json_type(j, p) = 'ARRAY' then bq.json_elements(json_extract(j, p)) end;

create macro bq.json_scalar_list(l) as
  case
    when len(list_filter(cast(l as json[]), lambda x: json_type(x) in ('OBJECT', 'ARRAY'))) = 0
      then cast(l as json[])
  end;

create macro bq.json_value_array(j, p) as
  list_transform(bq.json_scalar_list(bq.json_query_array(j, p)), lambda x: bq.json_scalar(x));

-- DuckDB prints doubles from 1e15 on, and below 1e-4, otherwise than BigQuery. A JSON value has the numbers of BigQuery,
-- or those of DuckDB if one of its functions returned it.
create macro bq.is_other_number(j) as
  regexp_matches(cast(j as varchar), '^-?(?:\d+(?:\.\d+)?e|\d{16,}\.|0\.0000)');

-- This may also be true because of a string. Its result only costs time.
create macro bq.has_other_number(j) as
  regexp_matches(
    cast(j as varchar),
    '(?:^|[\[,:])-?(?:\d+(?:\.\d+)?e(?:\d|-\d(?:\D|$))|\d{16,}\.|0\.0000)'
  );

-- A part of a text has its numbers as they are written. DuckDB prints those otherwise that have an exponent, a zero at
-- the end of a fraction, or many digits, and -0; and it reads NaN and infinity, which are not JSON. This may also be true
-- because of a string, which only costs time.
create macro bq.has_written_number(t) as
  regexp_matches(
    t,
    '(?:^|[\[,: \n\r\t])-?(?:\d+(?:\.\d+)?[eE]|\d+\.\d+0(?:[^\d.]|$)|[\d.]{17}|0\.0000|(?i:nan|inf(?:inity)?)(?:[,\]} \n\r\t]|$))'
      || '|-0(?:[^\d.]|$)'
  );

create macro bq.is_written_number_at(t, p) as
  regexp_matches(json_extract_string(t, p), '^(?:-?\d+[.e].*|0|-?(?i:nan|inf(?:inity)?))$')
  and bq.has_written_number(t)
  and json_type(t, p) in ('DOUBLE', 'BIGINT');

-- The separators of lines and paragraphs, which JSON allows and JavaScript did not, are escaped in strings.
create macro bq.escape_separators(t) as
  case
    when contains(t, chr(8232)) or contains(t, chr(8233))
      then replace(replace(t, chr(8232), '\u2028'), chr(8233), '\u2029')
    else t
  end;

create macro bq.json_type(j) as
  case
    when j is null then null
    else case json_type(j)
      when 'OBJECT' then 'object'
      when 'ARRAY' then 'array'
      when 'VARCHAR' then 'string'
      when 'BOOLEAN' then 'boolean'
      when 'NULL' then 'null'
      else 'number'
    end
  end;

create macro bq.json_is_number(j) as json_type(j) in ('BIGINT', 'UBIGINT', 'HUGEINT', 'DOUBLE');

create macro bq.json_to_bool(j) as
  case
    when j is null then null
    when json_type(j) = 'BOOLEAN' then cast(json_extract_string(j, '$') as boolean)
    else bq.fail_bool('The provided JSON input is not a boolean')
  end;

create macro bq.json_to_string(j) as
  case
    when j is null then null
    when json_type(j) = 'VARCHAR' then json_extract_string(j, '$')
    else bq.fail_string('The provided JSON input is not a string')
  end;

create macro bq.json_to_int64(j) as
  case
    when j is null then null
    when not bq.json_is_number(j) then bq.fail_int64('The provided JSON input is not an integer')
    when json_type(j) <> 'DOUBLE' and try_cast(json_extract_string(j, '$') as bigint) is not null
      then cast(json_extract_string(j, '$') as bigint)
    when json_type(j) = 'DOUBLE'
      and floor(cast(json_extract_string(j, '$') as double)) = cast(json_extract_string(j, '$') as double)
      and abs(cast(json_extract_string(j, '$') as double)) < 9223372036854775808
    then cast(cast(json_extract_string(j, '$') as double) as bigint)
    else bq.fail_int64(
      'The provided JSON number: ' || json_extract_string(j, '$') || ' cannot be converted to an integer'
    )
  end;

create macro bq.json_to_float64(j) as
  case
    when j is null then null
    when bq.json_is_number(j) then cast(json_extract_string(j, '$') as double)
    else bq.fail_float64('The provided JSON input is not a number')
  end;

create macro bq.json_to_float64_exact(j) as
  case
    when json_type(j) in ('BIGINT', 'UBIGINT')
      and cast(cast(json_extract_string(j, '$') as double) as hugeint) <> cast(
          json_extract_string(j, '$') as hugeint
        )
    then bq.fail_float64(
        'JSON number: '
        || json_extract_string(j, '$')
        || ' cannot be converted to DOUBLE without loss of precision'
      )
    else bq.json_to_float64(j)
  end;

create macro bq.lax_bool(j) as
  case
    when bq.json_is_number(j) then cast(json_extract_string(j, '$') as double) <> 0
    when json_type(j) in ('BOOLEAN', 'VARCHAR')
      and lower(json_extract_string(j, '$')) in ('true', 'false')
    then lower(json_extract_string(j, '$')) = 'true'
  end;

create macro bq.lax_float64(j) as
  case
    when bq.json_is_number(j) or json_type(j) = 'VARCHAR'
      then bq.safe_string_to_float64(json_extract_string(j, '$'))
  end;

-- The nearest INT64 of a number in a string; NULL for any other string
create macro bq.rounded_number(s) as
  case
    when regexp_full_match(s, '\s*[-+]?(\d+\.?\d*|\.\d+)\s*')
      then try_cast(coalesce(try_cast(s as decimal(18, 0)), try_cast(s as decimal(38, 0))) as bigint)
    when regexp_full_match(s, '\s*[-+]?(\d+\.?\d*|\.\d+)[eE][-+]?\d{1,4}\s*')
      then try_cast(try_cast(bq.plain_number(s) as decimal(38, 0)) as bigint)
  end;

create macro bq.lax_int64(j) as
  case
    when json_type(j) = 'BOOLEAN' then case json_extract_string(j, '$') when 'true' then 1 else 0 end
    when json_type(j) = 'DOUBLE' then try_cast(round(try_cast(json_extract_string(j, '$') as double)) as bigint)
    when bq.json_is_number(j) then try_cast(json_extract_string(j, '$') as bigint)
    when json_type(j) = 'VARCHAR' then bq.rounded_number(json_extract_string(j, '$'))
  end;

create macro bq.json_lax_scalar(j) as
  case when bq.json_is_number(j) or json_type(j) in ('BOOLEAN', 'VARCHAR') then cast(j as json) end;

create macro bq.json_double_text(j) as
  case when json_type(j) = 'DOUBLE' then bq.float64_to_string(try_cast(j as double)) end;

create macro bq.json_at(j, k varchar) as
  case when json_type(j) = 'OBJECT' then json_extract(j, '/' || replace(replace(k, '~', '~0'), '/', '~1')) end,
  (j, k bigint) as case when k < 0 then null else json_extract(j, '$[' || k || ']') end;

create macro bq.json_scalars(j) as
  list_filter([j] || json_extract(j, '$..*'), lambda x: json_type(x) not in ('OBJECT', 'ARRAY', 'NULL'));

create macro bq.json_skeleton(s) as regexp_replace(s, '"(?:[^"\\]|\\.)*"', '""', 'g');
create macro bq.json_list(l) as '[' || array_to_string(l, ',') || ']';

create macro bq.json_object_of(k, v) as
  case
    when k is null then bq.fail_string('Invalid input to JSON_OBJECT: The keys array cannot be NULL')
    when v = 'null' then bq.fail_string('Invalid input to JSON_OBJECT: The values array cannot be NULL')
    when len(k) <> json_array_length(v)
      then bq.fail_string('Invalid input to JSON_OBJECT: The number of keys and values must match')
    when list_count(k) < len(k)
      then bq.fail_string('Invalid input to JSON_OBJECT: A key cannot be NULL')
    else '{'
    || array_to_string(
        list_transform(
          list_sort(list_distinct(k)),
          lambda n: cast(to_json(n) as varchar) || ':' || cast(
            json_extract(v, '/' || cast(list_position(k, n) - 1 as varchar)) as varchar
          )
        ),
        ','
      )
    || '}'
  end;

-- TO_JSON and TO_JSON_STRING
create macro bq.float64_to_json_text(x) as
  case
    when isfinite(x) then bq.float64_to_string(x)
    when isnan(x) then '"NaN"'
    when x > 0 then '"Infinity"'
    when x < 0 then '"-Infinity"'
  end;

create macro bq.float64_to_json_value(x) as
  case when abs(x) < 1e15 then cast(x as varchar) else bq.float64_to_json_text(x) end;

create macro bq.datetime_to_iso(x) as
  strftime(x, '%Y-%m-%dT%H:%M:%S') || bq.fraction(bq.positive_mod(epoch_us(x), 1000000));

create macro bq.timestamp_to_iso(x) as bq.datetime_to_iso(make_timestamp(epoch_us(x))) || 'Z';

create macro bq.time_to_iso(x) as
  strftime(date '2000-01-01' + x, '%H:%M:%S') || bq.fraction(epoch_us(x) % 1000000);

create macro bq.iso_part(n, unit) as case when n = 0 then '' else cast(n as varchar) || unit end;

create macro bq.interval_to_iso_time(us) as
  case
    when us = 0 then ''
    else 'T'
    || bq.iso_part(cast(sign(us) as bigint) * (abs(us) // 3600000000), 'H')
    || bq.iso_part(cast(sign(us) as bigint) * (abs(us) // 60000000 % 60), 'M')
    || case
        when us % 60000000 = 0 then ''
        else case when us < 0 then '-' else '' end
        || cast(abs(us) // 1000000 % 60 as varchar)
        || bq.fraction(abs(us))
        || 'S'
      end
  end;

create macro bq.interval_to_iso(x) as
  case
    when x = interval 0 second then 'P0Y'
    else 'P'
    || bq.iso_part(bq.interval_months(x) // 12, 'Y')
    || bq.iso_part(bq.interval_months(x) % 12, 'M')
    || bq.iso_part(date_part('day', x), 'D')
    || bq.interval_to_iso_time(bq.interval_micros(x))
  end;

-- Values in the JSON of a response that DuckDB would write differently
create macro bq.time_to_json(x) as replace(strftime(date '2000-01-01' + x, '%H:%M:%S.%f'), '.000000', '');
create macro bq.datetime_to_json(x) as replace(strftime(x, '%Y-%m-%dT%H:%M:%S.%f'), '.000000', '');

create macro bq.float64_to_json(x) as
  case
    when isfinite(x) then to_json(x)
    when isnan(x) then to_json('NaN')
    when x > 0 then to_json('Infinity')
    when x < 0 then to_json('-Infinity')
  end;
