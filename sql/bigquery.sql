-- What DuckDB can be taught of BigQuery in SQL: macros in the schema bq, one function a line where it fits.
-- Bodies are bound when they are created. A failure is raised by a CAST that cannot succeed, with the message in it,
-- since SAFE. makes NULL of a failed cast. The compiler calls them by name; no caller's text reaches them unparsed.
create schema bq;

-- conversions: https://cloud.google.com/bigquery/docs/reference/standard-sql/conversion_functions
create macro bq.fraction(us) as case when us % 1000000 = 0 then '' when us % 1000 = 0 then '.' || lpad(cast((us % 1000000) // 1000 as varchar), 3, '0') else '.' || lpad(cast(us % 1000000 as varchar), 6, '0') end;
create macro bq.positive_mod(a, b) as ((a % b) + b) % b;
create macro bq.decimal_to_string(x) as case when contains(cast(x as varchar), '.') then rtrim(rtrim(cast(x as varchar), '0'), '.') else cast(x as varchar) end;
create macro bq.numeric_to_string(x) as bq.decimal_to_string(x);
create macro bq.bignumeric_to_string(x) as bq.decimal_to_string(x);
create macro bq.float64_to_string(x) as case when isnan(x) then 'NaN' when isinf(x) then case when x > 0 then 'inf' else '-inf' end else regexp_replace(cast(x as varchar), '\.0$', '') end;
create macro bq.float64_to_int64(x) as cast(case when x < 0 then ceil(x - 0.5) else floor(x + 0.5) end as bigint);
create macro bq.bytes_to_string(x) as decode(x);
create macro bq.string_to_bytes(x) as encode(x);
create macro bq.string_to_bool(x) as case when lower(x) in ('true', 'false') then lower(x) = 'true' else cast('Bad bool value: ' || x as boolean) end;
create macro bq.string_to_int64(x) as case when regexp_full_match(trim(x), '[-+]?\d+') then cast(trim(x) as bigint) else cast('Bad int64 value: ' || x as bigint) end;
create macro bq.string_to_float64(x) as case when lower(trim(x)) in ('inf', '+inf', 'infinity', '+infinity') then cast('Infinity' as double) when lower(trim(x)) in ('-inf', '-infinity') then cast('-Infinity' as double) else cast(trim(x) as double) end;
create macro bq.string_to_timestamp(x) as cast(x as timestamptz);
create macro bq.timestamp_to_string(x) as strftime(timezone('UTC', x), '%Y-%m-%d %H:%M:%S') || bq.fraction(bq.positive_mod(epoch_us(x), 1000000)) || '+00';
create macro bq.datetime_to_string(x) as strftime(x, '%Y-%m-%d %H:%M:%S') || bq.fraction(bq.positive_mod(epoch_us(x), 1000000));
create macro bq.time_to_string(x) as strftime(date '2000-01-01' + x, '%H:%M:%S') || case when epoch_us(x) % 1000000 = 0 then '' else '.' || lpad(cast(epoch_us(x) % 1000000 as varchar), 6, '0') end;
create macro bq.timestamp_to_datetime(x) as timezone('UTC', x);
create macro bq.timestamp_to_date(x) as cast(timezone('UTC', x) as date);
create macro bq.timestamp_to_time(x) as cast(timezone('UTC', x) as time);
create macro bq.datetime_to_timestamp(x) as timezone('UTC', x);
create macro bq.date_to_timestamp(x) as timezone('UTC', cast(x as timestamp));

-- how values leave in JSON, where DuckDB writes them otherwise
create macro bq.datetime_to_json(x) as strftime(x, '%Y-%m-%dT%H:%M:%S') || case when epoch_us(x) % 1000000 = 0 then '' else '.' || lpad(cast(bq.positive_mod(epoch_us(x), 1000000) as varchar), 6, '0') end;
create macro bq.float64_to_json(x) as case when isfinite(x) then to_json(x) when isnan(x) then to_json('NaN') when x > 0 then to_json('Infinity') when x < 0 then to_json('-Infinity') end;
create macro bq.interval_months(x) as date_part('year', x) * 12 + date_part('month', x);
create macro bq.interval_micros(x) as date_part('hour', x) * 3600000000 + date_part('minute', x) * 60000000 + date_part('microsecond', x);
create macro bq.interval_to_string(x) as case when bq.interval_months(x) < 0 then '-' else '' end || cast(abs(bq.interval_months(x)) // 12 as varchar) || '-' || cast(abs(bq.interval_months(x)) % 12 as varchar) || ' ' || cast(date_part('day', x) as varchar) || ' ' || case when bq.interval_micros(x) < 0 then '-' else '' end || cast(abs(bq.interval_micros(x)) // 3600000000 as varchar) || ':' || cast(abs(bq.interval_micros(x)) // 60000000 % 60 as varchar) || ':' || cast(abs(bq.interval_micros(x)) // 1000000 % 60 as varchar) || bq.fraction(abs(bq.interval_micros(x)));

-- mathematical: https://cloud.google.com/bigquery/docs/reference/standard-sql/mathematical_functions
create macro bq.divide(a, b) as case when b = 0 then cast('division by zero' as double) else a / b end;
create macro bq.div(a, b) as case when b = 0 then cast('division by zero' as bigint) else a // b end;
create macro bq.mod(a, b) as case when b = 0 then cast('division by zero' as bigint) else a % b end;
create macro bq.safe_divide(a, b) as case when b = 0 then null else a / b end;

-- strings: https://cloud.google.com/bigquery/docs/reference/standard-sql/string_functions
create macro bq.replace(s, a, b) as case when a = '' then s else replace(s, a, b) end;

-- time: parts of one length in UTC are cut by arithmetic, before 1970 too
create macro bq.timestamp_floor(x, us) as make_timestamptz(epoch_us(x) - bq.positive_mod(epoch_us(x), us));
create macro bq.datetime_floor(x, us) as make_timestamp(epoch_us(x) - bq.positive_mod(epoch_us(x), us));

-- subscripts: https://cloud.google.com/bigquery/docs/reference/standard-sql/operators#array_subscript_operator
create macro bq.safe_offset(a, i) as case when i < 0 then null else list_extract(a, i + 1) end;
create macro bq.safe_ordinal(a, i) as case when i < 1 then null else list_extract(a, i) end;
create macro bq.at_offset(a, i) as case when i < 0 or i >= len(a) then list_extract(a, cast('Array index ' || i || ' is out of bounds' as bigint)) else list_extract(a, i + 1) end;
create macro bq.at_ordinal(a, i) as case when i < 1 or i > len(a) then list_extract(a, cast('Array index ' || i || ' is out of bounds' as bigint)) else list_extract(a, i) end;
create macro bq.json_at(j, k varchar) as json_extract(j, '$."' || replace(replace(k, '\', '\\'), '"', '\"') || '"'), (j, k bigint) as case when k < 0 then null else json_extract(j, '$[' || k || ']') end;
create macro bq.in_unnest(x, a) as case when a is null or len(a) = 0 then false when x is null then null when list_contains(a, x) then true when len(a) <> list_count(a) then null else false end;
