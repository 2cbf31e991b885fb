-- Intervals: https://cloud.google.com/bigquery/docs/reference/standard-sql/interval_functions
create macro bq.interval_months(x) as date_part('year', x) * 12 + date_part('month', x);
create macro bq.interval_days(x) as date_part('day', x);

create macro bq.interval_micros(x) as
  date_part('hour', x) * 3600000000 + date_part('minute', x) * 60000000 + date_part('microsecond', x);

create macro bq.interval_to_string(x) as
  case when bq.interval_months(x) < 0 then '-' else '' end
  || cast(abs(bq.interval_months(x)) // 12 as varchar)
  || '-'
  || cast(abs(bq.interval_months(x)) % 12 as varchar)
  || ' '
  || cast(date_part('day', x) as varchar)
  || ' '
  || case when bq.interval_micros(x) < 0 then '-' else '' end
  || cast(abs(bq.interval_micros(x)) // 3600000000 as varchar)
  || ':'
  || cast(abs(bq.interval_micros(x)) // 60000000 % 60 as varchar)
  || ':'
  || cast(abs(bq.interval_micros(x)) // 1000000 % 60 as varchar)
  || bq.fraction(abs(bq.interval_micros(x)));

create macro bq.interval_field(n, maximum, name) as
  case
    when n not between -maximum and maximum
      then bq.fail_int64(
        'Interval field '
        || name
        || ' '''
        || cast(n as varchar)
        || ''' is out of range -'
        || cast(maximum as varchar)
        || ' to '
        || cast(maximum as varchar)
      )
    else n
  end;

create macro bq.interval_from(months, days, micros) as
  to_months(cast(bq.interval_field(months, 120000, 'months') as bigint))
  + to_days(cast(bq.interval_field(days, 3660000, 'days') as bigint))
  + to_microseconds(cast(bq.interval_field(micros, 316224000000000000, 'microseconds') as bigint));

create macro bq.safe_interval_from(months, days, micros) as
  to_months(cast(case when months between -120000 and 120000 then months end as bigint))
  + to_days(cast(case when days between -3660000 and 3660000 then days end as bigint))
  + to_microseconds(cast(case when micros between -316224000000000000 and 316224000000000000 then micros end as bigint));

create macro bq.no_months(x) as
  case
    when bq.interval_months(x) <> 0
      then bq.fail_interval(
        'TIMESTAMP +/- INTERVAL is not supported for intervals with non-zero MONTH or YEAR part.'
      )
    else x
  end;

create macro bq.no_days(x) as
  case
    when bq.interval_months(x) <> 0 or bq.interval_days(x) <> 0
      then bq.fail_interval(
        'TIME_ADD and TIME_SUB do not support intervals with non-zero YEAR, MONTH or DAY part.'
      )
    else x
  end;

-- Adding more days than this to any DATE overflows, and so does adding this many: larger counts are cut to it.
create macro bq.days(n) as
  to_days(cast(case when n > 3660000 then 3660000 when n < -3660000 then -3660000 else n end as integer));

create macro bq.month_bucket(months, x, origin) as
  list_transform(
    [bq.floor_div(date_diff('month', origin, x), months) * months],
    lambda n: case
      when origin + to_months(cast(n as integer)) > x then origin + to_months(cast(n - months as integer))
      else origin + to_months(cast(n as integer))
    end
  )[1];

-- A large expression in a lambda costs time in each chunk of rows, even where no row needs it.
create macro bq.bucket(width, x, origin) as
  list_transform(
    [{
      months: bq.interval_months(width),
      us: bq.interval_days(width) * 86400000000 + bq.interval_micros(width),
      parts: cast(bq.interval_months(width) <> 0 as integer)
      + cast(bq.interval_days(width) <> 0 as integer)
      + cast(bq.interval_micros(width) <> 0 as integer),
      x: cast(x as timestamp),
      origin: cast(origin as timestamp)
    }],
    lambda v: case
      when v.x is null or v.origin is null then null
      when v.months < 0 or v.months = 0 and v.us <= 0
        then bq.fail_datetime('The width of a bucket must be positive')
      when v.parts > 1
        then bq.fail_datetime('The width of a bucket has only months, only days, or only hours and less')
      when v.months > 0 then bq.month_bucket(v.months, v.x, v.origin)
      else make_timestamp(epoch_us(v.x) - bq.positive_mod(epoch_us(v.x) - epoch_us(v.origin), v.us))
    end
  )[1];

create macro bq.interval_times(x, n) as
  bq.interval_from(
    cast(bq.interval_months(x) as hugeint) * n,
    cast(bq.interval_days(x) as hugeint) * n,
    cast(bq.interval_micros(x) as hugeint) * n
  );

create macro bq.interval_divide(x, n) as
  case
    when n = 0 and x is not null then bq.fail_interval('division by zero')
    else to_months(bq.interval_months(x) // n)
    + to_days((bq.interval_months(x) % n * 30 + bq.interval_days(x)) // n)
    + to_microseconds(
        cast(
          (
            cast((bq.interval_months(x) % n * 30 + bq.interval_days(x)) % n as hugeint) * 86400000000
            + bq.interval_micros(x)
          ) // n as bigint
        )
      )
  end;

create macro bq.same_sign(high, low) as
  case when high > 0 and low < 0 then -1 when high < 0 and low > 0 then 1 else 0 end;

create macro bq.carried(high, low, unit) as
  list_transform(
    [{h: high, l: low}],
    lambda v: {
      'high': v.h + v.l // unit + bq.same_sign(v.h + v.l // unit, v.l % unit),
      'low': v.l % unit - unit * bq.same_sign(v.h + v.l // unit, v.l % unit)
    }
  )[1];

create macro bq.justify_hours(x) as
  list_transform(
    [bq.carried(bq.interval_days(x), bq.interval_micros(x), 86400000000)],
    lambda j: bq.interval_from(bq.interval_months(x), j.high, j.low)
  )[1];

create macro bq.justify_days(x) as
  list_transform(
    [bq.carried(bq.interval_months(x), bq.interval_days(x), 30)],
    lambda j: bq.interval_from(j.high, j.low, bq.interval_micros(x))
  )[1];

create macro bq.justify_interval(x) as
  list_transform(
    [
      bq.carried(
        bq.interval_months(x),
        bq.interval_days(x) * 86400000000 + bq.interval_micros(x),
        2592000000000
      )
    ],
    lambda j: bq.interval_from(j.high, j.low // 86400000000, j.low % 86400000000)
  )[1];

create macro bq.make_interval(y, mo, d, h, mi, s) as
  case
    when y is not null and mo is not null and d is not null and h is not null and mi is not null and s is not null
      then bq.interval_from(
        cast(y as hugeint) * 12 + mo,
        d,
        ((cast(h as hugeint) * 60 + mi) * 60 + s) * 1000000
      )
  end;

-- The number of a part; 0 if it is absent, NULL if it is too large
create macro bq.interval_number(digits) as
  case when digits = '' then cast(0 as hugeint) else cast(try_cast(digits as bigint) as hugeint) end;

-- 'Y-M D H:M:S', and every part of it that cannot be mistaken for another: 'M D' or 'D H', and 'H:M' or 'M:S', can
create macro bq.interval_shape(x) as
  (strlen(x) - strlen(replace(x, ' ', ''))) * 100
  + (strlen(x) - strlen(replace(x, ':', ''))) * 10
  + cast(regexp_matches(x, '\d-') as integer);

create macro bq.read_interval(x) as
  list_transform(
    [
      regexp_extract(
        x,
        '^(?:([-+]?)(?:(\d+)-)?(\d+) )??(?:([-+]?\d+) )?(?:([-+]?)(\d+)(?::(\d+)(?::(\d+)(?:\.(\d{1,6}))?)?)?)$',
        ['ms', 'y', 'mo', 'd', 'ts', 'h', 'mi', 's', 'f']
      )
    ],
    lambda m: case
      when bq.interval_shape(x) in (220, 221, 210, 211, 200, 201, 120, 110, 20) and m.h <> ''
        then bq.safe_interval_from(
          case when m.ms = '-' then -1 else 1 end * (bq.interval_number(m.y) * 12 + bq.interval_number(m.mo)),
          bq.interval_number(m.d),
          case when m.ts = '-' then -1 else 1 end * (
            ((bq.interval_number(m.h) * 60 + bq.interval_number(m.mi)) * 60 + bq.interval_number(m.s)) * 1000000
            + coalesce(try_cast(rpad(m.f[:6], 6, '0') as bigint), 0)
          )
        )
    end
  )[1];

-- 'Y-M' and 'Y-M D'
create macro bq.read_month_interval(x) as
  list_transform(
    [regexp_extract(x, '^([-+]?)(\d+)-(\d+)(?: ([-+]?\d+))?$', ['ms', 'y', 'mo', 'd'])],
    lambda m: case
      when m.y <> ''
        then bq.safe_interval_from(
          case when m.ms = '-' then -1 else 1 end * (bq.interval_number(m.y) * 12 + bq.interval_number(m.mo)),
          bq.interval_number(m.d),
          0
        )
    end
  )[1];

-- An ISO 8601 duration. Parts may be negative, come in any order, and be repeated.
create macro bq.iso_sum(x, part) as
  coalesce(list_sum(list_transform(regexp_extract_all(x, '(-?\d+)' || part, 1), lambda n: cast(n as hugeint))), 0);

create macro bq.iso_micros(x) as
  coalesce(
    list_sum(
      list_transform(
        regexp_extract_all(x, '-?\d+(?:[.,]\d{1,6})?S'),
        lambda s: cast(cast(replace(rtrim(s, 'S'), ',', '.') as decimal(24, 6)) * 1000000 as hugeint)
      )
    ),
    0
  );

create macro bq.read_iso_interval(x) as
  case
    when regexp_full_match(x, 'P(?:-?0*\d{1,18}[YMWD])*(?:T(?:-?0*\d{1,18}[HM]|-?0*\d{1,18}(?:[.,]\d{1,6})?S)*)?') and x <> 'P'
      then list_transform(
        [{'day': split_part(x, 'T', 1), 'clock': split_part(x, 'T', 2)}],
        lambda p: bq.safe_interval_from(
          bq.iso_sum(p.day, 'Y') * 12 + bq.iso_sum(p.day, 'M'),
          bq.iso_sum(p.day, 'W') * 7 + bq.iso_sum(p.day, 'D'),
          bq.iso_sum(p.clock, 'H') * 3600000000
          + bq.iso_sum(p.clock, 'M') * 60000000
          + bq.iso_micros(p.clock)
        )
      )[1]
  end;

create macro bq.string_to_interval(x) as
  case
    when x is not null
      then coalesce(
        bq.read_interval(x),
        bq.read_month_interval(x),
        bq.read_iso_interval(x),
        bq.fail_interval('Invalid INTERVAL value ''' || x || '''')
      )
  end;
