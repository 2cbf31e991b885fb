-- What DuckDB can be taught of BigQuery in SQL: macros in the database bq, one function a line where it fits.
-- Bodies are bound when they are created: `npm run build` does it once, and where it has not, every engine that opens does.
-- A failure is raised by a CAST that cannot succeed, with the message in it, since SAFE. makes NULL of a failed cast. The compiler calls them by name; no caller's text reaches them unparsed.

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
create macro bq.timestamp_to_string(x) as strftime(make_timestamp(epoch_us(x)), '%Y-%m-%d %H:%M:%S') || bq.fraction(bq.positive_mod(epoch_us(x), 1000000)) || '+00';
create macro bq.datetime_to_string(x) as strftime(x, '%Y-%m-%d %H:%M:%S') || bq.fraction(bq.positive_mod(epoch_us(x), 1000000));
create macro bq.time_to_string(x) as strftime(date '2000-01-01' + x, '%H:%M:%S') || bq.fraction(epoch_us(x));
create macro bq.timestamp_to_datetime(x) as make_timestamp(epoch_us(x));
create macro bq.timestamp_to_date(x) as cast(make_timestamp(epoch_us(x)) as date);
create macro bq.timestamp_to_time(x) as cast(make_timestamp(epoch_us(x)) as time);
create macro bq.datetime_to_timestamp(x) as make_timestamptz(epoch_us(x));
create macro bq.date_to_timestamp(x) as make_timestamptz(epoch_us(cast(x as timestamp)));

