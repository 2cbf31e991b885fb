-- Casts of numbers, BOOL and BYTES: https://cloud.google.com/bigquery/docs/reference/standard-sql/conversion_functions
create macro bq.decimal_to_string(x) as
  case
    when contains(cast(x as varchar), '.') then rtrim(rtrim(cast(x as varchar), '0'), '.')
    else cast(x as varchar)
  end;

-- DuckDB reads and prints a number of 18 digits many times faster than one of 38, and so do the macros of numbers below.
create macro bq.decimal_text(x) as coalesce(cast(try_cast(x as decimal(18, 9)) as varchar), cast(x as varchar));
create macro bq.numeric_to_string(x) as rtrim(rtrim(bq.decimal_text(x), '0'), '.');
create macro bq.bignumeric_to_string(x) as bq.numeric_to_string(x);

create macro bq.float64_to_string(x) as
  case
    when isnan(x) then 'nan'
    when isinf(x) then case when x > 0 then 'inf' else '-inf' end
    when abs(x) < 1e15 and x = trunc(x) then cast(try_cast(x as bigint) as varchar)
    when try_cast(printf('%.15g', x) as double) = x then printf('%.15g', x)
    else printf('%.17g', x)
  end;

create macro bq.float64_to_int64(x) as
  case
    when not isfinite(x)
      then bq.fail_int64(
        'Illegal conversion of non-finite floating point number to an integer: ' || bq.float64_to_string(x)
      )
    when round(x) >= 9223372036854775807 or round(x) < -9223372036854775808
      then bq.fail_int64('int64 out of range: ' || bq.float64_to_string(x))
    else cast(round(x) as bigint)
  end;

create macro bq.bytes_to_string(x) as decode(x);

-- DuckDB prints each byte that is not a printable ASCII character as an escape.
create macro bq.safe_bytes_to_string(x) as
  case
    when strlen(cast(x as varchar)) = octet_length(x) then decode(x)
    when regexp_full_match(
        hex(x),
        '(?:[0-7].|(?:C[2-9A-F]|D.)[89AB].|E0[AB].[89AB].|(?:E[1-9A-CEF][89AB].|ED[89].)[89AB].|F0[9AB].[89AB].[89AB].|F[1-3][89AB].[89AB].[89AB].|F48.[89AB].[89AB].)*'
      )
    then decode(x)
  end;

create macro bq.string_to_bytes(x) as encode(x);

-- Here and below, a cast that could fail is a TRY_CAST: DuckDB moves a plain cast of a stored field into the scan, above any condition.
create macro bq.safe_string_to_bool(x) as case lower(x) when 'true' then true when 'false' then false end;

create macro bq.string_to_bool(x) as
  coalesce(
    bq.safe_string_to_bool(x),
    case when x is not null then bq.fail_bool('Bad bool value: ' || x) end
  );

create macro bq.hex_to_int64(x) as
  try_cast(
    case when contains(x, '-') then -1 else 1 end
    * cast(try_cast('0x' || regexp_extract(x, '0[xX]([0-9a-fA-F]+)', 1) as ubigint) as hugeint) as bigint
  );

create macro bq.safe_string_to_int64(x) as
  case
    when regexp_full_match(x, '\s*[-+]?\d+\s*') then try_cast(x as bigint)
    when regexp_full_match(x, '\s*[-+]?0[xX][0-9a-fA-F]{1,16}\s*') then bq.hex_to_int64(x)
  end;

create macro bq.string_to_int64(x) as
  coalesce(
    bq.safe_string_to_int64(x),
    case when x is not null then bq.fail_int64('Bad int64 value: ' || x) end
  );

create macro bq.safe_string_to_float64(x) as
  case
    when regexp_full_match(x, '\s*[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?\s*')
      then try_cast(x as double)
    when regexp_full_match(x, '(?i)\s*\+?inf(inity)?\s*') then cast('Infinity' as double)
    when regexp_full_match(x, '(?i)\s*-inf(inity)?\s*') then cast('-Infinity' as double)
    when regexp_full_match(x, '(?i)\s*[-+]?nan\s*') then cast('NaN' as double)
  end;

create macro bq.string_to_float64(x) as
  coalesce(
    bq.safe_string_to_float64(x),
    case when x is not null then bq.fail_float64('Bad double value: ' || x) end
  );

