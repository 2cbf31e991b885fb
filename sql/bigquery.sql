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
create macro bq.float64_to_string(x) as case when isnan(x) then 'NaN' when isinf(x) then case when x > 0 then 'inf' else '-inf' end when abs(x) < 1e15 or abs(x) >= 1e17 then regexp_replace(cast(x as varchar), '\.0$', '') when cast(printf('%.15g', x) as double) = x then printf('%.15g', x) else printf('%.17g', x) end;
create macro bq.float64_to_int64(x) as case when not isfinite(x) then cast('Illegal conversion of non-finite floating point number to an integer: ' || bq.float64_to_string(x) as bigint) when round(x) >= 9223372036854775807 or round(x) < -9223372036854775808 then cast('int64 out of range: ' || bq.float64_to_string(x) as bigint) else cast(round(x) as bigint) end;
create macro bq.bytes_to_string(x) as decode(x);
create macro bq.string_to_bytes(x) as encode(x);
create macro bq.hex_to_bytes(x) as case when not regexp_full_match(x, '[0-9a-fA-F]*') then encode(cast(cast('Failed to decode invalid hexadecimal string' as bigint) as varchar)) when length(x) % 2 = 1 then unhex('0' || x) else unhex(x) end;
create macro bq.base64_to_bytes(x) as case when not regexp_full_match(x, '([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?') then encode(cast(cast('Failed to decode invalid base64 string' as bigint) as varchar)) else from_base64(x) end;
create macro bq.string_to_bool(x) as case when lower(x) in ('true', 'false') then lower(x) = 'true' else cast('Bad bool value: ' || x as boolean) end;
create macro bq.digits_to_int64(x) as case when x[2] in ('x', 'X') or x[3] in ('x', 'X') then case x[1] when '-' then -cast(x[2:] as bigint) when '+' then cast(x[2:] as bigint) else cast(x as bigint) end else cast(x as bigint) end;
create macro bq.string_to_int64(x) as case when not regexp_full_match(x, '\s*[-+]?(\d+|0[xX][0-9a-fA-F]{1,16})\s*') or try(bq.digits_to_int64(regexp_replace(x, '\s', '', 'g'))) is null then cast('Bad int64 value: ' || x as bigint) else bq.digits_to_int64(regexp_replace(x, '\s', '', 'g')) end;
create macro bq.string_to_float64(x) as case when regexp_full_match(x, '\s*[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?\s*') and isfinite(try_cast(x as double)) then cast(x as double) when regexp_full_match(x, '(?i)\s*\+?inf(inity)?\s*') then cast('Infinity' as double) when regexp_full_match(x, '(?i)\s*-inf(inity)?\s*') then cast('-Infinity' as double) when regexp_full_match(x, '(?i)\s*[-+]?nan\s*') then cast('NaN' as double) when x is not null then cast('Bad double value: ' || x as double) end;
create macro bq.digits_to_numeric(x) as case when regexp_full_match(x, '\s*[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d{1,4})?\s*') then try_cast(x as decimal(38,9)) end;
create macro bq.string_to_numeric(x) as case when x is not null and bq.digits_to_numeric(x) is null then cast('Invalid NUMERIC value: ' || x as decimal(38,9)) else bq.digits_to_numeric(x) end;
create macro bq.float64_to_numeric(x) as case when not isfinite(x) then cast('Illegal conversion of non-finite floating point number to numeric: ' || bq.float64_to_string(x) as decimal(38,9)) when abs(x) >= 1e29 then cast('numeric out of range: ' || bq.float64_to_string(x) as decimal(38,9)) else cast(printf('%.30f', x) as decimal(38,9)) end;
create macro bq.numeric_to_float64(x) as cast(cast(x as varchar) as double);
create macro bq.numeric_to_int64(x) as case when abs(x) >= 9223372036854775807.5 and x <> -9223372036854775808 then cast('int64 out of range: ' || bq.decimal_to_string(x) as bigint) else cast(x as bigint) end;
-- BIGNUMERIC has eight digits behind the point here; what needs more is refused
create macro bq.fit_bignumeric(x, exact, told) as case when x is null and told is not null or not exact then cast('BIGNUMERIC is limited to 30 digits before the point and 8 behind it: ' || told as decimal(38,8)) else x end;
create macro bq.digits_to_bignumeric(x) as case when regexp_full_match(x, '\s*[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d{1,4})?\s*') then try_cast(x as decimal(38,8)) end;
create macro bq.string_to_bignumeric(x) as case when x is not null and not regexp_full_match(x, '\s*[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d{1,4})?\s*') then cast('Invalid BIGNUMERIC value: ' || x as decimal(38,8)) else bq.fit_bignumeric(bq.digits_to_bignumeric(x), case when regexp_matches(x, '[eE]-') then coalesce(bq.digits_to_bignumeric(x) = try_cast(x as decimal(38,18)), false) else not regexp_matches(x, '\.\d{8}\d*[1-9]') end, x) end;
create macro bq.float64_to_bignumeric(x) as case when not isfinite(x) then cast('Illegal conversion of non-finite floating point number to bignumeric: ' || bq.float64_to_string(x) as decimal(38,8)) else bq.string_to_bignumeric(cast(x as varchar)) end;
create macro bq.numeric_to_bignumeric(x) as bq.fit_bignumeric(cast(x as decimal(38,8)), coalesce(cast(cast(x as decimal(38,8)) as decimal(38,9)) = x, true), cast(x as varchar));
create macro bq.bignumeric_to_numeric(x) as case when abs(x) >= 100000000000000000000000000000 then cast('numeric out of range: ' || bq.decimal_to_string(x) as decimal(38,9)) else cast(x as decimal(38,9)) end;
create macro bq.bignumeric_to_float64(x) as bq.numeric_to_float64(x);
create macro bq.bignumeric_to_int64(x) as bq.numeric_to_int64(x);
create macro bq.parsed_digits(x) as case when not regexp_full_match(x, '\s*([-+]\s*)?(,*\d[\d,]*(\.\d*)?|,*\.\d+)([eE][-+]?\d+)?\s*') and not regexp_full_match(x, '\s*(,*\d[\d,]*(\.\d*)?|,*\.\d+)([eE][-+]?\d+)?\s*[-+]?\s*') then null when regexp_matches(x, '^\s*-|-\s*$') then '-' || regexp_replace(x, '^[\s+-]+|[\s+-]+$|,', '', 'g') else regexp_replace(x, '^[\s+-]+|[\s+-]+$|,', '', 'g') end;
create macro bq.parse_numeric(x) as case when x is not null and try(bq.string_to_numeric(bq.parsed_digits(x))) is null then cast('Invalid input to PARSE_NUMERIC: ' || x as decimal(38,9)) else bq.string_to_numeric(bq.parsed_digits(x)) end;
create macro bq.parse_bignumeric(x) as case when x is not null and bq.parsed_digits(x) is null then cast('Invalid input to PARSE_BIGNUMERIC: ' || x as decimal(38,8)) else bq.string_to_bignumeric(bq.parsed_digits(x)) end;
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
create macro bq.sign_float64(x) as case when isnan(x) then x else cast(sign(x) as double) end;
create macro bq.divide(a, b) as case when b = 0 then cast('division by zero' as double) else a / b end;
create macro bq.div(a, b) as case when b = 0 then cast('division by zero' as bigint) else a // b end;
create macro bq.mod(a, b) as case when b = 0 then cast('division by zero' as bigint) when b = -1 then a * 0 else a % b end;
create macro bq.safe_divide(a, b) as case when b = 0 then null else a / b end;
create macro bq.ieee_divide(a, b) as a / b;
create macro bq.sqrt(x) as case when x < 0 then cast('Argument to SQRT cannot be negative: ' || bq.float64_to_string(x) as double) else sqrt(x) end;
create macro bq.pow(x, y) as case when isfinite(x) and isfinite(y) and not isfinite(pow(x, y)) then cast('Floating point error in function: POW(' || bq.float64_to_string(x) || ', ' || bq.float64_to_string(y) || ')' as double) else pow(x, y) end;
create macro bq.exp(x) as case when isfinite(x) and isinf(exp(x)) then cast('Floating point error in function: EXP(' || bq.float64_to_string(x) || ')' as double) else exp(x) end;
create macro bq.ln(x) as case when x <= 0 then cast('Floating point error in function: LN(' || bq.float64_to_string(x) || ')' as double) else ln(x) end;
create macro bq.log10(x) as case when x <= 0 then cast('Floating point error in function: LOG10(' || bq.float64_to_string(x) || ')' as double) else log10(x) end;
create macro bq.log(x, y) as case when x <= 0 or y <= 0 or y = 1 then cast('Floating point error in function: LOG(' || bq.float64_to_string(x) || ', ' || bq.float64_to_string(y) || ')' as double) else ln(x) / ln(y) end;
create macro bq.sin(x) as case when isinf(x) then cast('NaN' as double) else sin(x) end;
create macro bq.cos(x) as case when isinf(x) then cast('NaN' as double) else cos(x) end;
create macro bq.tan(x) as case when isinf(x) then cast('NaN' as double) else tan(x) end;
create macro bq.acos(x) as case when x < -1 or x > 1 and not isnan(x) then cast('Floating point error in function: ACOS(' || bq.float64_to_string(x) || ')' as double) else acos(x) end;
create macro bq.asin(x) as case when x < -1 or x > 1 and not isnan(x) then cast('Floating point error in function: ASIN(' || bq.float64_to_string(x) || ')' as double) else asin(x) end;
create macro bq.acosh(x) as case when x < 1 then cast('Floating point error in function: ACOSH(' || bq.float64_to_string(x) || ')' as double) else acosh(x) end;
create macro bq.atanh(x) as case when x <= -1 or x >= 1 and not isnan(x) then cast('Floating point error in function: ATANH(' || bq.float64_to_string(x) || ')' as double) else atanh(x) end;
create macro bq.cosh(x) as case when isfinite(x) and isinf(cosh(x)) then cast('Floating point error in function: COSH(' || bq.float64_to_string(x) || ')' as double) else cosh(x) end;
create macro bq.sinh(x) as case when isfinite(x) and isinf(sinh(x)) then cast('Floating point error in function: SINH(' || bq.float64_to_string(x) || ')' as double) else sinh(x) end;
create macro bq.cot(x) as case when isinf(x) then cast('NaN' as double) when x = 0 then cast('Floating point error in function: COT(' || bq.float64_to_string(x) || ')' as double) else 1 / tan(x) end;
create macro bq.csc(x) as case when isinf(x) then cast('NaN' as double) when x = 0 then cast('Floating point error in function: CSC(' || bq.float64_to_string(x) || ')' as double) else 1 / sin(x) end;
create macro bq.sec(x) as case when isinf(x) then cast('NaN' as double) else 1 / cos(x) end;
create macro bq.coth(x) as case when x = 0 then cast('Floating point error in function: COTH(' || bq.float64_to_string(x) || ')' as double) else 1 / tanh(x) end;
create macro bq.csch(x) as case when x = 0 then cast('Floating point error in function: CSCH(' || bq.float64_to_string(x) || ')' as double) else 1 / sinh(x) end;
create macro bq.sech(x) as 1 / cosh(x);
create macro bq.round_float64(x, digits) as round(x, cast(greatest(least(digits, 400), -400) as integer));
create macro bq.trunc_float64(x, digits) as trunc(x, cast(greatest(least(digits, 400), -400) as integer));
create macro bq.cbrt(x) as case when round(cbrt(x)) ** 3 = x then round(cbrt(x)) else cbrt(x) end;
create macro bq.greatest(list) as list_reduce(list, lambda x, y: case when x is null or y is null then null when x >= y then x else y end);
create macro bq.least(list) as list_reduce(list, lambda x, y: case when x is null or y is null then null when x <= y then x else y end);
create macro bq.least_float64(list) as list_reduce(list, lambda x, y: case when x is null or y is null then null when isnan(x) or x <= y and not isnan(y) then x else y end);
create macro bq.range_bucket(point, list) as case when point is null or list is null then null when list_count(list) < len(list) then cast('Elements in input array to RANGE_BUCKET cannot be NULL' as bigint) when list_sort(list, 'ASC') <> list then cast('Elements in input array to RANGE_BUCKET must be in ascending order' as bigint) else len(list_filter(list, lambda x: x <= point)) end;
create macro bq.cosine_distance(a, b) as case when len(a) <> len(b) then cast('Array arguments to COSINE_DISTANCE must have equal length' as double) when list_inner_product(a, a) = 0 or list_inner_product(b, b) = 0 then cast('Cannot compute cosine distance against zero vector' as double) else list_cosine_distance(a, b) end;
create macro bq.euclidean_distance(a, b) as case when len(a) <> len(b) then cast('Array arguments to EUCLIDEAN_DISTANCE must have equal length' as double) else list_distance(a, b) end;