-- how values leave in JSON, where DuckDB writes them otherwise
create macro bq.time_to_json(x) as replace(strftime(date '2000-01-01' + x, '%H:%M:%S.%f'), '.000000', '');
create macro bq.datetime_to_json(x) as replace(strftime(x, '%Y-%m-%dT%H:%M:%S.%f'), '.000000', '');
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
-- Where a body needs an argument twice, a lambda binds it: written out twice, calls in calls would double each time (array_to_string, a macro of DuckDB's, does).
create macro bq.join(a, separator) as list_transform([a], lambda v: array_to_string(v, separator))[1];
create macro bq.fail(message) as cast(cast(message as bigint) as varchar);
create macro bq.at_most(v) as case when v > 4000000000 then 4000000000 else v end;
create macro bq.not_negative(n, message) as list_transform([n], lambda v: case when v < 0 then cast(message as bigint) else bq.at_most(v) end)[1];
create macro bq.ascii(s) as list_transform([s], lambda v: case when v = '' then 0 when ascii(v) > 127 then cast('Argument to ASCII is not a structurally valid ASCII string' as bigint) else cast(ascii(v) as bigint) end)[1];
create macro bq.byte_ascii(s) as list_transform([s], lambda v: case when v = '' then 0 else cast(ascii(v) as bigint) end)[1];
create macro bq.casefold(s) as nfc_normalize(replace(replace(lower(nfc_normalize(s)), 'ß', 'ss'), 'ς', 'σ'));
create macro bq.code_point(n) as list_transform([n], lambda v: case when v < 0 or v > 1114111 or v between 55296 and 57343 then bq.fail('Invalid codepoint ' || v) else chr(cast(v as integer)) end)[1];
create macro bq.chr(n) as ltrim(bq.code_point(n), chr(0));
create macro bq.byte_hex(n) as list_transform([n], lambda v: case when v not between 0 and 255 then bq.fail('Invalid ASCII value ' || v) else printf('%02x', v) end)[1];
create macro bq.code_points_to_bytes(a) as list_transform([list_transform(a, lambda c: bq.byte_hex(c))], lambda v: case when list_count(v) = len(v) then unhex(bq.join(v, '')) end)[1];
create macro bq.code_points_to_string(a) as list_transform([list_transform(a, lambda c: bq.code_point(c))], lambda v: case when list_count(v) = len(v) then bq.join(v, '') end)[1];
create macro bq.json_scalars(j) as list_transform(list_filter([j] || json_extract(j, '$..*'), lambda x: json_type(x) not in ('OBJECT', 'ARRAY', 'NULL')), lambda x: json_extract_string(x, '$'));
create macro bq.contains_substr(s, t) as contains(bq.casefold(s), bq.casefold(t));
create macro bq.any_true(a) as list_transform([a], lambda v: case when list_contains(v, true) then true when len(v) = list_count(v) then false end)[1];
create macro bq.characters(s) as list_sort(list_distinct(string_split(s, '')));
create macro bq.as_ascii(s, alphabet) as translate(s, bq.join(alphabet, ''), bq.join(list_transform(range(1, len(alphabet) + 1), lambda i: chr(cast(i as integer))), ''));
create macro bq.edit_distance(a, b) as list_transform([{a: a, b: b}], lambda r: case when length(r.a) * length(r.b) > 100000000 then cast('EDIT_DISTANCE takes texts of at most 10,000 characters' as bigint) when strlen(r.a) = length(r.a) and strlen(r.b) = length(r.b) then levenshtein(r.a, r.b) when len(bq.characters(r.a || r.b)) > 127 then cast('EDIT_DISTANCE takes at most 127 different characters' as bigint) else levenshtein(bq.as_ascii(r.a, bq.characters(r.a || r.b)), bq.as_ascii(r.b, bq.characters(r.a || r.b))) end)[1];
create macro bq.no_further(distance, most) as list_transform([{d: distance, m: bq.not_negative(most, 'max_distance must not be negative')}], lambda r: case when r.m is null then null when r.d > r.m then r.m else r.d end)[1];
create macro bq.initcap(s, delimiters) as list_transform([{d: delimiters, cs: string_split(s, '')}], lambda r: case when r.d is not null then bq.join(list_transform(r.cs, lambda c, i: case when contains(r.d, c) then c when i = 1 or contains(r.d, r.cs[i - 1]) then upper(c) else lower(c) end), '') end)[1];
create macro bq.instr_places(s, t, p) as list_filter(range(case when p > 0 then p else 1 end, case when p > 0 then length(s) + 2 - length(t) else least(length(s) + p + case when t = '' then 2 else 1 end, length(s) + 1 - length(t)) + 1 end), lambda i: substring(s, i, length(t)) = t);
create macro bq.instr_start(p) as list_transform([p], lambda v: case when v < -4000000000 then -4000000000 else bq.at_most(v) end)[1];
create macro bq.instr(s, t, p, n) as list_transform([{s: s, t: t, p: bq.instr_start(p), n: n}], lambda r: case when r.n < 1 then cast('Occurrence must be positive' as bigint) when r.p = 0 then cast('Position must be non-zero' as bigint) when r.s is null or r.t is null or r.p is null or r.n is null then null when r.p > length(r.s) + 1 or -r.p > length(r.s) + 1 then 0 else coalesce(case when r.p > 0 then bq.instr_places(r.s, r.t, r.p)[r.n] else list_reverse(bq.instr_places(r.s, r.t, r.p))[r.n] end, 0) end)[1];
create macro bq.ascii_lower(s) as translate(s, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz');
create macro bq.ascii_upper(s) as translate(s, 'abcdefghijklmnopqrstuvwxyz', 'ABCDEFGHIJKLMNOPQRSTUVWXYZ');
create macro bq.left(s, n) as substring(s, 1, bq.not_negative(n, 'Second argument in LEFT() cannot be negative'));
create macro bq.right(s, n) as right(s, bq.not_negative(n, 'Second argument in RIGHT() cannot be negative'));
create macro bq.pad_length(n) as list_transform([n], lambda v: case when v < 0 then cast('Second argument (output size) for LPAD/RPAD cannot be negative' as bigint) when v > 1000000 then cast('Output of LPAD/RPAD exceeds max allowed output size of 1MB' as bigint) else v end)[1];
create macro bq.pad_pattern(p) as list_transform([p], lambda v: case when v = '' then bq.fail('Third argument (pad pattern) for LPAD/RPAD cannot be empty') else v end)[1];
create macro bq.lpad(s, n, p) as lpad(s, cast(bq.pad_length(n) as integer), bq.pad_pattern(p));
create macro bq.rpad(s, n, p) as rpad(s, cast(bq.pad_length(n) as integer), bq.pad_pattern(p));
create macro bq.repeat(s, n) as list_transform([{s: s, n: n}], lambda r: case when r.n < 0 then bq.fail('Second argument (repeat count) for REPEAT cannot be negative') when r.s = '' and r.n is not null then '' when cast(r.n as hugeint) * strlen(r.s) > 1000000 then bq.fail('Output of REPEAT exceeds max allowed output size of 1MB') else repeat(r.s, r.n) end)[1];
create macro bq.replace(s, a, b) as list_transform([{s: s, a: a, b: b}], lambda r: case when strlen(r.b) > strlen(r.a) and strlen(r.s) + (strlen(r.s) - strlen(replace(r.s, r.a, ''))) // strlen(r.a) * (strlen(r.b) - strlen(r.a)) > 1000000 then bq.fail('Output of REPLACE exceeds max allowed output size of 1MB') else replace(r.s, r.a, r.b) end)[1];
create macro bq.reverse(s) as bq.join(list_reverse(string_split(s, '')), '');
create macro bq.soundex_digits(s) as translate(upper(s), 'BFPVCGJKQSXZDTLMNRAEIOUYHW', '111122222222334556');
create macro bq.soundex(s) as list_transform([regexp_replace(s, '[^A-Za-z]', '', 'g')], lambda v: case when v = '' then '' else v[1] || left(substring(regexp_replace(bq.soundex_digits(v), '(1)1+|(2)2+|(3)3+|(4)4+|(5)5+|(6)6+', '\1\2\3\4\5\6', 'g'), case when bq.soundex_digits(v[1]) = '' then 1 else 2 end) || '000', 3) end)[1];
create macro bq.split(s, d) as list_transform([{s: s, d: d}], lambda r: case when r.d is not null then string_split(r.s, r.d) end)[1];
create macro bq.substr_start(n, p) as case when p > 0 then least(p, 4000000000) when p = 0 or p < -n then 1 else n + p + 1 end;
create macro bq.substr(s, p, n) as list_transform([{s: s, p: p}], lambda r: substring(r.s, bq.substr_start(length(r.s), r.p), bq.not_negative(n, 'Third argument in SUBSTR() cannot be negative')))[1];
create macro bq.to_code_points(s) as list_transform(regexp_extract_all(s, '(?s).'), lambda c: cast(unicode(c) as bigint));
create macro bq.translate(s, a, b) as translate(s, list_transform([a], lambda v: case when v <> '' and list_unique(string_split(v, '')) < length(v) then bq.fail('Duplicate character in TRANSLATE source characters') else v end)[1], b);
create macro bq.unicode(s) as list_transform([s], lambda v: case when v = '' then 0 else cast(unicode(v) as bigint) end)[1];
create macro bq.wildcards(p) as regexp_replace(p, '(?s)\\.|[^%_]', '', 'g');
create macro bq.most_wildcards(w) as case when contains(w, '%') and contains(w, '_') then 64 else 512 end;
create macro bq.like_pattern(p) as list_transform([p], lambda v: case when length(v) - length(translate(v, '%_', '')) > 64 and length(bq.wildcards(v)) > bq.most_wildcards(bq.wildcards(v)) then bq.fail('A LIKE pattern has at most ' || bq.most_wildcards(bq.wildcards(v)) || ' wildcards') when ends_with(v, '\') and regexp_full_match(v, '(?s)(?:[^\\]|\\.)*\\') then bq.fail('LIKE pattern ends with a backslash') else v end)[1];
create macro bq.error(message) as cast('ERROR: ' || message as bigint);
create macro bq.generate_uuid() as cast(uuid() as varchar);

-- bytes, through texts with a character from U+0000 to U+00FF for each byte where DuckDB has no function of its own
create macro bq.to_latin1(b) as bq.join(list_transform(regexp_extract_all(hex(b), '..'), lambda h: chr(cast('0x' || h as integer))), '');
create macro bq.from_latin1(s) as unhex(bq.join(list_transform(regexp_extract_all(s, '(?s).'), lambda c: printf('%02x', unicode(c))), ''));
create macro bq.to_hex(b) as lower(hex(b));
create macro bq.from_hex(s) as list_transform([s], lambda v: case when not regexp_full_match(v, '[0-9a-fA-F]*') then encode(bq.fail('Failed to decode invalid hexadecimal string')) else unhex(v) end)[1];
create macro bq.from_base64(s) as list_transform([regexp_replace(s, '\s', '', 'g')], lambda v: case when not regexp_full_match(v, '(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?') then encode(bq.fail('Failed to decode invalid base64 string')) else from_base64(rpad(v, cast((length(v) + 3) // 4 * 4 as integer), '=')) end)[1];
create macro bq.bits(b) as bq.join(list_transform(regexp_extract_all(hex(b), '.'), lambda h: lpad(bin(cast('0x' || h as integer)), 4, '0')), '');
create macro bq.from_bits(s) as unhex(bq.join(list_transform(regexp_extract_all(s, '.{8}'), lambda v: printf('%02x', cast('0b' || v as integer))), ''));
create macro bq.to_base32(b) as list_transform([bq.join(list_transform(regexp_extract_all(bq.bits(b) || '0000', '.{5}'), lambda v: 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'[cast('0b' || v as integer) + 1]), '')], lambda v: case when v = '' then v else rpad(v, cast((length(v) + 7) // 8 * 8 as integer), '=') end)[1];
create macro bq.from_base32(s) as list_transform([s], lambda v: case when not regexp_full_match(v, '(?:[A-Z2-7]{8})*(?:[A-Z2-7]{2}={6}|[A-Z2-7]{4}={4}|[A-Z2-7]{5}={3}|[A-Z2-7]{7}=)?') then encode(bq.fail('Failed to decode invalid base32 string')) else bq.from_bits(bq.join(list_transform(regexp_extract_all(v, '[^=]'), lambda c: lpad(bin(strpos('ABCDEFGHIJKLMNOPQRSTUVWXYZ234567', c) - 1), 5, '0')), '')) end)[1];
create macro bq.bytes_to_ascii(b) as list_transform([b], lambda v: case when regexp_matches(hex(v), '^(..)*[89A-F]') then bq.fail('Invalid ASCII value in bytes') else decode(v) end)[1];
create macro bq.ascii_to_bytes(s) as list_transform([s], lambda v: case when strlen(v) > length(v) then encode(bq.fail('Invalid ASCII value in text')) else encode(v) end)[1];
create macro bq.base2_to_bytes(s) as list_transform([s], lambda v: case when not regexp_full_match(v, '[01]*') then encode(bq.fail('Failed to decode invalid base2 string')) else bq.from_bits(lpad(v, cast((length(v) + 7) // 8 * 8 as integer), '0')) end)[1];
create macro bq.bytes_to_base64m(b) as regexp_replace(regexp_replace(to_base64(b), '.{76}', '\0' || chr(10), 'g'), '\n$', '');
create macro bq.safe_convert_bytes_to_string(b) as bq.join(list_transform(regexp_extract_all(hex(b), '[0-7].|(?:C[2-9A-F]|D.)[89AB].|E0[AB].[89AB].|(?:E[1-9A-CEF][89AB].|ED[89].)[89AB].|F0[9AB].[89AB].[89AB].|F[1-3][89AB].[89AB].[89AB].|F48.[89AB].[89AB].|..'), lambda h: case when length(h) > 2 or h < '8' then decode(unhex(h)) else chr(65533) end), '');

-- regular expressions: both are RE2; the compiler counts the groups of a literal pattern, and gives the one to take
create macro bq.capture_groups(p) as list_transform([regexp_replace(regexp_replace(p, '(?s)\\.|\[\^?\]?(?:\\.|[^\]\\])*\]', '', 'g'), '\(\?[^P<]', '', 'g')], lambda v: length(v) - length(replace(v, '(', '')))[1];
create macro bq.regexp_first(s, p, g) as list_transform([s], lambda v: case when regexp_extract(v, p, g) <> '' then regexp_extract(v, p, g) else regexp_extract_all(v, p, g)[1] end)[1];
create macro bq.regexp_all(s, p, g) as list_transform(regexp_extract_all(s, p, g), lambda x: coalesce(x, ''));
create macro bq.regexp_all_empty(s, p, g) as list_transform([s], lambda v: case when v <> '' and regexp_extract_all(v, p, 0)[-1] = '' then bq.regexp_all(v, p, g)[:-2] else bq.regexp_all(v, p, g) end)[1];
create macro bq.regexp_all_by(s, p) as list_transform([{s: s, p: p}], lambda r: case when r.p is null then null when bq.capture_groups(r.p) = 0 then bq.regexp_all(r.s, r.p, 0) when bq.capture_groups(r.p) = 1 then bq.regexp_all(r.s, r.p, 1) else [bq.fail('Regular expressions passed into extraction functions must not have more than 1 capturing group')] end)[1];
create macro bq.regexp_from(s, p) as list_transform([{s: s, p: p}], lambda r: case when r.p < 1 then bq.fail('Position must be positive') when r.p = 1 then r.s when r.p <= length(r.s) then substring(r.s, r.p) end)[1];
create macro bq.occurrence(n) as list_transform([n], lambda v: case when v < 1 then cast('Occurrence must be positive' as bigint) else v end)[1];
create macro bq.regexp_refs(r) as strlen(r) - strlen(replace(r, '\', ''));
create macro bq.regexp_grows(s, p, r) as len(regexp_extract_all(s, p)) * (strlen(r) - 2 * bq.regexp_refs(r)) > 1000000 or bq.regexp_refs(r) * strlen(bq.join(regexp_extract_all(s, p), '')) > 4000000;
create macro bq.regexp_replace(s, p, r) as list_transform([{s: s, r: r}], lambda x: case when (strlen(x.s) + 1) * strlen(x.r) > 1000000 and bq.regexp_grows(x.s, p, x.r) then bq.fail('REGEXP_REPLACE: exceeded maximum output length') else regexp_replace(x.s, p, x.r, 'g') end)[1];
create macro bq.regexp_replace_bounded(s, p, r) as list_transform([bq.regexp_replace(s, p, r)], lambda v: case when strlen(v) > 1000000 then bq.fail('REGEXP_REPLACE: exceeded maximum output length') else v end)[1];
create macro bq.regexp_place(s, p, n, at_end) as list_transform([{s: s, n: n, at_end: at_end}], lambda r: case when r.n > len(regexp_extract_all(r.s, p, 0)) then 0 else 1 + length(bq.join(string_split_regex(r.s, p)[1:r.n], '')) + length(bq.join(regexp_extract_all(r.s, p, 0)[1:r.n - 1], '')) + case when r.at_end then length(regexp_extract_all(r.s, p, 0)[r.n]) else 0 end end)[1];
create macro bq.regexp_instr(s, p, start, n, at_end) as list_transform([{s: s, start: start, n: bq.occurrence(n), at_end: case when at_end in (0, 1) then at_end = 1 when at_end is not null then cast('Invalid value for occurrence_position: it must be 0 or 1' as boolean) end}], lambda r: case when r.s is null or r.start is null or r.n is null or r.at_end is null then null when r.start > length(r.s) then 0 else list_transform([bq.regexp_place(bq.regexp_from(r.s, r.start), p, r.n, r.at_end)], lambda v: case when v = 0 then 0 else v + r.start - 1 end)[1] end)[1];
create macro bq.regexp_instr_by(s, p, start, n, at_end) as list_transform([{s: s, p: p, start: start, n: n, at_end: at_end}], lambda q: case when bq.capture_groups(q.p) > 0 then cast('REGEXP_INSTR is not supported with a capturing group' as bigint) else bq.regexp_instr(q.s, q.p, q.start, q.n, q.at_end) end)[1];

-- format: https://cloud.google.com/bigquery/docs/reference/standard-sql/string_functions#format_string
create macro bq.format_size(n) as list_transform([n], lambda v: case when v not between -1000 and 1000 then cast('FORMAT takes widths and precisions of at most 1000' as bigint) else v end)[1];
create macro bq.format_pad(s, n, is_left) as list_transform([{s: s, n: n, is_left: is_left or n < 0}], lambda r: case when r.n is null then null when r.is_left then r.s || repeat(' ', greatest(abs(r.n) - length(r.s), 0)) else repeat(' ', greatest(r.n - length(r.s), 0)) || r.s end)[1];
create macro bq.format_cut(s, n) as list_transform([{s: s, n: n}], lambda r: case when r.n is null then null when r.n < 0 then r.s else substring(r.s, 1, r.n) end)[1];
create macro bq.format_sign(x, plus) as list_transform([x], lambda v: case when v < 0 then '-' else plus end)[1];
create macro bq.format_zeros(head, digits, n) as list_transform([{a: head, b: digits, n: n}], lambda r: case when r.n < 0 then bq.format_pad(r.a || r.b, r.n, true) when not regexp_matches(r.b, '\A[0-9a-fA-F]') then bq.format_pad(r.a || r.b, r.n, false) else r.a || repeat('0', greatest(r.n - length(r.a) - length(r.b), 0)) || r.b end)[1];
create macro bq.format_digits(digits, n) as list_transform([{d: digits, n: n}], lambda r: case when r.n is null then null else repeat('0', greatest(r.n - length(r.d), 0)) || r.d end)[1];
create macro bq.format_groups(digits, size, separator) as list_transform([{d: digits, size: size, separator: separator}], lambda r: list_transform([regexp_extract(r.d, '\A(?:[0-9]+[.e]|[0-9a-fA-F]+)')], lambda h: list_transform([rtrim(h, case when r.separator = ':' then '' else '.e' end)], lambda i: ltrim(reverse(regexp_replace(reverse(i), r.size, '\1' || r.separator, 'g')), r.separator) || substring(r.d, length(i) + 1))[1])[1])[1];
create macro bq.format_float64(x) as regexp_replace(bq.float64_to_string(x), '\A(-?\d+)\z', '\1.0');
create macro bq.format_float64_literal(x) as list_transform([x], lambda v: case when isfinite(v) then bq.format_float64(v) else 'CAST("' || lower(bq.float64_to_string(v)) || '" AS FLOAT64)' end)[1];
create macro bq.escape_control(s) as case when regexp_matches(s, '[\x00-\x1f\x7f]') then bq.join(list_transform(string_split(s, ''), lambda c: case when unicode(c) < 32 or unicode(c) = 127 then printf('\x%02x', unicode(c)) else c end), '') else s end;
create macro bq.escape_text(s, q) as list_transform([replace(replace(replace(replace(replace(s, '\', '\\'), q, '\' || q), chr(10), '\n'), chr(13), '\r'), chr(9), '\t')], lambda v: bq.escape_control(v))[1];
create macro bq.quoted(s, q) as q || bq.escape_text(s, q) || q;
create macro bq.quote_text(s) as list_transform([s], lambda v: case when strlen(v) > 1000000 then bq.fail('Output string too long while evaluating FORMAT; limit 1000000') else bq.quoted(v, case when contains(v, '"') and not contains(v, '''') then '''' else '"' end) end)[1];
create macro bq.escape_byte(h, quotes) as case when h between '20' and '7E' then case when contains(quotes || '\', decode(unhex(h))) then '\' else '' end || decode(unhex(h)) when h = '0A' then '\n' when h = '0D' then '\r' when h = '09' then '\t' else '\x' || lower(h) end;
create macro bq.escape_bytes(b, quotes) as bq.join(list_transform(regexp_extract_all(hex(b), '..'), lambda h: bq.escape_byte(h, quotes)), '');
create macro bq.number_parts(s, is_compact) as list_transform([regexp_extract(s, '^(-?)(\d*)\.?(\d*)(?:e(.*))?$', ['sign', 'whole', 'fraction', 'exponent'])], lambda m: case when s is not null then {is_negative: starts_with(s, '-'), whole: case when m.whole = '0' then '' else m.whole end, fraction: case when is_compact then rtrim(m.fraction, '0') else m.fraction end, exponent: m.exponent, odd: case when contains(s, 'inf') then 'INF' when contains(s, 'nan') then 'NAN' else '' end} end)[1];
create macro bq.pad_zeros(s, n) as list_transform([s], lambda v: repeat('0', greatest(n - length(v), 0)) || v)[1];
create macro bq.spaces(n) as repeat(' ', n);
create macro bq.comma_before(s, n) as regexp_replace(s, '^(.+)(.{' || n || '})$', '\1,\2');
create macro bq.number_hex(x, least) as list_transform([{x: x, v: abs(try_cast(round(x) as hugeint))}], lambda r: {is_negative: r.x < 0, whole: case when r.v < 18446744073709551616 then bq.pad_zeros(printf('%x', cast(r.v as ubigint)), least) when r.x is not null then repeat('0', 17) end})[1];
create macro bq.json_lines(j) as case when len(regexp_extract_all(j, '[\[{]')) > 2000 then cast(json(j) as varchar) else replace(json_pretty(j), '    ', '  ') end;

-- net: https://cloud.google.com/bigquery/docs/reference/standard-sql/net_functions
create macro bq.ip4_hex(s) as case when regexp_full_match(s, '(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)\.){3}(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)') then bq.join(list_transform(string_split(s, '.'), lambda n: printf('%02x', cast(n as integer))), '') end;
create macro bq.ip6_groups(s) as bq.join(list_transform(list_filter(string_split(s, ':'), lambda g: g <> ''), lambda g: lpad(g, 4, '0')), '');
create macro bq.ip6_plain(s) as list_transform([{head: regexp_extract(s, '(?s)\A(.*:)[^:]*\z', 1), tail: bq.ip4_hex(regexp_extract(s, '(?s)[^:]*\z'))}], lambda r: case when r.tail is null or r.head = '' then s else r.head || r.tail[1:4] || ':' || r.tail[5:8] end)[1];
create macro bq.ip6_hex(s) as list_transform([{s: s, head: bq.ip6_groups(split_part(s, '::', 1)), tail: bq.ip6_groups(split_part(s, '::', 2))}], lambda r: case when not regexp_full_match(r.s, '(?:[0-9a-fA-F]{1,4}(?::[0-9a-fA-F]{1,4})*)?(?:::(?:[0-9a-fA-F]{1,4}(?::[0-9a-fA-F]{1,4})*)?)?') then null when contains(r.s, '::') then case when length(r.head || r.tail) <= 28 then rpad(r.head, cast(32 - length(r.tail) as integer), '0') || r.tail end when length(r.head) = 32 then r.head end)[1];
create macro bq.net_safe_ip_from_string(s) as list_transform([s], lambda v: unhex(coalesce(bq.ip4_hex(v), bq.ip6_hex(bq.ip6_plain(v)))))[1];
create macro bq.net_ip_from_string(s) as list_transform([s], lambda v: coalesce(bq.net_safe_ip_from_string(v), case when v is not null then encode(bq.fail('NET.IP_FROM_STRING() encountered an unparseable IP-address: ' || v)) end))[1];
create macro bq.ip4_text(h) as bq.join(list_transform(regexp_extract_all(h, '..'), lambda x: cast(cast('0x' || x as integer) as varchar)), '.');
create macro bq.ip6_zeros(s) as list_transform([{s: s, n: list_filter(range(8, 1, -1), lambda n: contains(s, repeat(':0', n) || ':'))[1]}], lambda r: regexp_replace(regexp_replace(case when r.n is null then r.s else regexp_replace(r.s, repeat(':0', r.n) || ':', '::') end, '\A:([^:])', '\1'), '([^:]):\z', '\1'))[1];
create macro bq.ip6_text(h) as case when regexp_matches(h, '\A0{20}ffff|\A0{24}(?:000[1-9a-f]|00[1-9a-f].|0[1-9a-f]..|[1-9a-f]...)') then case when h[21] = 'f' then '::ffff:' else '::' end || bq.ip4_text(h[25:]) else bq.ip6_zeros(':' || bq.join(list_transform(regexp_extract_all(h, '....'), lambda g: regexp_replace(g, '\A0{1,3}', '')), ':') || ':') end;
create macro bq.net_ip_to_string(b) as list_transform([lower(hex(b))], lambda h: case length(h) when 8 then bq.ip4_text(h) when 32 then bq.ip6_text(h) else bq.fail('NET.IP_TO_STRING() encountered an invalid IP address. Expected 4 (for IPv4) or 16 (for IPv6) bytes but got ' || length(h) // 2) end)[1];
create macro bq.net_ip_net_mask(size, bits) as list_transform([{n: size, p: bits}], lambda r: case when r.n not in (4, 16) then encode(bq.fail('The first argument of NET.IP_NET_MASK() must be either 4 (for IPv4) or 16 (for IPv6); got ' || r.n)) when r.p not between 0 and r.n * 8 then encode(bq.fail('The second argument of NET.IP_NET_MASK() must be between 0 and the first argument * 8; got ' || r.p)) else bq.from_bits(rpad(repeat('1', r.p), cast(r.n * 8 as integer), '0')) end)[1];
create macro bq.net_ip_trunc(b, bits) as list_transform([{b: b, n: octet_length(b), p: bits}], lambda r: case when r.n not in (4, 16) then encode(bq.fail('The first argument of NET.IP_TRUNC() must have length 4 (for IPv4) or 16 (for IPv6); got ' || r.n)) when r.p not between 0 and r.n * 8 then encode(bq.fail('The second argument of NET.IP_TRUNC() must be between 0 and 8 * LENGTH(first argument); got ' || r.p)) else bq.from_bits(rpad(substring(bq.bits(r.b), 1, r.p), cast(r.n * 8 as integer), '0')) end)[1];
create macro bq.net_ipv4_from_int64(n) as list_transform([n], lambda v: case when v not between -2147483648 and 4294967295 then encode(bq.fail('NET.IPV4_FROM_INT64() encountered an invalid integer IP. Expected range: [-0x80000000, 0xFFFFFFFF]; got ' || v)) else unhex(printf('%08x', v & 4294967295)) end)[1];
create macro bq.net_ipv4_to_int64(b) as list_transform([b], lambda v: case when octet_length(v) <> 4 then cast('NET.IPV4_TO_INT64() encountered a non-IPv4 address. Expected 4 bytes but got ' || octet_length(v) as bigint) else cast('0x' || hex(v) as bigint) end)[1];
create macro bq.url_authority(url) as regexp_replace(regexp_extract(regexp_replace(url, '\A[\t-\r ]+|[\t-\r ]+\z', '', 'g'), '(?s)\A(?:[/\\]{2}|[^/?#\\:]*:[/\\]{2})?([^/?#\\]*)', 1), '(?s)\A.*@', '');
create macro bq.net_host(url) as nullif(regexp_replace(ltrim(regexp_extract(bq.url_authority(url), '(?s)\A(?:\[[^\[\]]*[\[\]]?)?[^:]*'), '.'), '\.+\z', '.'), '');

-- time: parts of one length in UTC are cut by arithmetic, before 1970 too
create macro bq.timestamp_floor(x, us) as make_timestamptz(epoch_us(x) - ((epoch_us(x) % us) + us) % us);
create macro bq.datetime_floor(x, us) as make_timestamp(epoch_us(x) - bq.positive_mod(epoch_us(x), us));

-- subscripts: https://cloud.google.com/bigquery/docs/reference/standard-sql/operators#array_subscript_operator
create macro bq.safe_offset(a, i) as case when i < 0 then null else list_extract(a, i + 1) end;
create macro bq.safe_ordinal(a, i) as case when i < 1 then null else list_extract(a, i) end;
create macro bq.at_offset(a, i) as case when i < 0 or i >= len(a) then list_extract(a, cast('Array index ' || i || ' is out of bounds' as bigint)) else list_extract(a, i + 1) end;
create macro bq.at_ordinal(a, i) as case when i < 1 or i > len(a) then list_extract(a, cast('Array index ' || i || ' is out of bounds' as bigint)) else list_extract(a, i) end;
create macro bq.json_at(j, k varchar) as case when json_type(j) = 'OBJECT' then json_extract(j, '/' || replace(replace(k, '~', '~0'), '/', '~1')) end, (j, k bigint) as case when k < 0 then null else json_extract(j, '$[' || k || ']') end;
create macro bq.some_true(a) as case when a is null or len(a) = 0 then false when list_contains(a, true) then true when len(a) <> list_count(a) then null else false end;
create macro bq.in_unnest(x, a) as case when a is null or len(a) = 0 then false when x is null then null when list_contains(a, x) then true when len(a) <> list_count(a) then null else false end;

-- JSON: https://cloud.google.com/bigquery/docs/reference/standard-sql/json_functions
-- A text is asked for its validity first, then read; a path is a JSON pointer. Casts to lists and json_pretty are left alone: deep nesting is too much for them.
create macro bq.json_text(s) as case when json_valid(s) then s end;
create macro bq.json_pointer(p) as case when p = '$' then '$' when regexp_full_match(p, '\$(?:\.[^.\[\]"''*]+|\."(?:[^"\\]|\\.)*"|\[\d+\]|\[''(?:[^''\\]|\\.)*''\]|\["(?:[^"\\]|\\.)*"\])+') then '/' || array_to_string(list_transform(regexp_extract_all(substr(p, 2), '\.[^.\[\]"''*]+|\."(?:[^"\\]|\\.)*"|\[\d+\]|\[''(?:[^''\\]|\\.)*''\]|\["(?:[^"\\]|\\.)*"\]'), lambda t: replace(replace(regexp_replace(regexp_replace(t, '^[.\[]["'']?|["'']?\]$|"$', '', 'g'), '\\(.)', '\1', 'g'), '~', '~0'), '/', '~1')), '/') when p is not null then cast(cast('Invalid JSONPath: ' || p as bigint) as varchar) end;
create macro bq.json_null_to_null(j) as nullif(cast(j as varchar), 'null');
create macro bq.json_value(j, p) as json_extract_string(json_value(j, p), '$');
create macro bq.json_query(j, p) as json_extract(j, p);
create macro bq.json_query_array(j, p) as case when json_type(j, p) = 'ARRAY' then json_extract(json_extract(j, p), '$[*]') end;
create macro bq.json_scalar_list(l) as case when len(list_filter(cast(l as json[]), lambda x: json_type(x) in ('OBJECT', 'ARRAY'))) = 0 then list_transform(cast(l as json[]), lambda x: json_extract_string(x, '$')) end;
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
create macro bq.json_tokens(j) as regexp_extract_all(cast(json(j) as varchar), '"(?:[^"\\]|\\.)*":null|"(?:[^"\\]|\\.)*"|null|[\[\]{},]|[^"\[\]{},n]+|n');
create macro bq.without_commas(t) as list_transform([list_filter(t, lambda x, i: x <> ',' or t[i - 1] not in ('{', '[', ','))], lambda u: list_filter(u, lambda x, i: x <> ',' or u[i + 1] not in ('}', ']')))[1];
create macro bq.json_strip_nulls(j) as case when j is null then null when json_type(j) = 'NULL' then cast('null' as json) else cast(array_to_string(list_transform([list_filter(bq.json_tokens(j), lambda x: x <> 'null' and not (starts_with(x, '"') and ends_with(x, '":null')))], lambda t: bq.without_commas(t))[1], '') as json) end;
create macro bq.json_strip_null_members(j) as case when j is null then null else cast(array_to_string(list_transform([list_filter(bq.json_tokens(j), lambda x: not (starts_with(x, '"') and ends_with(x, '":null')))], lambda t: bq.without_commas(t))[1], '') as json) end;
create macro bq.float64_to_json_text(x) as case when isfinite(x) then bq.float64_to_string(x) when isnan(x) then '"NaN"' when x > 0 then '"Infinity"' when x < 0 then '"-Infinity"' end;
create macro bq.float64_to_json_value(x) as case when isfinite(x) then cast(x as varchar) else bq.float64_to_json_text(x) end;
create macro bq.datetime_to_iso(x) as strftime(x, '%Y-%m-%dT%H:%M:%S') || bq.fraction(bq.positive_mod(epoch_us(x), 1000000));
create macro bq.timestamp_to_iso(x) as bq.datetime_to_iso(make_timestamp(epoch_us(x))) || 'Z';
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
create macro bq.join_by(l, d) as case when len(l) = 0 then '' else list_reduce(l, lambda x, y: x || d || y) end; -- array_to_string takes a constant separator alone
create macro bq.array_to_text_by(a, d) as case when a is not null and d is not null then bq.join_by(list_filter(a, lambda x: x is not null), d) end;
create macro bq.array_to_text_with_by(a, d, n) as case when n is null then bq.array_to_text_by(a, d) when a is not null and d is not null then bq.join_by(list_transform(a, lambda x: coalesce(x, n)), d) end;
create macro bq.array_to_text_with(a, d, n) as case when n is null then bq.array_to_text(a, d) when a is not null and d is not null then coalesce(array_to_string(list_transform(a, lambda x: coalesce(x, n)), d), '') end;
create macro bq.hex_all(a) as list_transform(a, lambda x: hex(x));
create macro bq.bounded_array(l) as case when len(l) > 1048575 then l[cast('Cannot generate arrays with more than 1048575 elements' as bigint):] else l end;
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
create macro bq.quantile_parts(n) as case when n < 1 or n > 100000 then cast('The last argument of APPROX_QUANTILES must be from 1 to 100000' as bigint) else n end;
create macro bq.quantile_places(l, n) as list_transform([l], lambda kept: list_transform(range(0, bq.quantile_parts(n) + 1), lambda i: kept[greatest((i * len(kept) + n - 1) // n, 1)]))[1];
create macro bq.top_count(entries, nulls, n) as list_transform(list_sort(list_transform(coalesce(entries, []) , lambda e: {'c': -cast(e.value as bigint), 'v': e.key}) || case when nulls > 0 then [{'c': -nulls, 'v': null}] else [] end)[1:n], lambda e: {'value': e.v, 'count': -e.c});
create macro bq.percentile_cont_place(l, x) as case when len(l) > 0 then case when floor(x) = x or l[cast(floor(x) as bigint) + 1] is null then l[cast(ceil(x) as bigint) + 1] else l[cast(floor(x) as bigint) + 1] * (ceil(x) - x) + l[cast(ceil(x) as bigint) + 1] * (x - floor(x)) end end;
create macro bq.percentile_cont_nulls(l, p) as list_transform([list_sort(l, 'ASC', 'NULLS FIRST')], lambda s: bq.percentile_cont_place(s, (len(s) - 1) * p))[1];
create macro bq.percentile_disc_nulls(l, p) as list_transform([list_sort(l, 'ASC', 'NULLS FIRST')], lambda s: s[greatest(cast(ceil(len(s) * p) as bigint), 1)])[1];
create macro bq.percentile(p) as case when p >= 0 and p <= 1 then p else cast('Percentile must be in the range [0, 1]' as double) end;
create macro bq.top_sum(pairs, n) as (select list({'value': v, 'sum': s} order by s desc nulls last, v nulls last)[1:n] from (select e.v as v, sum(e.w) as s from (select unnest(pairs) as e) group by e.v));

-- dates and times. What a text or a range refuses is raised by bq.bad_time, whose message engine-error.ts knows.
create macro bq.bad_time(message) as make_timestamp(cast(message as bigint));
create macro bq.date_checked(x, message) as case when x not between date '0001-01-01' and date '9999-12-31' then cast(bq.bad_time(message) as date) else cast(x as date) end;
create macro bq.datetime_checked(x, message) as case when x not between timestamp '0001-01-01' and timestamp '9999-12-31 23:59:59.999999' then bq.bad_time(message) else x end;
create macro bq.timestamp_checked(x, message) as case when epoch_us(x) not between -62135596800000000 and 253402300799999999 then make_timestamptz(cast(message as bigint)) else x end;

-- zones that no literal names: an offset such as +05:30, or a name
create macro bq.is_offset(zone) as regexp_full_match(zone, '(UTC)?[-+]\d{1,2}(:?\d{2})?');
create macro bq.offset_micros(zone) as case when contains(zone, '-') then -60000000 else 60000000 end * (60 * cast(regexp_extract(zone, '[-+](\d{1,2}?)(:?\d{2})?$', 1) as bigint) + coalesce(try_cast(regexp_extract(zone, '[-+]\d{1,2}?:?(\d{2})$', 1) as bigint), 0));
create macro bq.zone_name(zone) as case when zone is not null and (try_cast('2000-01-01 00:00:00 ' || zone as timestamptz) is null or zone = '' or (length(zone) = 3 and upper(zone) not in ('UTC', 'GMT', 'EST', 'MST', 'HST', 'CET', 'EET', 'MET', 'WET', 'PRC', 'ROC', 'ROK', 'UCT'))) then cast(bq.bad_time('Invalid time zone: ' || zone) as varchar) else zone end;
create macro bq.instant_in(civil, name) as case when timezone(name, timezone(name, civil) - to_hours(1)) = civil then timezone(name, civil) - to_hours(1) else timezone(name, civil) end;
create macro bq.to_civil(x, zone) as case when bq.is_offset(zone) then timezone('UTC', x) + to_microseconds(bq.offset_micros(zone)) else timezone(bq.zone_name(zone), x) end;
create macro bq.from_civil(x, zone) as case when bq.is_offset(zone) then timezone('UTC', x - to_microseconds(bq.offset_micros(zone))) else bq.instant_in(x, bq.zone_name(zone)) end;
create macro bq.offset_text(micros, separator) as case when micros < 0 then '-' else '+' end || lpad(cast(abs(micros) // 3600000000 as varchar), 2, '0') || separator || lpad(cast(abs(micros) // 60000000 % 60 as varchar), 2, '0');
create macro bq.timestamp_text(civil, micros) as bq.datetime_to_string(civil) || regexp_replace(bq.offset_text(micros, ':'), ':00$', '');
create macro bq.zone_text(micros) as 'UTC' || case when micros = 0 then '' else regexp_replace(regexp_replace(bq.offset_text(micros, ':'), ':00$', ''), '^([-+])0', '\1') end;

-- texts as dates and times: a text's parts, its civil time, NULL where there is none, and the fault
create macro bq.time_micros(h, mi, s, f) as case when h <= 23 and mi <= 59 and s <= 60 then ((h * 60 + mi) * 60 + s) * 1000000 + coalesce(try_cast(rpad(f[:6], 6, '0') as bigint), 0) end;
create macro bq.civil_date(y, mo, d) as case when y between 1 and 9999 then try(make_date(cast(y as bigint), cast(mo as bigint), cast(d as bigint))) end;
create macro bq.part(text, otherwise) as coalesce(try_cast(text as bigint), otherwise);
create macro bq.civil_parts(x) as regexp_extract(x, '^(\d{4})-(\d{1,2})-(\d{1,2})(?:[ Tt](\d{1,2}):(\d{1,2}):(\d{1,2})(?:\.(\d{0,6}))?)?((?: ?(?:[Zz]|[-+]\d{1,2}(?::?\d{2})?)| [A-Za-z][\w/+-]*)?)$', ['y', 'mo', 'd', 'h', 'mi', 's', 'f', 'zone']);
create macro bq.civil_of(m) as bq.civil_date(try_cast(m.y as bigint), try_cast(m.mo as bigint), try_cast(m.d as bigint)) + to_microseconds(bq.time_micros(bq.part(m.h, 0), bq.part(m.mi, 0), bq.part(m.s, 0), m.f));
create macro bq.read_timestamp(x) as list_transform([bq.civil_parts(x)], lambda m: case when trim(m.zone) in ('', 'Z', 'z') then timezone('UTC', bq.civil_of(m)) else bq.from_civil(bq.civil_of(m), trim(m.zone)) end)[1];
create macro bq.read_civil(x) as list_transform([bq.civil_parts(x)], lambda m: case when m.zone = '' then bq.civil_of(m) end)[1];
create macro bq.read_time(x) as list_transform([regexp_extract(x, '^(\d{1,2}):(\d{1,2}):(\d{1,2})(?:\.(\d{0,6}))?$', ['h', 'mi', 's', 'f'])], lambda m: bq.time_micros(try_cast(m.h as bigint), try_cast(m.mi as bigint), try_cast(m.s as bigint), m.f))[1];
create macro bq.string_to_timestamp(x) as case when regexp_full_match(x, '[1-9]\d{3}-\d\d-\d\d[ T]([01]\d|2[0-3]):\d\d:[0-5]\d(\.\d{1,6})?(Z|[-+](0\d|1[0-3])(:[0-5]\d)?)?') then coalesce(try_cast(x as timestamptz), timezone('UTC', bq.bad_time('Invalid timestamp: ''' || x || ''''))) when x is not null then coalesce(bq.read_timestamp(x), timezone('UTC', bq.bad_time('Invalid timestamp: ''' || x || ''''))) end;
create macro bq.string_to_datetime(x) as case when x is not null then coalesce(bq.read_civil(x), bq.bad_time('Invalid datetime string "' || x || '"')) end;
create macro bq.string_to_date(x) as case when x is not null then cast(coalesce(case when not contains(x, ':') then bq.read_civil(x) end, bq.bad_time('Invalid date: ''' || x || '''')) as date) end;
create macro bq.string_to_time(x) as case when x is not null then cast(make_timestamp(coalesce(bq.read_time(x), epoch_us(bq.bad_time('Invalid time string "' || x || '"')))) as time) end;

-- constructors: https://cloud.google.com/bigquery/docs/reference/standard-sql/date_functions#date
create macro bq.date_of(y, mo, d) as case when y is not null and mo is not null and d is not null then coalesce(bq.civil_date(y, mo, d), cast(bq.bad_time('Input calculates to invalid date: ' || lpad(cast(y as varchar), 4, '0') || '-' || lpad(cast(mo as varchar), 2, '0') || '-' || lpad(cast(d as varchar), 2, '0')) as date)) end;
create macro bq.time_of(h, mi, s) as case when h is not null and mi is not null and s is not null then cast(make_timestamp(case when h between 0 and 23 and mi between 0 and 59 and s between 0 and 60 then ((h * 60 + mi) * 60 + s) * 1000000 else epoch_us(bq.bad_time('Input calculates to invalid time: ' || lpad(cast(h as varchar), 2, '0') || ':' || lpad(cast(mi as varchar), 2, '0') || ':' || lpad(cast(s as varchar), 2, '0'))) end) as time) end;
create macro bq.unix_date(x) as cast(cast(x as date) - date '1970-01-01' as bigint);
create macro bq.date_from_unix_date(n) as date '1970-01-01' + cast(case when n between -719162 and 2932896 then n else epoch_us(bq.bad_time('DATE_FROM_UNIX_DATE range is [-719162, 2932896]; ' || cast(n as varchar) || ' is outside')) end as integer);
create macro bq.floor_div(a, b) as (a - bq.positive_mod(a, b)) // b;
create macro bq.unix_millis(x) as bq.floor_div(epoch_us(x), 1000);
create macro bq.unix_seconds(x) as bq.floor_div(epoch_us(x), 1000000);
create macro bq.timestamp_from_unix(n, unit) as make_timestamptz(case when n between -62135596800000000 // unit and 253402300799999999 // unit then n * unit else epoch_us(bq.bad_time('Timestamp value ' || cast(n as varchar) || ' is out of allowed range: from 0001-01-01 00:00:00.000000+00 to 9999-12-31 23:59:59.999999+00')) end);

create macro bq.date_to_string(x) as cast(x as varchar);
create macro bq.string_without_zone(x) as case when x is not null then coalesce(bq.read_civil(x), bq.bad_time('Invalid timestamp: ''' || x || '''')) end;

-- parts: weeks begin `shift` days before a Monday
create macro bq.week_floor(x, shift) as date_trunc('week', cast(x as timestamp) + to_days(shift)) - to_days(shift);
create macro bq.week_number(x, first) as (date_part('doy', x) + 6 - (date_part('dow', x) + 7 - first) % 7) // 7;
create macro bq.zoned_floor(x, civil, us) as make_timestamptz(epoch_us(x) - bq.positive_mod(epoch_us(civil), us));
create macro bq.iso_day_text(x) as lpad(cast(date_diff('day', cast(date_trunc('isoyear', x) as timestamp), x) + 1 as varchar), 3, '0');
create macro bq.seconds_text(x, digits) as strftime(x, '%S') || case when digits = 0 then '' else '.' || rpad(lpad(cast(bq.positive_mod(epoch_us(x), 1000000) as varchar), 6, '0')[:digits], digits, '0') end;
create macro bq.all_seconds_text(x) as strftime(x, '%S') || case when epoch_us(x) % 1000000 = 0 then '' else '.' || rtrim(lpad(cast(bq.positive_mod(epoch_us(x), 1000000) as varchar), 6, '0'), '0') end;

-- intervals: https://cloud.google.com/bigquery/docs/reference/standard-sql/interval_functions
create macro bq.interval_field(n, most, name) as case when n not between -most and most then epoch_us(bq.bad_time('Interval field ' || name || ' ''' || cast(n as varchar) || ''' is out of range -' || cast(most as varchar) || ' to ' || cast(most as varchar))) else n end;
create macro bq.interval_from(months, days, micros) as to_months(cast(bq.interval_field(months, 120000, 'months') as bigint)) + to_days(cast(bq.interval_field(days, 3660000, 'days') as bigint)) + to_microseconds(cast(bq.interval_field(micros, 316224000000000000, 'microseconds') as bigint));
create macro bq.no_months(x) as case when bq.interval_months(x) <> 0 then to_microseconds(epoch_us(bq.bad_time('TIMESTAMP +/- INTERVAL is not supported for intervals with non-zero MONTH or YEAR part.'))) else x end;
create macro bq.interval_times(x, n) as bq.interval_from(bq.interval_months(x) * n, bq.interval_days(x) * n, bq.interval_micros(x) * n);
create macro bq.interval_divide(x, n) as case when n = 0 then to_microseconds(epoch_us(bq.bad_time('division by zero'))) else to_months(bq.interval_months(x) // n) + to_days((bq.interval_months(x) % n * 30 + bq.interval_days(x)) // n) + to_microseconds(cast((cast((bq.interval_months(x) % n * 30 + bq.interval_days(x)) % n as hugeint) * 86400000000 + bq.interval_micros(x)) // n as bigint)) end;
create macro bq.same_sign(high, low, unit) as case when high > 0 and low < 0 then -1 when high < 0 and low > 0 then 1 else 0 end;
create macro bq.carried(high, low, unit) as {'high': high + low // unit + bq.same_sign(high + low // unit, low % unit, unit), 'low': low % unit - unit * bq.same_sign(high + low // unit, low % unit, unit)};
create macro bq.justify_hours(x) as list_transform([bq.carried(bq.interval_days(x), bq.interval_micros(x), 86400000000)], lambda j: bq.interval_from(bq.interval_months(x), j.high, j.low))[1];
create macro bq.justify_days(x) as list_transform([bq.carried(bq.interval_months(x), bq.interval_days(x), 30)], lambda j: bq.interval_from(j.high, j.low, bq.interval_micros(x)))[1];
create macro bq.justify_interval(x) as list_transform([bq.carried(bq.interval_months(x), bq.interval_days(x) * 86400000000 + bq.interval_micros(x), 2592000000000)], lambda j: bq.interval_from(j.high, j.low // 86400000000, j.low % 86400000000))[1];
create macro bq.make_interval(y, mo, d, h, mi, s) as bq.interval_from(y * 12 + mo, d, ((h * 60 + mi) * 60 + s) * 1000000);
create macro bq.read_interval(x) as list_transform([regexp_extract(x, '^([-+]?)(\d+)-(\d+) ([-+]?\d+) ([-+]?)(\d+):(\d+):(\d+)(?:\.(\d{1,6}))?$', ['ms', 'y', 'mo', 'd', 'ts', 'h', 'mi', 's', 'f'])], lambda m: case when m.ms = '-' then -1 else 1 end * to_months(cast(m.y as bigint) * 12 + cast(m.mo as bigint)) + to_days(cast(m.d as bigint)) + case when m.ts = '-' then -1 else 1 end * to_microseconds(((cast(m.h as bigint) * 60 + cast(m.mi as bigint)) * 60 + cast(m.s as bigint)) * 1000000 + coalesce(try_cast(rpad(m.f[:6], 6, '0') as bigint), 0)))[1];
create macro bq.read_iso_interval(x) as list_transform([regexp_extract(x, '^(P)(?:(-?\d+)Y)?(?:(-?\d+)M)?(?:(-?\d+)W)?(?:(-?\d+)D)?(?:T(?:(-?\d+)H)?(?:(-?\d+)M)?(?:(-?\d+(?:\.\d{1,6})?)S)?)?$', ['p', 'y', 'mo', 'w', 'd', 'h', 'mi', 's'])], lambda m: case when m.p = 'P' and regexp_matches(x, '\d[A-Z]$') then to_months(bq.part(m.y, 0) * 12 + bq.part(m.mo, 0)) + to_days(bq.part(m.w, 0) * 7 + bq.part(m.d, 0)) + to_microseconds((bq.part(m.h, 0) * 60 + bq.part(m.mi, 0)) * 60000000 + cast(coalesce(try_cast(m.s as decimal(18, 6)), 0) * 1000000 as bigint)) end)[1];
create macro bq.string_to_interval(x) as case when x is not null then coalesce(try(bq.read_interval(x)), try(bq.read_iso_interval(x)), to_microseconds(epoch_us(bq.bad_time('Invalid INTERVAL value ''' || x || '''')))) end;

-- arrays of dates: bounded, each element counted from the start so that months do not drift
create macro bq.series_length(a, b, months, us) as case when months <> 0 and us <> 0 then epoch_us(bq.bad_time('An array of dates steps by months or by days, not by both')) when months <> 0 then case when (b - a >= to_days(0)) = (months > 0) or a = b then abs(date_diff('month', a, b)) // abs(months) + 1 else 0 end when us = 0 then epoch_us(bq.bad_time('Sequence step cannot be 0.')) when a = b then 1 when (b > a) = (us > 0) then (epoch_us(b) - epoch_us(a)) // us + 1 else 0 end;
create macro bq.civil_series(a, b, months, us) as list_filter(list_transform(range(bq.bounded(bq.series_length(a, b, months, us), 10000)), lambda i: a + to_months(i * months) + to_microseconds(i * us)), lambda x: case when months + us > 0 then x <= b else x >= b end);
create macro bq.series(a, b, step) as case when a is not null and b is not null and step is not null then bq.civil_series(a, b, bq.interval_months(step), bq.interval_days(step) * 86400000000 + bq.interval_micros(step)) end;
create macro bq.timestamp_series(a, b, step) as list_transform(bq.series(timezone('UTC', a), timezone('UTC', b), bq.no_months(step)), lambda x: timezone('UTC', x));

-- PARSE_*: the parts that a format's expression found
create macro bq.month_number(name) as (strpos('janfebmaraprmayjunjulaugsepoctnovdec', lower(name[:3])) + 2) // 3;
create macro bq.parsed_year(m) as case when m.cy <> '' then 2000 + bq.part(m.cy, 0) when m.rr <> '' then case when bq.part(m.rr, 0) < 50 then 2000 else 1900 end + bq.part(m.rr, 0) when m.yy <> '' or m.century <> '' then 100 * bq.part(m.century, case when bq.part(m.yy, 0) < 69 then 20 else 19 end) + bq.part(m.yy, 0) else bq.part(m.y, 1970) end;
create macro bq.parsed_month(m) as case when m.monthname <> '' then bq.month_number(m.monthname) when m.quarter <> '' then bq.part(m.quarter, 1) * 3 - 2 else bq.part(m.mo, 1) end;
create macro bq.parsed_date(m) as case when m.doy = '' then bq.civil_date(bq.parsed_year(m), bq.parsed_month(m), bq.part(m.d, 1)) when bq.part(m.doy, 0) between 1 and date_part('doy', make_date(bq.parsed_year(m), 12, 31)) then make_date(bq.parsed_year(m), 1, 1) + cast(bq.part(m.doy, 0) - 1 as integer) end;
create macro bq.parsed_hour(m) as case when m.hour12 = '' then bq.part(m.h, 0) when bq.part(m.hour12, 0) between 1 and 12 then bq.part(m.hour12, 0) % 12 + case when lower(m.meridian[1]) = 'p' then 12 else 0 end end;
create macro bq.parsed_civil(m) as case when m.epoch <> '' then timestamp '1970-01-01' + to_seconds(cast(m.epoch as bigint)) else bq.parsed_date(m) + to_microseconds(bq.time_micros(bq.parsed_hour(m), bq.part(m.mi, 0), bq.part(m.s, 0), m.f)) end;
create macro bq.parsed_datetime(x, m) as case when x is not null then coalesce(try(case when m.found <> '' then bq.parsed_civil(m) end), bq.bad_time('Failed to parse input string "' || x || '"')) end;
create macro bq.parsed_timestamp(x, m, zone) as case when x is not null and zone is not null then case when m.epoch <> '' then timezone('UTC', bq.parsed_datetime(x, m)) else bq.from_civil(bq.parsed_datetime(x, m), case when upper(m.zone) = 'Z' then 'UTC' when m.zone <> '' then m.zone else zone end) end end;

-- Personal data: IPv4 and IPv6 addresses and e-mail addresses in a text become REDACTED.
-- The engine replaces each pii_..._pattern macro by its text once it is open: building a pattern for each call takes longer than reading a log.
--
-- RE2 has no look-around, so a text in which something is escaped is marked first. The marks are noncharacters of Unicode, which are a program's own; any that
-- the text holds become U+FFFD. An escaped @ . : ' + or " is put between FDD0 and FDD1. Every other escape of JSON, and every escape of a URL for what is in
-- no address, is put between two FDD2, so that no address begins with a letter of it or touches it.
-- What stands before an IP address is matched and written back. Behind an IPv6 address \b and \B look without matching, once bq.pii_fence has put a z
-- before each letter beyond ASCII, which they do not know. Behind an IPv4 address a character or two are matched, which hides at most every second one:
-- the second pass finds those. Letters beyond ASCII are ranges: compiling \p{L} takes longer than reading a log.
create macro bq.pii_beyond() as '\x{AA}\x{B5}\x{BA}\x{C0}-\x{D6}\x{D8}-\x{F6}\x{F8}-\x{2FF}\x{370}-\x{386}\x{388}-\x{5BD}\x{5C4}-\x{60B}\x{620}-\x{669}\x{66E}-\x{6D3}\x{6D5}-\x{963}\x{966}-\x{E4E}\x{E50}-\x{1FFF}\x{2C00}-\x{2DFF}\x{3005}-\x{3007}\x{3041}-\x{D7FF}\x{F900}-\x{FD3D}\x{FD50}-\x{FDCF}\x{FDF0}-\x{FE0F}\x{FE70}-\x{FEFC}\x{FF10}-\x{FF19}\x{FF21}-\x{FF3A}\x{FF41}-\x{FF5A}\x{FF66}-\x{FFDC}\x{10000}-\x{1EFFF}\x{20000}-\x{3FFFF}';
-- how a character may be escaped in JSON, in a URL and in HTML, by its code; nested escapes too, as in %2540 and \\u0040
create macro bq.pii_escaped(hex, number) as '(?:\\+u00(?:' || hex || ')|%(?:25)*(?:' || hex || ')|&(?:amp;)*#(?:0*(?:' || number || ')|[xX]0*(?:' || hex || '));)';
create macro bq.pii_either(plain, hex, number) as '(?:' || plain || '|' || bq.pii_escaped(hex, number) || ')';
create macro bq.pii_hint_pattern() as replace(replace(bq.pii_either('@', '40', '64') || '|[0-9]DOT[0-9]{1,3}DOT[0-9]{1,3}DOT[0-9]|COLON{2}|(?:[0-9A-Fa-f]{1,4}COLON){6}', 'DOT', bq.pii_either('\.', '2[Ee]', '46')), 'COLON', bq.pii_either(':', '3[Aa]', '58'));
create macro bq.pii_odd_pattern() as '[%&\\\x{FDD0}-\x{FDD2}]';
create macro bq.pii_escaped_pattern() as bq.pii_escaped('2[27Ee]|3[Aa]|40', '34|39|4[36]|58|64') || '|\\+(?:u002[Bb]|")|&(?:amp;)*(?:#[xX]0*2[Bb]|apos|quot);';
create macro bq.pii_barrier_pattern() as '\\+(?:[bfnrt]|u(?:00(?:[015-9A-Fa-f][0-9A-Fa-f]|2[01345689ACDFacdf]|3[0-9B-Fb-f]|4[1-9A-Fa-f])|(?:0[1-9A-Fa-f]|[1-9A-Fa-f][0-9A-Fa-f])[0-9A-Fa-f]{2}))|%(?:25)*(?:0[9ADad]|2[0134689ACFacf]|3[B-Fb-f]|5[B-Eb-e]|60|7[B-Eb-e])';
create macro bq.pii_unmark(x, instead) as regexp_replace(x, '[\x{FDD0}-\x{FDD2}]', instead, 'g');
create macro bq.pii_mark(x) as case when regexp_matches(x, bq.pii_odd_pattern()) then regexp_replace(regexp_replace(bq.pii_unmark(x, chr(65533)), bq.pii_escaped_pattern(), chr(64976) || '\0' || chr(64977), 'g'), bq.pii_barrier_pattern(), chr(64978) || '\0' || chr(64978), 'g') else x end;
-- The words in capitals that patterns are written with. Which character is escaped, the end of the escape tells; NODOT ends one of any but a dot.
create macro bq.pii_marked(ends) as '\x{FDD0}[!-~]*(?:' || ends || ')\x{FDD1}';
create macro bq.pii_signs(pattern) as replace(replace(replace(replace(replace(replace(pattern, 'AT', '(?:@|' || bq.pii_marked('40;?|64;') || ')'), 'NODOT', '(?:[^;Ee]|[^6Ee];)\x{FDD1}'), 'DOT', '(?:\.|' || bq.pii_marked('2[Ee];?|46;') || ')'), 'COLON', '(?::|' || bq.pii_marked('3[Aa];?|58;') || ')'), 'INNER', '(?:[''\x{2019}]|' || bq.pii_marked('2[7Bb];?|39;|43;|s;') || ')'), 'QUOTE', bq.pii_marked('22;?|34;|"|t;'));
create macro bq.pii_classes(pattern) as replace(replace(bq.pii_signs(pattern), 'HEX', '[0-9A-Fa-f]{1,4}'), 'LETTER', '0-9A-Za-z' || bq.pii_beyond());
-- in a name of an e-mail address accents may stand by themselves
create macro bq.pii_names(pattern) as bq.pii_classes(replace(replace(pattern, 'LABEL', 'a-zA-Z\x{300}-\x{36F}' || bq.pii_beyond()), 'NAME', 'LETTER\x{300}-\x{36F}'));
create macro bq.pii_octet() as '(?:25[0-5]|2[0-4][0-9]|[01]?[0-9]{1,2})';
create macro bq.pii_ipv4() as '(?:' || bq.pii_octet() || 'DOT){3}' || bq.pii_octet();
create macro bq.pii_zone() as '(?:(?:%\w+|\x{FDD2}%[0-9]+\x{FDD2})(?:(?:[-~%]|DOT)\w+)*)?';
create macro bq.pii_ipv6() as '(?:HEX(?:COLONHEX){7}\b|COLON(?:COLONHEX){1,7}\b|HEXCOLON(?:(?:COLONHEX){1,6}\b|COLON\B)|(?:HEXCOLON){2}(?:(?:COLONHEX){1,5}\b|COLON\B)|(?:HEXCOLON){3}(?:(?:COLONHEX){1,4}\b|COLON\B)|(?:HEXCOLON){4}(?:(?:COLONHEX){1,3}\b|COLON\B)|(?:HEXCOLON){5}(?:(?:COLONHEX){1,2}\b|COLON\B)|(?:HEXCOLON){6}(?:COLONHEX\b|COLON\B)|(?:HEXCOLON){7}COLON\B)';
create macro bq.pii_ipv6_before_ipv4() as '(?:(?:HEXCOLON){6}|COLONCOLON(?:HEXCOLON){0,5}|HEXCOLONCOLON(?:HEXCOLON){0,4}|(?:HEXCOLON){2}COLON(?:HEXCOLON){0,3}|(?:HEXCOLON){3}COLON(?:HEXCOLON){0,2}|(?:HEXCOLON){4}COLON(?:HEXCOLON)?|(?:HEXCOLON){5}COLON)';
create macro bq.pii_fence_pattern() as '([0-9A-Fa-f:]|[8Aa];?\x{FDD1})(z*[' || bq.pii_beyond() || '])';
create macro bq.pii_fence(x) as regexp_replace(x, bq.pii_fence_pattern(), '\1z\2', 'g');
create macro bq.pii_unfence_pattern() as '([0-9A-Fa-f:]|[8Aa];?\x{FDD1})z(z*[' || bq.pii_beyond() || '])';
create macro bq.pii_unfence(x) as regexp_replace(x, bq.pii_unfence_pattern(), '\1\2', 'g');
create macro bq.pii_ipv4_pattern() as bq.pii_classes('(^DOT?|[^LETTER.\x{FDD1}]|NODOT|[^0-9]DOT)' || bq.pii_ipv4() || '($|[^LETTER.\x{FDD0}]|\x{FDD0}[!-~]*NODOT|DOT$|DOT[^0-9])');
create macro bq.redact_ipv4_once(x) as regexp_replace(x, bq.pii_ipv4_pattern(), '\1REDACTED\2', 'g');
create macro bq.redact_ipv4(x) as bq.redact_ipv4_once(bq.redact_ipv4_once(x));
create macro bq.pii_mapped_pattern() as bq.pii_classes('(^DOT?|[^LETTER_.\x{FDD1}]|NODOT|[^0-9]DOT)' || bq.pii_ipv6_before_ipv4() || bq.pii_ipv4() || '\b' || bq.pii_zone());
create macro bq.redact_mapped(x) as regexp_replace(x, bq.pii_mapped_pattern(), '\1REDACTED', 'g');
create macro bq.pii_groups_pattern() as bq.pii_classes('(^|[^LETTER_])' || bq.pii_ipv6() || bq.pii_zone());
create macro bq.redact_groups(x) as regexp_replace(x, bq.pii_groups_pattern(), '\1REDACTED', 'g');
-- A local part in quotes. JSON goes on behind a string with one of , : ] } and a quote before @ begins a string there, as in {"a":"@b.co"}: neither is a local part's.
-- It holds at most two @: with any number of them the time taken would grow with the square of the text.
create macro bq.pii_quoted_with(inside) as replace('(?:[^\x00-\x20,:;\]}=&%"\\@\x{FDD0}-\x{FDD2}]|DOT)INSIDE*(?:ATINSIDE*){0,2}', 'INSIDE', inside);
create macro bq.pii_quoted() as '(?:"' || bq.pii_quoted_with('(?:[^\x00-\x1F"@\x{FDD0}]|\x{FDD0}[!-~]*(?:[^04;]|[^04];|34;)\x{FDD1})') || '"|QUOTE' || bq.pii_quoted_with('(?:[^\x00-\x1F"@\x{FDD0}]|\x{FDD0}[!-~]*(?:[7ABEabe]|[36789ABEabes];)\x{FDD1})') || 'QUOTE)';
create macro bq.pii_local() as '(?:(?:(?:[NAME._%+-]|DOT)INNER*)+|' || bq.pii_quoted() || ')';
-- addresses that touch are one: the character that is matched behind them begins none
create macro bq.pii_email_pattern() as bq.pii_names(replace(bq.pii_local() || 'HOST(?:(?:INNER*|' || bq.pii_local() || ')HOST)*($|[^NAME])', 'HOST', 'AT(?:[NAME_-]+DOT)+[LABEL]+'));
create macro bq.redact_emails(x) as regexp_replace(x, bq.pii_email_pattern(), 'REDACTED\1', 'g');
create macro bq.redact_marked(x) as bq.redact_emails(bq.redact_ipv4(bq.pii_unfence(bq.redact_groups(bq.redact_ipv4(bq.redact_mapped(bq.pii_fence(x)))))));
create macro bq.redact(x) as case when regexp_matches(x, bq.pii_hint_pattern()) then bq.pii_unmark(bq.redact_marked(bq.pii_mark(x)), '') else x end;
create macro bq.redact_bytes(x) as case when try(decode(x)) is null then x else encode(bq.redact(try(decode(x)))) end;
-- JSON text in tokens: a string that a colon follows is a key and stays, any other that may hold personal data is read without its escapes and redacted
create macro bq.redact_json_token(t) as case when t[1] = '"' and t[-1] = '"' and regexp_matches(t, '\\u|' || bq.pii_hint_pattern()) then cast(to_json(bq.redact(json_extract_string(t, '$'))) as varchar) else t end;
create macro bq.redact_json_text(x) as array_to_string(list_transform(regexp_extract_all(x, '"(?:[^"\\]|\\.)*"(?:\s*:)?|[^"]+'), lambda t: bq.redact_json_token(t)), '');
create macro bq.redact_json(j) as case when regexp_matches(cast(j as varchar), '\\u|' || bq.pii_hint_pattern()) then cast(bq.redact_json_text(cast(j as varchar)) as json) else j end;
-- a row's JSON text, whose keys hold nothing, as one text; not where an escape may look like the start of an address, as in "\b::1" or "\n@b.co"
create macro bq.redact_row(x) as case when not regexp_matches(x, bq.pii_hint_pattern()) then x when regexp_matches(x, '\\[^"]') then bq.redact_json_text(x) else bq.redact(x) end;
