-- Mathematical functions: https://cloud.google.com/bigquery/docs/reference/standard-sql/mathematical_functions
create macro bq.sign_float64(x) as case when isnan(x) then x else cast(sign(x) as double) end;
create macro bq.divide(a, b) as case when b = 0 and a is not null then bq.fail_float64('division by zero') else a / b end;
create macro bq.div(a, b) as case when b = 0 and a is not null then bq.fail_int64('division by zero') else a // b end;

-- Sums and products of two INT64 fit into 128 bits.
create macro bq.safe_add(a, b) as try_cast(cast(a as hugeint) + cast(b as hugeint) as bigint);
create macro bq.safe_subtract(a, b) as try_cast(cast(a as hugeint) - cast(b as hugeint) as bigint);
create macro bq.safe_multiply(a, b) as try_cast(cast(a as hugeint) * cast(b as hugeint) as bigint);
create macro bq.safe_negate(a) as try_cast(-cast(a as hugeint) as bigint);
create macro bq.safe_abs(a) as try_cast(abs(cast(a as hugeint)) as bigint);

create macro bq.safe_div(a, b) as
  case when b = 0 then null when b = -1 then bq.safe_negate(a) else a // b end;

create macro bq.mod(a, b) as
  case
    when b = 0 and a is not null then bq.fail_int64('division by zero')
    when b = -1 then a * 0
    else a % b
  end;

create macro bq.safe_divide(a, b) as case when b = 0 then null else a / b end;
create macro bq.ieee_divide(a, b) as a / b;

create macro bq.sqrt(x) as
  case
    when x < 0 then bq.fail_float64('Argument to SQRT cannot be negative: ' || bq.float64_to_string(x))
    else sqrt(x)
  end;

create macro bq.pow(x, y) as
  case
    when isfinite(x) and isfinite(y) and not isfinite(pow(x, y))
      then bq.fail_float64(
        'Floating point error in function: POW('
        || bq.float64_to_string(x)
        || ', '
        || bq.float64_to_string(y)
        || ')'
      )
    else pow(x, y)
  end;

create macro bq.exp(x) as
  case
    when isfinite(x) and isinf(exp(x))
      then bq.fail_float64('Floating point error in function: EXP(' || bq.float64_to_string(x) || ')')
    else exp(x)
  end;

create macro bq.ln(x) as
  case
    when x <= 0
      then bq.fail_float64('Floating point error in function: LN(' || bq.float64_to_string(x) || ')')
    else ln(x)
  end;

create macro bq.log10(x) as
  case
    when x = cast('-Infinity' as double) then cast('NaN' as double)
    when x <= 0
      then bq.fail_float64('Floating point error in function: LOG10(' || bq.float64_to_string(x) || ')')
    else log10(x)
  end;

create macro bq.log(x, y) as
  case
    when isnan(x) or isnan(y) or x = cast('-Infinity' as double) or y = cast('Infinity' as double)
      then cast('NaN' as double)
    when x <= 0 or y <= 0 or y = 1
      then bq.fail_float64(
        'Floating point error in function: LOG('
        || bq.float64_to_string(x)
        || ', '
        || bq.float64_to_string(y)
        || ')'
      )
    else ln(x) / ln(y)
  end;

create macro bq.sin(x) as case when isinf(x) then cast('NaN' as double) else sin(x) end;
create macro bq.cos(x) as case when isinf(x) then cast('NaN' as double) else cos(x) end;
create macro bq.tan(x) as case when isinf(x) then cast('NaN' as double) else tan(x) end;

create macro bq.acos(x) as
  case
    when x < -1 or x > 1 and not isnan(x)
      then bq.fail_float64('Floating point error in function: ACOS(' || bq.float64_to_string(x) || ')')
    else acos(x)
  end;

create macro bq.asin(x) as
  case
    when x < -1 or x > 1 and not isnan(x)
      then bq.fail_float64('Floating point error in function: ASIN(' || bq.float64_to_string(x) || ')')
    else asin(x)
  end;

create macro bq.acosh(x) as
  case
    when x < 1
      then bq.fail_float64('Floating point error in function: ACOSH(' || bq.float64_to_string(x) || ')')
    else acosh(x)
  end;

create macro bq.atanh(x) as
  case
    when x <= -1 or x >= 1 and not isnan(x)
      then bq.fail_float64('Floating point error in function: ATANH(' || bq.float64_to_string(x) || ')')
    else atanh(x)
  end;

