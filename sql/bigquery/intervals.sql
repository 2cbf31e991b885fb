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

create macro bq.no_months(x) as
  case
    when bq.interval_months(x) <> 0
      then bq.fail_interval(
        'TIMESTAMP +/- INTERVAL is not supported for intervals with non-zero MONTH or YEAR part.'
      )
    else x
  end;

create macro bq.interval_times(x, n) as
  bq.interval_from(bq.interval_months(x) * n, bq.interval_days(x) * n, bq.interval_micros(x) * n);

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

create macro bq.same_sign(high, low, unit) as
  case when high > 0 and low < 0 then -1 when high < 0 and low > 0 then 1 else 0 end;

create macro bq.carried(high, low, unit) as
  {
    'high': high + low // unit + bq.same_sign(high + low // unit, low % unit, unit),
    'low': low % unit - unit * bq.same_sign(high + low // unit, low % unit, unit)
  };

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
  bq.interval_from(y * 12 + mo, d, ((h * 60 + mi) * 60 + s) * 1000000);

create macro bq.read_interval(x) as
  list_transform(
    [
      regexp_extract(
        x,
        '^([-+]?)(\d+)-(\d+) ([-+]?\d+) ([-+]?)(\d+):(\d+):(\d+)(?:\.(\d{1,6}))?$',
        ['ms', 'y', 'mo', 'd', 'ts', 'h', 'mi', 's', 'f']
      )
    ],
    lambda m: case when m.ms = '-' then -1 else 1 end * to_months(
      cast(m.y as bigint) * 12 + cast(m.mo as bigint)
    ) + to_days(cast(m.d as bigint)) + case when m.ts = '-' then -1 else 1 end * to_microseconds(
      ((cast(m.h as bigint) * 60 + cast(m.mi as bigint)) * 60 + cast(m.s as bigint)) * 1000000
      + coalesce(try_cast(rpad(m.f[:6], 6, '0') as bigint), 0)
    )
  )[1];

create macro bq.read_iso_interval(x) as
  list_transform(
    [
      regexp_extract(
        x,
        '^(P)(?:(-?\d+)Y)?(?:(-?\d+)M)?(?:(-?\d+)W)?(?:(-?\d+)D)?(?:T(?:(-?\d+)H)?(?:(-?\d+)M)?(?:(-?\d+(?:\.\d{1,6})?)S)?)?$',
        ['p', 'y', 'mo', 'w', 'd', 'h', 'mi', 's']
      )
    ],
    lambda m: case
      when m.p = 'P' and regexp_matches(x, '\d[A-Z]$')
        then to_months(bq.part(m.y, 0) * 12 + bq.part(m.mo, 0))
        + to_days(bq.part(m.w, 0) * 7 + bq.part(m.d, 0))
        + to_microseconds(
            (bq.part(m.h, 0) * 60 + bq.part(m.mi, 0)) * 60000000
            + cast(coalesce(try_cast(m.s as decimal(18, 6)), 0) * 1000000 as bigint)
          )
    end
  )[1];

create macro bq.string_to_interval(x) as
  case
    when x is not null
      then coalesce(
        try(bq.read_interval(x)),
        try(bq.read_iso_interval(x)),
        bq.fail_interval('Invalid INTERVAL value ''' || x || '''')
      )
  end;