-- NUMERIC and BIGNUMERIC, exact: a number's units are its digits without the point, in 128 bits
create macro bq.decimal_units(x, unit) as cast(trunc(x) as hugeint) * unit + cast((x - trunc(x)) * unit as hugeint);
create macro bq.numeric_of_units(n) as case when abs(n) > 99999999999999999999999999999999999999 then cast('numeric overflow' as decimal(38,9)) else cast(n // 1000000000 as decimal(29,0)) + cast(n % 1000000000 as decimal(9,0)) * 0.000000001 end;
create macro bq.bignumeric_of_units(n) as case when abs(n) > 99999999999999999999999999999999999999 then cast('bignumeric overflow' as decimal(38,8)) else cast(n // 100000000 as decimal(30,0)) + cast(n % 100000000 as decimal(8,0)) * 0.00000001 end;
create macro bq.units_quotient(n, d, unit) as (n // d) * unit + (2 * (n % d) * unit + d) // (2 * d);
create macro bq.divide_units(n, d, unit) as case when d = 0 then cast('division by zero' as hugeint) when abs(n) // abs(d) >= 100000000000000000000000000000 then cast('numeric overflow' as hugeint) else sign(n) * sign(d) * case when abs(d) < 80000000000000000000000000000 then bq.units_quotient(abs(n), abs(d), unit) else bq.units_quotient(abs(n) // unit, abs(d) // unit, unit) end end;
create macro bq.numeric_divide(a, b) as list_transform([{'n': bq.decimal_units(a, 1000000000), 'd': bq.decimal_units(b, 1000000000)}], lambda v: bq.numeric_of_units(bq.divide_units(v.n, v.d, 1000000000)))[1];
create macro bq.bignumeric_divide(a, b) as list_transform([{'n': bq.decimal_units(a, 100000000), 'd': bq.decimal_units(b, 100000000)}], lambda v: case when v.d <> 0 and (abs(v.n) % abs(v.d)) * 100000000 % abs(v.d) <> 0 then cast('BIGNUMERIC is limited to 30 digits before the point and 8 behind it: a quotient' as decimal(38,8)) else bq.bignumeric_of_units(bq.divide_units(v.n, v.d, 100000000)) end)[1];
create macro bq.numeric_safe_divide(a, b) as case when b = 0 then null else bq.numeric_divide(a, b) end;
create macro bq.bignumeric_safe_divide(a, b) as case when b = 0 then null else bq.bignumeric_divide(a, b) end;
create macro bq.numeric_multiply(a, b) as trunc(a) * b + (a - trunc(a)) * trunc(b) + round((a - trunc(a)) * (b - trunc(b)), 9);
create macro bq.bignumeric_multiply(a, b) as case when round((a - trunc(a)) * (b - trunc(b)), 8) <> (a - trunc(a)) * (b - trunc(b)) then cast('BIGNUMERIC is limited to 30 digits before the point and 8 behind it: ' || bq.decimal_to_string(a) || ' * ' || bq.decimal_to_string(b) as decimal(38,8)) else trunc(a) * b + (a - trunc(a)) * trunc(b) + round((a - trunc(a)) * (b - trunc(b)), 8) end;
create macro bq.numeric_div(a, b) as case when b = 0 then cast('division by zero' as decimal(38,0)) else cast(bq.decimal_units(a, 1000000000) // bq.decimal_units(b, 1000000000) as decimal(38,0)) end;
create macro bq.bignumeric_div(a, b) as case when b = 0 then cast('division by zero' as decimal(38,0)) else cast(bq.decimal_units(a, 100000000) // bq.decimal_units(b, 100000000) as decimal(38,0)) end;
create macro bq.numeric_mod(a, b) as case when b = 0 then cast('division by zero' as decimal(38,9)) else a % b end;
create macro bq.bignumeric_mod(a, b) as case when b = 0 then cast('division by zero' as decimal(38,8)) else a % b end;
create macro bq.round_even_decimal(x, digits, unit) as case when 2 * abs(x - trunc(x, digits)) = unit and trunc(x, digits) % (2 * unit) = 0 then trunc(x, digits) else round(x, digits) end;

-- bits: https://cloud.google.com/bigquery/docs/reference/standard-sql/operators#bitwise_operators
create macro bq.unsigned(x) as case when x < 0 then cast(x as hugeint) + 18446744073709551616 else cast(x as hugeint) end;
create macro bq.signed(x) as cast(case when x >= 9223372036854775808 then x - 18446744073709551616 else x end as bigint);
create macro bq.shift_left(x, n) as case when n < 0 then cast('Bitwise left shift by negative offset.' as bigint) when n >= 64 then 0 else bq.signed((bq.unsigned(x) & ((cast(1 as hugeint) << cast(64 - n as integer)) - 1)) << cast(n as integer)) end;
create macro bq.shift_right(x, n) as case when n < 0 then cast('Bitwise right shift by negative offset.' as bigint) when n >= 64 then 0 else bq.signed(bq.unsigned(x) >> cast(n as integer)) end;
create macro bq.unequal_bytes(a, b) as encode(cast(cast('Bitwise binary operator for BYTES requires equal length of the inputs. Got ' || octet_length(a) || ' bytes on the left hand side and ' || octet_length(b) || ' bytes on the right hand side.' as bigint) as varchar));
create macro bq.bytes_and(a, b) as case when octet_length(a) <> octet_length(b) then bq.unequal_bytes(a, b) when octet_length(a) = 0 then a else cast(cast(a as bit) & cast(b as bit) as blob) end;
create macro bq.bytes_or(a, b) as case when octet_length(a) <> octet_length(b) then bq.unequal_bytes(a, b) when octet_length(a) = 0 then a else cast(cast(a as bit) | cast(b as bit) as blob) end;
create macro bq.bytes_xor(a, b) as case when octet_length(a) <> octet_length(b) then bq.unequal_bytes(a, b) when octet_length(a) = 0 then a else cast(xor(cast(a as bit), cast(b as bit)) as blob) end;
create macro bq.bytes_not(a) as case when octet_length(a) = 0 then a else cast(~cast(a as bit) as blob) end;
create macro bq.bytes_shift_left(a, n) as case when n < 0 then encode(cast(cast('Bitwise left shift by negative offset.' as bigint) as varchar)) when octet_length(a) = 0 then a else cast(cast(a as bit) << cast(least(n, bit_length(cast(a as bit))) as integer) as blob) end;
create macro bq.bytes_shift_right(a, n) as case when n < 0 then encode(cast(cast('Bitwise right shift by negative offset.' as bigint) as varchar)) when octet_length(a) = 0 then a else cast(cast(a as bit) >> cast(least(n, bit_length(cast(a as bit))) as integer) as blob) end;
create macro bq.bytes_bit_count(a) as case when octet_length(a) = 0 then 0 else bit_count(cast(a as bit)) end;

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

-- JSON: https://cloud.google.com/bigquery/docs/reference/standard-sql/json_functions
-- A text is asked for its validity first, then read; a path is a JSON pointer. Casts to lists and json_pretty are left alone: deep nesting is too much for them.
create macro bq.json_text(s) as case when json_valid(s) then s end;
create macro bq.json_pointer(p) as case when p = '$' then '$' when regexp_full_match(p, '\$(?:\.[^.\[\]"''*]+|\."(?:[^"\\]|\\.)*"|\[\d+\]|\[''(?:[^''\\]|\\.)*''\]|\["(?:[^"\\]|\\.)*"\])+') then '/' || array_to_string(list_transform(regexp_extract_all(substr(p, 2), '\.[^.\[\]"''*]+|\."(?:[^"\\]|\\.)*"|\[\d+\]|\[''(?:[^''\\]|\\.)*''\]|\["(?:[^"\\]|\\.)*"\]'), lambda t: replace(replace(regexp_replace(regexp_replace(t, '^[.\[]["'']?|["'']?\]$|"$', '', 'g'), '\\(.)', '\1', 'g'), '~', '~0'), '/', '~1')), '/') when p is not null then cast(cast('Invalid JSONPath: ' || p as bigint) as varchar) end;
create macro bq.json_null_to_null(j) as nullif(cast(j as varchar), 'null');
create macro bq.json_value(j, p) as json_extract_string(json_value(j, p), '$');
create macro bq.json_query(j, p) as json_extract(j, p);
create macro bq.json_query_array(j, p) as case when json_type(j, p) = 'ARRAY' then json_extract(json_extract(j, p), '$[*]') end;
create macro bq.json_scalar_list(l) as case when len(list_filter(l, lambda x: json_type(x) in ('OBJECT', 'ARRAY'))) = 0 then list_transform(l, lambda x: json_extract_string(x, '$')) end;
create macro bq.json_value_array(j, p) as bq.json_scalar_list(bq.json_query_array(j, p));
create macro bq.json_type(j) as case when j is null then null else case json_type(j) when 'OBJECT' then 'object' when 'ARRAY' then 'array' when 'VARCHAR' then 'string' when 'BOOLEAN' then 'boolean' when 'NULL' then 'null' else 'number' end end;
create macro bq.json_is_number(j) as json_type(j) in ('BIGINT', 'UBIGINT', 'HUGEINT', 'DOUBLE');
create macro bq.json_to_bool(j) as case when j is null then null when json_type(j) = 'BOOLEAN' then cast(json_extract_string(j, '$') as boolean) else cast('The provided JSON input is not a boolean' as boolean) end;
create macro bq.json_to_string(j) as case when j is null then null when json_type(j) = 'VARCHAR' then json_extract_string(j, '$') else cast(cast('The provided JSON input is not a string' as bigint) as varchar) end;
create macro bq.json_to_int64(j) as case when j is null then null when not bq.json_is_number(j) then cast('The provided JSON input is not an integer' as bigint) when json_type(j) <> 'DOUBLE' and try_cast(json_extract_string(j, '$') as bigint) is not null then cast(json_extract_string(j, '$') as bigint) when json_type(j) = 'DOUBLE' and floor(cast(json_extract_string(j, '$') as double)) = cast(json_extract_string(j, '$') as double) and abs(cast(json_extract_string(j, '$') as double)) < 9223372036854775808 then cast(cast(json_extract_string(j, '$') as double) as bigint) else cast('The provided JSON number: ' || json_extract_string(j, '$') || ' cannot be converted to an integer' as bigint) end;
create macro bq.json_to_float64(j) as case when j is null then null when bq.json_is_number(j) then cast(json_extract_string(j, '$') as double) else cast('The provided JSON input is not a number' as double) end;
create macro bq.json_to_float64_exact(j) as case when json_type(j) in ('BIGINT', 'UBIGINT') and cast(cast(json_extract_string(j, '$') as double) as hugeint) <> cast(json_extract_string(j, '$') as hugeint) then cast('JSON number: ' || json_extract_string(j, '$') || ' cannot be converted to DOUBLE without loss of precision' as double) else bq.json_to_float64(j) end;
create macro bq.lax_bool(j) as case when bq.json_is_number(j) then cast(json_extract_string(j, '$') as double) <> 0 when json_type(j) in ('BOOLEAN', 'VARCHAR') and lower(json_extract_string(j, '$')) in ('true', 'false') then lower(json_extract_string(j, '$')) = 'true' end;
create macro bq.lax_float64(j) as case when bq.json_is_number(j) or json_type(j) = 'VARCHAR' then try(bq.string_to_float64(json_extract_string(j, '$'))) end;
create macro bq.lax_int64(j) as case when json_type(j) = 'BOOLEAN' then case json_extract_string(j, '$') when 'true' then 1 else 0 end when bq.json_is_number(j) or json_type(j) = 'VARCHAR' then try_cast(round(try_cast(json_extract_string(j, '$') as decimal(38, 9))) as bigint) end;
create macro bq.lax_string(j) as case when bq.json_is_number(j) or json_type(j) in ('BOOLEAN', 'VARCHAR') then json_extract_string(j, '$') end;
create macro bq.json_skeleton(s) as regexp_replace(s, '"(?:[^"\\]|\\.)*"', '""', 'g');
create macro bq.number_digits(n) as trim(regexp_replace(replace(lower(n), '.', ''), 'e.*|^-', '', 'g'), '0');
create macro bq.is_wide_number(n) as not (regexp_full_match(n, '-?\d+') and (try_cast(n as bigint) is not null or try_cast(n as ubigint) is not null)) and bq.number_digits(n) <> bq.number_digits(cast(cast(n as double) as varchar));
create macro bq.json_wide_numbers(s) as list_filter(regexp_extract_all(bq.json_skeleton(s), '-?\d[\d.]{15,}(?:[eE][-+]?\d+)?'), lambda n: bq.is_wide_number(n));
create macro bq.is_json(s) as json_valid(s) and not regexp_matches(bq.json_skeleton(s), '(?i),\s*[\]}]|nan|inf');
create macro bq.parse_json(s) as case when s is null then null when not bq.is_json(s) then cast(cast('Invalid input: syntax error while parsing JSON' as bigint) as json) when len(bq.json_wide_numbers(s)) > 0 then cast(cast('Input number: ' || bq.json_wide_numbers(s)[1] || ' cannot round-trip through string representation' as bigint) as json) else json(s) end;
create macro bq.parse_json_round(s) as case when s is null then null when not bq.is_json(s) then cast(cast('Invalid input: syntax error while parsing JSON' as bigint) as json) else json(array_to_string(list_transform(regexp_extract_all(s, '"(?:[^"\\]|\\.)*"|[^"0-9\-]+|-?[\d.eE+\-]+'), lambda t: case when regexp_full_match(t, '-?\d[\d.]{15,}(?:[eE][-+]?\d+)?') and bq.is_wide_number(t) then cast(cast(t as double) as varchar) else t end), '')) end;
create macro bq.json_list(l) as '[' || array_to_string(l, ',') || ']';
create macro bq.json_object_of(k, v) as case when len(k) <> json_array_length(v) then cast(cast('The number of keys and values must match' as bigint) as varchar) when list_count(k) < len(k) then cast(cast('A key of JSON_OBJECT is NULL' as bigint) as varchar) else '{' || array_to_string(list_transform(list_sort(list_distinct(k)), lambda n: cast(to_json(n) as varchar) || ':' || cast(json_extract(v, '/' || cast(list_position(k, n) - 1 as varchar)) as varchar)), ',') || '}' end;
create macro bq.json_steps(k) as len(regexp_extract_all(regexp_replace(k, '\[\d+\]', '', 'g'), '"(?:[^"\\]|\\.)*"|[^."]+'));
create macro bq.json_keys_strict(j, d) as case when j is not null then (select coalesce(list_sort(list(distinct substr(fullkey, 3))), []) from json_tree(j) where starts_with(fullkey, '$.') and not contains(bq.json_skeleton(fullkey), '[') and (d is null or bq.json_steps(substr(fullkey, 3)) <= d)) end;
create macro bq.json_keys_lax_recursive(j, d) as case when j is not null then (select coalesce(list_sort(list(distinct regexp_replace(regexp_replace(fullkey, '\[\d+\]', '', 'g'), '^\$\.', ''))), []) from json_tree(j) where not ends_with(fullkey, ']') and fullkey <> '$' and (d is null or bq.json_steps(regexp_replace(fullkey, '^\$(\[\d+\])*\.', '')) <= d)) end;
create macro bq.json_keys_lax(j, d) as case when j is not null then (select coalesce(list_sort(list(distinct regexp_replace(regexp_replace(fullkey, '\[\d+\]', '', 'g'), '^\$\.', ''))), []) from json_tree(j) where not ends_with(fullkey, ']') and fullkey <> '$' and not regexp_matches(fullkey, '\]\[') and (d is null or bq.json_steps(regexp_replace(fullkey, '^\$(\[\d+\])*\.', '')) <= d)) end;
create macro bq.json_pretty(j, d) as case when len(regexp_extract_all(j, '[\[{]')) > 2000 then cast(json(j) as varchar) when j is not null then array_to_string(list_transform(list_transform(string_split(json_pretty(j), chr(10)), lambda line: (len(line) - len(ltrim(line, ' '))) // 4 || '|' || ltrim(line, ' ')), lambda t: repeat('  ', cast(split_part(t, '|', 1) as bigint)) || substr(t, strpos(t, '|') + 1)), chr(10) || repeat('  ', d)) end;
create macro bq.float64_to_json_text(x) as case when isfinite(x) then bq.float64_to_string(x) when isnan(x) then '"NaN"' when x > 0 then '"Infinity"' when x < 0 then '"-Infinity"' end;
create macro bq.float64_to_json_value(x) as case when isfinite(x) then cast(x as varchar) else bq.float64_to_json_text(x) end;
create macro bq.datetime_to_iso(x) as strftime(x, '%Y-%m-%dT%H:%M:%S') || bq.fraction(bq.positive_mod(epoch_us(x), 1000000));
create macro bq.timestamp_to_iso(x) as bq.datetime_to_iso(timezone('UTC', x)) || 'Z';
create macro bq.time_to_iso(x) as strftime(date '2000-01-01' + x, '%H:%M:%S') || bq.fraction(epoch_us(x) % 1000000);
create macro bq.iso_part(n, unit) as case when n = 0 then '' else cast(n as varchar) || unit end;
create macro bq.interval_to_iso_time(us) as case when us = 0 then '' else 'T' || bq.iso_part(cast(sign(us) as bigint) * (abs(us) // 3600000000), 'H') || bq.iso_part(cast(sign(us) as bigint) * (abs(us) // 60000000 % 60), 'M') || case when us % 60000000 = 0 then '' else case when us < 0 then '-' else '' end || cast(abs(us) // 1000000 % 60 as varchar) || bq.fraction(abs(us)) || 'S' end end;
create macro bq.interval_to_iso(x) as case when x = interval 0 second then 'P0Y' else 'P' || bq.iso_part(bq.interval_months(x) // 12, 'Y') || bq.iso_part(bq.interval_months(x) % 12, 'M') || bq.iso_part(date_part('day', x), 'D') || bq.interval_to_iso_time(bq.interval_micros(x)) end;

-- arrays: https://cloud.google.com/bigquery/docs/reference/standard-sql/array_functions
create macro bq.array_first(a) as case when len(a) = 0 then list_extract(a, cast('ARRAY_FIRST cannot get the first element of an empty array' as bigint)) else a[1] end;
create macro bq.array_last(a) as case when len(a) = 0 then list_extract(a, cast('ARRAY_LAST cannot get the last element of an empty array' as bigint)) else a[len(a)] end;
create macro bq.array_includes(a, x) as case when a is not null and x is not null then list_contains(a, x) end;
create macro bq.array_includes_any(a, b) as case when a is not null and b is not null then list_has_any(a, b) end;
create macro bq.array_includes_all(a, b) as case when a is not null and b is not null then list_has_all(a, b) end;
create macro bq.array_is_distinct(a) as case when a is not null then len(list_distinct(a)) + least(len(a) - list_count(a), 1) = len(a) end;
create macro bq.array_slice(a, first, last) as case when a is not null and first is not null and last is not null then list_slice(a, greatest(case when first < 0 then len(a) + first else first end, 0) + 1, greatest(case when last < 0 then len(a) + last else last end + 1, 0)) end;
create macro bq.array_to_text(a, d) as case when a is not null and d is not null then coalesce(array_to_string(list_filter(a, lambda x: x is not null), d), '') end;
create macro bq.array_to_text_with(a, d, n) as case when n is null then bq.array_to_text(a, d) when a is not null and d is not null then coalesce(array_to_string(list_transform(a, lambda x: coalesce(x, n)), d), '') end;
create macro bq.hex_all(a) as list_transform(a, lambda x: hex(x));
create macro bq.bounded(n, most) as case when n > most then cast('Cannot generate arrays with more than ' || most || ' elements' as bigint) else n end;
create macro bq.generate_array(a, b, s, most) as case when a is null or b is null or s is null then null when s = 0 then [cast('Sequence step cannot be 0.' as bigint)] when (s > 0 and a > b) or (s < 0 and a < b) then [] else list_transform(range(0, cast(bq.bounded((cast(b as hugeint) - a) // s + 1, most) as bigint)), lambda i: cast(a + i * cast(s as hugeint) as bigint)) end;
create macro bq.generate_array_float64(a, b, s, most) as case when a is null or b is null or s is null then null when s = 0 then [cast('Sequence step cannot be 0.' as double)] when isnan(a) or isnan(b) or isnan(s) or isinf(s) or isinf(a) or isinf(b) then [cast('Sequence bounds and step must be finite' as double)] when (s > 0 and a > b) or (s < 0 and a < b) then [] else list_filter(list_transform(range(0, cast(bq.bounded(cast(least(floor((b - a) / s), 1e9) as bigint) + 1, most) as bigint) + 1), lambda i: a + i * s), lambda x: case when s > 0 then x <= b else x >= b end) end;
create macro bq.generate_array_numeric(a, b, s, most) as case when a is null or b is null or s is null then null when s = 0 then [cast(cast('Sequence step cannot be 0.' as bigint) as decimal(38, 9))] when (s > 0 and a > b) or (s < 0 and a < b) then [] else list_transform(bq.generate_array(0, cast(floor(cast(b - a as double) / cast(s as double) + 1e-9) as bigint), 1, most), lambda i: cast(a + cast(s as decimal(28, 9)) * cast(i as decimal(10, 0)) as decimal(38, 9))) end;

-- aggregates: https://cloud.google.com/bigquery/docs/reference/standard-sql/aggregate_functions
-- A list that is aggregated is named once by a lambda, so that it is gathered once.
create macro bq.numeric_ratio(s, n) as cast(case when s < 0 then '-' else '' end || cast((abs(s) * 2 + n) // (2 * n) // 1000000000 as varchar) || '.' || lpad(cast((abs(s) * 2 + n) // (2 * n) % 1000000000 as varchar), 9, '0') as decimal(38, 9));
create macro bq.numeric_units(x) as cast(replace(cast(cast(x as decimal(38, 9)) as varchar), '.', '') as hugeint);
create macro bq.numeric_avg(s, n) as bq.numeric_ratio(bq.numeric_units(s), n);
create macro bq.interval_days(x) as date_part('day', x);
create macro bq.interval_of(months, days, us) as to_months(cast(months as integer)) + to_days(cast(days as integer)) + to_microseconds(cast(us as bigint));
create macro bq.interval_avg(months, days, us, n) as bq.interval_of(months // n, (months % n * 30 + days) // n, ((months % n * 30 + days) % n * 86400000000 + us) // n);
create macro bq.quantile_places(l, n) as list_transform([l], lambda kept: list_transform(range(0, n + 1), lambda i: kept[greatest((i * len(kept) + n - 1) // n, 1)]))[1];
create macro bq.top_count(entries, nulls, n) as list_transform(list_sort(list_transform(coalesce(entries, []) , lambda e: {'c': -cast(e.value as bigint), 'v': e.key}) || case when nulls > 0 then [{'c': -nulls, 'v': null}] else [] end)[1:n], lambda e: {'value': e.v, 'count': -e.c});
create macro bq.percentile_cont_place(l, x) as case when len(l) > 0 then case when floor(x) = x or l[cast(floor(x) as bigint) + 1] is null then l[cast(ceil(x) as bigint) + 1] else l[cast(floor(x) as bigint) + 1] * (ceil(x) - x) + l[cast(ceil(x) as bigint) + 1] * (x - floor(x)) end end;
create macro bq.percentile_cont_nulls(l, p) as list_transform([list_sort(l, 'ASC', 'NULLS FIRST')], lambda s: bq.percentile_cont_place(s, (len(s) - 1) * p))[1];
create macro bq.percentile_disc_nulls(l, p) as list_transform([list_sort(l, 'ASC', 'NULLS FIRST')], lambda s: s[greatest(cast(ceil(len(s) * p) as bigint), 1)])[1];
create macro bq.percentile(p) as case when p >= 0 and p <= 1 then p else cast('Percentile must be in the range [0, 1]' as double) end;
create macro bq.top_sum(pairs, n) as (select list({'value': v, 'sum': s} order by s desc nulls last, v nulls last)[1:n] from (select e.v as v, sum(e.w) as s from (select unnest(pairs) as e) group by e.v));