create macro bq.cosh(x) as
  case
    when isfinite(x) and isinf(cosh(x))
      then bq.fail_float64('Floating point error in function: COSH(' || bq.float64_to_string(x) || ')')
    else cosh(x)
  end;

create macro bq.sinh(x) as
  case
    when isfinite(x) and isinf(sinh(x))
      then bq.fail_float64('Floating point error in function: SINH(' || bq.float64_to_string(x) || ')')
    else sinh(x)
  end;

create macro bq.cot(x) as
  case
    when isinf(x) then cast('NaN' as double)
    when x = 0
      then bq.fail_float64('Floating point error in function: COT(' || bq.float64_to_string(x) || ')')
    else 1 / tan(x)
  end;

create macro bq.csc(x) as
  case
    when isinf(x) then cast('NaN' as double)
    when x = 0
      then bq.fail_float64('Floating point error in function: CSC(' || bq.float64_to_string(x) || ')')
    else 1 / sin(x)
  end;

create macro bq.sec(x) as case when isinf(x) then cast('NaN' as double) else 1 / cos(x) end;

create macro bq.coth(x) as
  case
    when x = 0
      then bq.fail_float64('Floating point error in function: COTH(' || bq.float64_to_string(x) || ')')
    else 1 / tanh(x)
  end;

create macro bq.csch(x) as
  case
    when x = 0
      then bq.fail_float64('Floating point error in function: CSCH(' || bq.float64_to_string(x) || ')')
    else 1 / sinh(x)
  end;

create macro bq.sech(x) as 1 / cosh(x);
create macro bq.round_float64(x, digits) as
  case
    when digits is null then null
    when isfinite(x) then round(x, cast(greatest(least(digits, 400), -400) as integer))
    else x
  end;

create macro bq.trunc_float64(x, digits) as
  case when digits is not null then trunc(x, cast(greatest(least(digits, 400), -400) as integer)) end;

create macro bq.cbrt(x) as case when round(cbrt(x)) ** 3 = x then round(cbrt(x)) else cbrt(x) end;

create macro bq.greatest(list) as
  list_reduce(list, lambda x, y: case when x is null or y is null then null when x >= y then x else y end);

create macro bq.least(list) as
  list_reduce(list, lambda x, y: case when x is null or y is null then null when x <= y then x else y end);

create macro bq.least_float64(list) as
  list_reduce(
    list,
    lambda x, y: case
      when x is null or y is null then null
      when isnan(x) or x <= y and not isnan(y) then x
      else y
    end
  );

-- The point is a variable: DuckDB compares elements wrongly with a constant record, as a range is, in a lambda over filtered rows.
create macro bq.range_bucket(point, list) as
  case
    when point is null or list is null then null
    when list_count(list) < len(list)
      then bq.fail_int64('Elements in input array to RANGE_BUCKET cannot be NULL')
    when list_sort(list, 'ASC') <> list
      then bq.fail_int64('Elements in input array to RANGE_BUCKET must be in ascending order')
    else list_transform([point], lambda p: len(list_filter(list, lambda x: x <= p)))[1]
  end;

-- The engine's functions of vectors fail on NULL in any row of a chunk, also where a condition excludes the row.
create macro bq.vector(list) as list_filter(list, lambda x: x is not null);

create macro bq.cosine_distance(a, b) as
  case
    when a is null or b is null then null
    when len(a) <> len(b) then bq.fail_float64('Array arguments to COSINE_DISTANCE must have equal length')
    when list_count(a) < len(a) or list_count(b) < len(b)
      then bq.fail_float64('A vector of a distance cannot contain NULL')
    when list_inner_product(bq.vector(a), bq.vector(a)) = 0 or list_inner_product(bq.vector(b), bq.vector(b)) = 0
      then bq.fail_float64('Cannot compute cosine distance against zero vector')
    else list_cosine_distance(bq.vector(a), bq.vector(b))
  end;

create macro bq.euclidean_distance(a, b) as
  case
    when a is null or b is null then null
    when len(a) <> len(b) then bq.fail_float64('Array arguments to EUCLIDEAN_DISTANCE must have equal length')
    when list_count(a) < len(a) or list_count(b) < len(b)
      then bq.fail_float64('A vector of a distance cannot contain NULL')
    else list_distance(bq.vector(a), bq.vector(b))
  end;
