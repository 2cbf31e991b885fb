-- Array functions: https://cloud.google.com/bigquery/docs/reference/standard-sql/array_functions
create macro bq.array_first(a) as
  case
    when len(a) = 0
      then list_extract(a, bq.fail_int64('ARRAY_FIRST cannot get the first element of an empty array'))
    else a[1]
  end;

create macro bq.array_last(a) as
  case
    when len(a) = 0
      then list_extract(a, bq.fail_int64('ARRAY_LAST cannot get the last element of an empty array'))
    else a[len(a)]
  end;

create macro bq.array_includes(a, x) as
  case when a is not null and x is not null then list_contains(a, x) end;

create macro bq.array_includes_any(a, b) as
  case when a is not null and b is not null then list_has_any(a, b) end;

create macro bq.array_includes_all(a, b) as
  case when a is not null and b is not null then list_has_all(a, b) end;

create macro bq.array_is_distinct(a) as
  case when a is not null then len(list_distinct(a)) + least(len(a) - list_count(a), 1) = len(a) end;

create macro bq.array_slice(a, first, last) as
  case
    when a is not null and first is not null and last is not null
      then list_slice(
        a,
        greatest(case when first < 0 then len(a) + first else least(first, len(a)) end, 0) + 1,
        greatest(case when last < 0 then len(a) + last else least(last, len(a)) end + 1, 0)
      )
  end;

create macro bq.array_to_text(a, d) as
  case
    when a is not null and d is not null
      then coalesce(array_to_string(list_filter(a, lambda x: x is not null), d), '')
  end;

-- DuckDB's array_to_string only takes a constant separator; join_by takes any expression.
create macro bq.join_by(l, d) as
  case when len(l) = 0 then '' else list_reduce(l, lambda x, y: x || d || y) end;

create macro bq.array_to_text_by(a, d) as
  case when a is not null and d is not null then bq.join_by(list_filter(a, lambda x: x is not null), d) end;

create macro bq.array_to_text_with_by(a, d, n) as
  case
    when n is null then bq.array_to_text_by(a, d)
    when a is not null and d is not null then bq.join_by(list_transform(a, lambda x: coalesce(x, n)), d)
  end;

create macro bq.array_to_text_with(a, d, n) as
  case
    when n is null then bq.array_to_text(a, d)
    when a is not null and d is not null
      then coalesce(array_to_string(list_transform(a, lambda x: coalesce(x, n)), d), '')
  end;

create macro bq.hex_all(a) as list_transform(a, lambda x: hex(x));

create macro bq.bounded_array(l) as
  case
    when len(l) > 1048575
      then list_slice(l, bq.fail_int64('Cannot generate arrays with more than 1048575 elements'), 0)
    else l
  end;

create macro bq.bounded(n, maximum) as
  case
    when n > maximum then bq.fail_int64('Cannot generate arrays with more than ' || maximum || ' elements')
    else n
  end;

create macro bq.generate_array(a, b, s, maximum) as
  case
    when a is null or b is null or s is null then null
    when s = 0 then cast(bq.fail_string('Sequence step cannot be 0.') as bigint[])
    when (s > 0 and a > b) or (s < 0 and a < b) then []
    else list_transform(
      range(0, cast(bq.bounded((cast(b as hugeint) - a) // s + 1, maximum) as bigint)),
      lambda i: cast(a + i * cast(s as hugeint) as bigint)
    )
  end;

create macro bq.generate_array_float64(a, b, s, maximum) as
  case
    when a is null or b is null or s is null then null
    when s = 0 then cast(bq.fail_string('Sequence step cannot be 0.') as double[])
    when isnan(a) or isnan(b) or isnan(s) or isinf(s) or isinf(a) or isinf(b)
      then cast(bq.fail_string('Sequence bounds and step must be finite') as double[])
    when (s > 0 and a > b) or (s < 0 and a < b) then []
    else list_filter(
      list_transform(
        range(0, cast(bq.bounded(cast(least(floor((b - a) / s), 1e9) as bigint) + 1, maximum) as bigint) + 1),
        lambda i: a + i * s
      ),
      lambda x: case when s > 0 then x <= b else x >= b end
    )
  end;

-- The twin of a macro may make NULL for an element that is out of range.
create macro bq.all_present(l) as case when list_count(l) = len(l) then l end;

create macro bq.generate_array_numeric(a, b, s, maximum) as
  case
    when a is null or b is null or s is null then null
    when s = 0 then cast(bq.fail_string('Sequence step cannot be 0.') as decimal(38, 9)[])
    when (s > 0 and a > b) or (s < 0 and a < b) then []
    else bq.all_present(list_transform(
      bq.generate_array(0, cast(floor((cast(b as double) - cast(a as double)) / cast(s as double) + 1e-9) as bigint), 1, maximum),
      lambda i: cast(a + cast(s as decimal(28, 9)) * cast(i as decimal(10, 0)) as decimal(38, 9))
    ))
  end;

-- Subscripts: https://cloud.google.com/bigquery/docs/reference/standard-sql/operators#array_subscript_operator
create macro bq.safe_offset(a, i) as case when i between 0 and len(a) - 1 then list_extract(a, i + 1) end;

create macro bq.safe_ordinal(a, i) as case when i < 1 then null else list_extract(a, i) end;

create macro bq.at_offset(a, i) as
  case
    when i between 0 and len(a) - 1 then list_extract(a, i + 1)
    when a is not null and i is not null
      then list_extract(a, bq.fail_int64('Array index ' || i || ' is out of bounds'))
  end;

create macro bq.at_ordinal(a, i) as
  case
    when a is not null and i < 1 or i > len(a)
      then list_extract(a, bq.fail_int64('Array index ' || i || ' is out of bounds'))
    else list_extract(a, i)
  end;

-- Whether some element is true, or equal to a value; NULL if only a NULL element could make it true
create macro bq.any_true(a) as
  list_transform(
    [a],
    lambda v: case when list_contains(v, true) then true when len(v) = list_count(v) then false end
  )[1];

create macro bq.some_true(a) as
  case
    when a is null or len(a) = 0 then false
    when list_contains(a, true) then true
    when len(a) <> list_count(a) then null
    else false
  end;

create macro bq.in_unnest(x, a) as
  case
    when a is null or len(a) = 0 then false
    when x is null then null
    when list_contains(a, x) then true
    when len(a) <> list_count(a) then null
    else false
  end;