-- The parts of a plain number of more than 18 digits
create macro bq.long_whole(x) as cast(try_cast(regexp_extract(x, '[^.]*') as hugeint) as decimal(30, 0));

create macro bq.long_fraction(x) as
  try_cast(case when contains(x, '-') then '-0.' else '0.' end || regexp_extract(x, '\.(\d*)', 1) as decimal(18, 9));

-- A number with an exponent, written without it. DuckDB's cast of a string with an exponent to a decimal rounds wrongly.
create macro bq.plain_number(x) as
  list_transform(
    [regexp_extract(x, '^\s*([-+]?)(\d*)\.?(\d*)[eE]([-+]?\d+)\s*$', ['sign', 'whole', 'part', 'power'])],
    lambda m: list_transform(
      [{sign: m.sign, digits: m.whole || m.part, place: strlen(m.whole) + try_cast(m.power as bigint)}],
      lambda n: n.sign || case
        when n.place <= 0 then '0.' || repeat('0', least(-n.place, 50)) || n.digits
        when n.place >= strlen(n.digits) then n.digits || repeat('0', least(n.place - strlen(n.digits), 50))
        else n.digits[1:n.place] || '.' || n.digits[n.place + 1:]
      end
    )[1]
  )[1];

create macro bq.plain_to_numeric(x) as
  coalesce(
    try_cast(x as decimal(18, 9)),
    case when regexp_full_match(x, '[-+]?\d{1,29}(\.\d{0,9})?') then bq.long_whole(x) + bq.long_fraction(x) end,
    try_cast(x as decimal(38, 9))
  );

create macro bq.safe_string_to_numeric(x) as
  case
    when regexp_full_match(x, '\s*[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d{1,4})?\s*')
      then case
        when regexp_matches(x, '[eE]') then list_transform([bq.plain_number(x)], lambda v: bq.plain_to_numeric(v))[1]
        else bq.plain_to_numeric(x)
      end
  end;

create macro bq.string_to_numeric(x) as
  coalesce(
    bq.safe_string_to_numeric(x),
    case when x is not null then bq.fail_numeric('Invalid NUMERIC value: ' || x) end
  );

-- `x - trunc(x)` is exact; times 1e9 it is off by at most 1e-7. Farther than that from a half, it rounds as all digits would.
create macro bq.float64_to_numeric(x) as
  case
    when not isfinite(x)
      then bq.fail_numeric(
        'Illegal conversion of non-finite floating point number to numeric: ' || bq.float64_to_string(x)
      )
    when abs(x) >= 1e29 then bq.fail_numeric('numeric out of range: ' || bq.float64_to_string(x))
    when abs(abs((x - trunc(x)) * 1e9) % 1 - 0.5) > 1e-6
      then cast(trunc(x) as decimal(29, 0)) + cast(round((x - trunc(x)) * 1e9) as decimal(10, 0)) * 0.000000001
    else cast(printf('%.30f', x) as decimal(38, 9))
  end;

create macro bq.numeric_to_float64(x) as cast(bq.decimal_text(x) as double);

create macro bq.numeric_to_int64(x) as
  case
    when abs(x) >= 9223372036854775807.5 and x <> -9223372036854775808
      then bq.fail_int64('int64 out of range: ' || bq.decimal_to_string(x))
    else try_cast(x as bigint)
  end;

-- BIGNUMERIC has only 8 digits after the decimal point here. Casting a value that needs more fails.
create macro bq.fit_bignumeric(x, exact, shown) as
  case
    when x is null and shown is not null or not exact
      then bq.fail_bignumeric('BIGNUMERIC is limited to 30 digits before the point and 8 behind it: ' || shown)
    else x
  end;

create macro bq.plain_to_bignumeric(x) as
  coalesce(
    try_cast(x as decimal(18, 8)),
    case
      when regexp_full_match(x, '[-+]?\d{1,30}(\.\d{0,8})?')
        then bq.long_whole(x) + cast(bq.long_fraction(x) as decimal(18, 8))
    end,
    try_cast(x as decimal(38, 8))
  );

create macro bq.exact_bignumeric(x, shown) as
  list_transform(
    [{n: bq.plain_to_bignumeric(x), exact: not regexp_matches(x, '\.\d{8}\d*[1-9]'), shown: shown}],
    lambda v: bq.fit_bignumeric(v.n, v.exact, v.shown)
  )[1];

