-- Exact arithmetic on NUMERIC and BIGNUMERIC. The units of a number are its digits without the point, as a 128-bit integer.
create macro bq.decimal_units(x, unit) as
  cast(trunc(x) as hugeint) * unit + cast((x - trunc(x)) * unit as hugeint);

create macro bq.numeric_of_units(n) as
  case
    when abs(n) > 99999999999999999999999999999999999999 then bq.fail_numeric('numeric overflow')
    else cast(n // 1000000000 as decimal(29, 0)) + cast(n % 1000000000 as decimal(9, 0)) * 0.000000001
  end;

create macro bq.safe_numeric_of_units(n) as
  case
    when abs(n) <= 99999999999999999999999999999999999999
      then cast(n // 1000000000 as decimal(29, 0)) + cast(n % 1000000000 as decimal(9, 0)) * 0.000000001
  end;

create macro bq.bignumeric_of_units(n) as
  case
    when abs(n) > 99999999999999999999999999999999999999 then bq.fail_bignumeric('bignumeric overflow')
    else cast(n // 100000000 as decimal(30, 0)) + cast(n % 100000000 as decimal(8, 0)) * 0.00000001
  end;

create macro bq.safe_bignumeric_of_units(n) as
  case
    when abs(n) <= 99999999999999999999999999999999999999
      then cast(n // 100000000 as decimal(30, 0)) + cast(n % 100000000 as decimal(8, 0)) * 0.00000001
  end;

create macro bq.units_quotient(n, d, unit) as (n // d) * unit + (2 * (n % d) * unit + d) // (2 * d);

create macro bq.divide_units(n, d, unit) as
  case
    when d = 0 and n is not null then cast(bq.fail_int64('division by zero') as hugeint)
    when abs(n) // abs(d) >= 100000000000000000000000000000
      then cast(bq.fail_int64('numeric overflow') as hugeint)
    else sign(n) * sign(d) * case
      when abs(d) < 80000000000000000000000000000 then bq.units_quotient(abs(n), abs(d), unit)
      else bq.units_quotient(abs(n) // unit, abs(d) // unit, unit)
    end
  end;

create macro bq.numeric_divide(a, b) as
  list_transform(
    [{'n': bq.decimal_units(a, 1000000000), 'd': bq.decimal_units(b, 1000000000)}],
    lambda v: bq.numeric_of_units(bq.divide_units(v.n, v.d, 1000000000))
  )[1];

create macro bq.bignumeric_divide(a, b) as
  list_transform(
    [{'n': bq.decimal_units(a, 100000000), 'd': bq.decimal_units(b, 100000000)}],
    lambda v: case
      when v.d <> 0 and (abs(v.n) % abs(v.d)) * 100000000 % abs(v.d) <> 0
        then bq.fail_bignumeric(
          'BIGNUMERIC is limited to 30 digits before the point and 8 behind it: a quotient'
        )
      else bq.bignumeric_of_units(bq.divide_units(v.n, v.d, 100000000))
    end
  )[1];

-- Sums that must not overflow: the greatest number less one of the summands never does.
create macro bq.sum_within(a, b, most) as
  case when case when b < 0 then a < -most - b else a > most - b end then null else a + b end;

create macro bq.safe_numeric_add(a, b) as bq.sum_within(a, b, 99999999999999999999999999999.999999999);
create macro bq.safe_numeric_subtract(a, b) as bq.safe_numeric_add(a, -b);
create macro bq.safe_bignumeric_add(a, b) as bq.sum_within(a, b, 999999999999999999999999999999.99999999);
create macro bq.safe_bignumeric_subtract(a, b) as bq.safe_bignumeric_add(a, -b);

create macro bq.numeric_multiply(a, b) as
  trunc(a) * b + (a - trunc(a)) * trunc(b) + round((a - trunc(a)) * (b - trunc(b)), 9);

-- The units of a product: 128 bits hold those of a product that is not much too large.
create macro bq.product_units(a, b, unit, fraction) as
  cast(trunc(a) as hugeint) * cast(trunc(b) as hugeint) * unit
  + cast(trunc(a) as hugeint) * cast((b - trunc(b)) * unit as hugeint)
  + cast(trunc(b) as hugeint) * cast((a - trunc(a)) * unit as hugeint)
  + cast(fraction * unit as hugeint);

create macro bq.safe_numeric_multiply(a, b) as
  case
    when abs(cast(a as double)) * abs(cast(b as double)) < 1.1e29
      then list_transform(
        [bq.product_units(a, b, 1000000000, round((a - trunc(a)) * (b - trunc(b)), 9))],
        lambda n: bq.safe_numeric_of_units(n)
      )[1]
  end;

create macro bq.bignumeric_multiply(a, b) as
  case
    when round((a - trunc(a)) * (b - trunc(b)), 8) <> (a - trunc(a)) * (b - trunc(b))
      then bq.fail_bignumeric(
        'BIGNUMERIC is limited to 30 digits before the point and 8 behind it: '
        || bq.decimal_to_string(a)
        || ' * '
        || bq.decimal_to_string(b)
      )
    else trunc(a) * b + (a - trunc(a)) * trunc(b) + round((a - trunc(a)) * (b - trunc(b)), 8)
  end;

create macro bq.safe_bignumeric_multiply(a, b) as
  case
    when abs(cast(a as double)) * abs(cast(b as double)) < 1.1e30
      and round((a - trunc(a)) * (b - trunc(b)), 8) = (a - trunc(a)) * (b - trunc(b))
      then list_transform(
        [bq.product_units(a, b, 100000000, round((a - trunc(a)) * (b - trunc(b)), 8))],
        lambda n: bq.safe_bignumeric_of_units(n)
      )[1]
  end;

create macro bq.numeric_div(a, b) as
  case
    when b = 0 and a is not null then cast(bq.fail_int64('division by zero') as decimal(38, 0))
    else cast(bq.decimal_units(a, 1000000000) // bq.decimal_units(b, 1000000000) as decimal(38, 0))
  end;

create macro bq.bignumeric_div(a, b) as
  case
    when b = 0 and a is not null then cast(bq.fail_int64('division by zero') as decimal(38, 0))
    else cast(bq.decimal_units(a, 100000000) // bq.decimal_units(b, 100000000) as decimal(38, 0))
  end;

create macro bq.numeric_mod(a, b) as
  case when b = 0 and a is not null then bq.fail_numeric('division by zero') else a % b end;

create macro bq.bignumeric_mod(a, b) as
  case when b = 0 and a is not null then bq.fail_bignumeric('division by zero') else a % b end;

create macro bq.round_even_decimal(x, digits, unit) as
  case
    when 2 * abs(x - trunc(x, digits)) = unit and trunc(x, digits) % (2 * unit) = 0 then trunc(x, digits)
    else round(x, digits)
  end;
