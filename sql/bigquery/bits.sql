-- Bitwise operators and functions: https://cloud.google.com/bigquery/docs/reference/standard-sql/operators#bitwise_operators
create macro bq.unsigned(x) as
  case when x < 0 then cast(x as hugeint) + 18446744073709551616 else cast(x as hugeint) end;

create macro bq.signed(x) as
  cast(case when x >= 9223372036854775808 then x - 18446744073709551616 else x end as bigint);

create macro bq.shift_left(x, n) as
  case
    when n < 0 and x is not null then bq.fail_int64('Bitwise left shift by negative offset.')
    when n >= 64 then x & 0
    when n >= 0
      then bq.signed(
        (bq.unsigned(x) & ((cast(1 as hugeint) << cast(64 - n as integer)) - 1)) << try_cast(n as integer)
      )
  end;

create macro bq.shift_right(x, n) as
  case
    when n < 0 and x is not null then bq.fail_int64('Bitwise right shift by negative offset.')
    when n >= 64 then x & 0
    else bq.signed(bq.unsigned(x) >> try_cast(n as integer))
  end;

create macro bq.unequal_bytes(a, b) as
  bq.fail_bytes(
    'Bitwise binary operator for BYTES requires equal length of the inputs. Got '
    || octet_length(a)
    || ' bytes on the left hand side and '
    || octet_length(b)
    || ' bytes on the right hand side.'
  );

create macro bq.bytes_and(a, b) as
  case
    when octet_length(a) <> octet_length(b) then bq.unequal_bytes(a, b)
    when octet_length(b) = 0 then a
    when octet_length(a) > 0 then cast(try_cast(a as bit) & try_cast(b as bit) as blob)
  end;

create macro bq.bytes_or(a, b) as
  case
    when octet_length(a) <> octet_length(b) then bq.unequal_bytes(a, b)
    when octet_length(b) = 0 then a
    when octet_length(a) > 0 then cast(try_cast(a as bit) | try_cast(b as bit) as blob)
  end;

create macro bq.bytes_xor(a, b) as
  case
    when octet_length(a) <> octet_length(b) then bq.unequal_bytes(a, b)
    when octet_length(b) = 0 then a
    when octet_length(a) > 0 then cast(xor(try_cast(a as bit), try_cast(b as bit)) as blob)
  end;

create macro bq.bytes_not(a) as case when octet_length(a) = 0 then a else cast(~try_cast(a as bit) as blob) end;

create macro bq.bytes_shift_left(a, n) as
  case
    when n < 0 and a is not null then bq.fail_bytes('Bitwise left shift by negative offset.')
    when octet_length(a) = 0 and n is not null then a
    when octet_length(a) > 0 and n is not null
      then cast(try_cast(a as bit) << cast(least(n, bit_length(try_cast(a as bit))) as integer) as blob)
  end;

create macro bq.bytes_shift_right(a, n) as
  case
    when n < 0 and a is not null then bq.fail_bytes('Bitwise right shift by negative offset.')
    when octet_length(a) = 0 and n is not null then a
    when octet_length(a) > 0 and n is not null
      then cast(try_cast(a as bit) >> cast(least(n, bit_length(try_cast(a as bit))) as integer) as blob)
  end;

create macro bq.bytes_bit_count(a) as case when octet_length(a) = 0 then 0 else bit_count(try_cast(a as bit)) end;