create macro bq.string_to_bignumeric(x) as
  case
    when x is not null and not regexp_full_match(x, '\s*[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d{1,4})?\s*')
      then bq.fail_bignumeric('Invalid BIGNUMERIC value: ' || x)
    when regexp_matches(x, '[eE]')
      then list_transform([{x: x, plain: bq.plain_number(x)}], lambda v: bq.exact_bignumeric(v.plain, v.x))[1]
    else bq.exact_bignumeric(x, x)
  end;

-- A FLOAT64 has at most 8 digits after the point if it is a number of 256ths. BigQuery rounds the smallest ones to 0.
create macro bq.float64_to_bignumeric(x) as
  case
    when not isfinite(x)
      then bq.fail_bignumeric(
        'Illegal conversion of non-finite floating point number to bignumeric: ' || bq.float64_to_string(x)
      )
    when abs(x) < 1e30 and x * 256 = trunc(x * 256)
      then cast(trunc(x) as decimal(30, 0)) + cast((x - trunc(x)) * 1e8 as decimal(9, 0)) * 0.00000001
    when abs(x) < 5e-39 then cast(0 as decimal(38, 8))
    else bq.fail_bignumeric(
      'BIGNUMERIC is limited to 30 digits before the point and 8 behind it: '
      || bq.decimal_to_string(printf('%.60f', x))
    )
  end;

create macro bq.numeric_to_bignumeric(x) as
  bq.fit_bignumeric(
    cast(x as decimal(38, 8)),
    coalesce(try_cast(cast(x as decimal(38, 8)) as decimal(38, 9)) = x, x is null),
    cast(x as varchar)
  );

create macro bq.bignumeric_to_numeric(x) as
  case
    when abs(x) >= 100000000000000000000000000000
      then bq.fail_numeric('numeric out of range: ' || bq.decimal_to_string(x))
    else try_cast(x as decimal(38, 9))
  end;

create macro bq.bignumeric_to_float64(x) as bq.numeric_to_float64(x);
create macro bq.bignumeric_to_int64(x) as bq.numeric_to_int64(x);

-- PARSE_NUMERIC and PARSE_BIGNUMERIC
create macro bq.parsed_digits(x) as
  case
    when not regexp_full_match(x, '\s*([-+]\s*)?(,*\d[\d,]*(\.\d*)?|,*\.\d+)([eE][-+]?\d+)?\s*')
      and not regexp_full_match(x, '\s*(,*\d[\d,]*(\.\d*)?|,*\.\d+)([eE][-+]?\d+)?\s*[-+]?\s*')
    then null
    when regexp_matches(x, '^\s*-|-\s*$') then '-' || regexp_replace(x, '^[\s+-]+|[\s+-]+$|,', '', 'g')
    else regexp_replace(x, '^[\s+-]+|[\s+-]+$|,', '', 'g')
  end;

create macro bq.parse_numeric(x) as
  coalesce(
    list_transform([bq.parsed_digits(x)], lambda v: bq.safe_string_to_numeric(v))[1],
    case when x is not null then bq.fail_numeric('Invalid input to PARSE_NUMERIC: ' || x) end
  );

create macro bq.parse_bignumeric(x) as
  list_transform(
    [{x: x, digits: bq.parsed_digits(x)}],
    lambda v: case
      when v.x is not null and v.digits is null
        then bq.fail_bignumeric('Invalid input to PARSE_BIGNUMERIC: ' || v.x)
      else bq.string_to_bignumeric(v.digits)
    end
  )[1];

-- The parameters of a type: https://cloud.google.com/bigquery/docs/reference/standard-sql/data-types#parameterized_data_types
create macro bq.length_message(name, n, found) as
  name || '(' || n || ') has maximum length ' || n || ' but got a value with length ' || found;

create macro bq.limit_string(x, n) as
  case when length(x) > n then bq.fail_string(bq.length_message('STRING', n, length(x))) else x end;

create macro bq.limit_bytes(x, n) as
  case
    when octet_length(x) > n then bq.fail_bytes(bq.length_message('BYTES', n, octet_length(x)))
    else x
  end;

create macro bq.limit_numeric(x, n, message) as case when abs(x) > n then bq.fail_numeric(message) else x end;
create macro bq.limit_bignumeric(x, n, message) as case when abs(x) > n then bq.fail_bignumeric(message) else x end;
