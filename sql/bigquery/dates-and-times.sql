-- Dates and times: https://cloud.google.com/bigquery/docs/reference/standard-sql/timestamp_functions

-- Floor and modulo that are also correct before 1970, for negative numbers
create macro bq.positive_mod(a, b) as ((a % b) + b) % b;
create macro bq.floor_div(a, b) as (a - bq.positive_mod(a, b)) // b;

create macro bq.fraction(us) as
  case
    when us % 1000000 = 0 then ''
    when us % 1000 = 0 then '.' || lpad(cast((us % 1000000) // 1000 as varchar), 3, '0')
    else '.' || lpad(cast(us % 1000000 as varchar), 6, '0')
  end;

-- Casts
create macro bq.timestamp_to_string(x) as
  strftime(make_timestamp(epoch_us(x)), '%Y-%m-%d %H:%M:%S')
  || bq.fraction(bq.positive_mod(epoch_us(x), 1000000))
  || '+00';

create macro bq.datetime_to_string(x) as
  strftime(x, '%Y-%m-%d %H:%M:%S') || bq.fraction(bq.positive_mod(epoch_us(x), 1000000));

create macro bq.time_to_string(x) as strftime(date '2000-01-01' + x, '%H:%M:%S') || bq.fraction(epoch_us(x));
create macro bq.timestamp_to_datetime(x) as make_timestamp(epoch_us(x));
create macro bq.timestamp_to_date(x) as cast(make_timestamp(epoch_us(x)) as date);
create macro bq.timestamp_to_time(x) as cast(make_timestamp(epoch_us(x)) as time);
create macro bq.datetime_to_timestamp(x) as make_timestamptz(epoch_us(x));
create macro bq.date_to_timestamp(x) as make_timestamptz(epoch_us(cast(x as timestamp)));
create macro bq.date_to_string(x) as cast(x as varchar);

-- The value, or a failure if it is outside the years 1 to 9999
create macro bq.date_checked(x, message) as
  case
    when x not between date '0001-01-01' and date '9999-12-31' then bq.fail_date(message)
    else cast(x as date)
  end;

create macro bq.datetime_checked(x, message) as
  case
    when x not between timestamp '0001-01-01' and timestamp '9999-12-31 23:59:59.999999'
      then bq.fail_datetime(message)
    else x
  end;

create macro bq.timestamp_checked(x, message) as
  case
    when epoch_us(x) not between -62135596800000000 and 253402300799999999 then bq.fail_timestamp(message)
    else x
  end;

-- Time zones that are only known at run time: an offset such as +05:30, or a name
create macro bq.is_offset(zone) as regexp_full_match(zone, '(UTC)?[-+]\d{1,2}(:?\d{2})?');

create macro bq.offset_micros(zone) as
  case when contains(zone, '-') then -60000000 else 60000000 end * (
    60 * cast(regexp_extract(zone, '[-+](\d{1,2}?)(:?\d{2})?$', 1) as bigint)
    + coalesce(try_cast(regexp_extract(zone, '[-+]\d{1,2}?:?(\d{2})$', 1) as bigint), 0)
  );

create macro bq.zone_name(zone) as
  case
    when zone is not null
      and (
        try_cast('2000-01-01 00:00:00 ' || zone as timestamptz) is null
        or not regexp_full_match(zone, '[A-Za-z][\w/+:-]*')
        or (
          length(zone) = 3
          and upper(zone) not in ('UTC', 'GMT', 'EST', 'MST', 'HST', 'CET', 'EET', 'MET', 'WET', 'PRC', 'ROC', 'ROK', 'UCT')
        )
      )
    then bq.fail_string('Invalid time zone: ' || zone)
    else zone
  end;

create macro bq.instant_in(civil, name) as
  case
    when timezone(name, timezone(name, civil) - to_hours(1)) = civil then timezone(name, civil) - to_hours(1)
    else timezone(name, civil)
  end;

create macro bq.to_civil(x, zone) as
  case
    when bq.is_offset(zone) then timezone('UTC', x) + to_microseconds(bq.offset_micros(zone))
    else timezone(bq.zone_name(zone), x)
  end;

create macro bq.from_civil(x, zone) as
  case
    when bq.is_offset(zone) then timezone('UTC', x - to_microseconds(bq.offset_micros(zone)))
    else bq.instant_in(x, bq.zone_name(zone))
  end;

create macro bq.offset_text(micros, separator) as
  case when micros < 0 then '-' else '+' end
  || lpad(cast(abs(micros) // 3600000000 as varchar), 2, '0')
  || separator
  || lpad(cast(abs(micros) // 60000000 % 60 as varchar), 2, '0');

create macro bq.timestamp_text(civil, micros) as
  bq.datetime_to_string(civil) || regexp_replace(bq.offset_text(micros, ':'), ':00$', '');

create macro bq.zone_text(micros) as
  'UTC'
  || case
      when micros = 0 then ''
      when micros % 3600000000 = 0 then regexp_replace(bq.offset_text(micros, ':'), '^([-+])0?(\d+):00$', '\1\2')
      else bq.offset_text(micros, '')
    end;

-- Casts from texts: first the parts of the text, then its civil time, which is NULL if the text is invalid
create macro bq.time_micros(h, mi, s, f) as
  case
    when h <= 23 and mi <= 59 and s <= 60
      then ((h * 60 + mi) * 60 + s) * 1000000
      + case when s < 60 then coalesce(try_cast(rpad(f[:6], 6, '0') as bigint), 0) else 0 end
  end;

create macro bq.month_length(y, mo) as
  case
    when mo = 2 then case when y % 4 = 0 and (y % 100 <> 0 or y % 400 = 0) then 29 else 28 end
    when mo in (4, 6, 9, 11) then 30
    else 31
  end;

create macro bq.civil_date(y, mo, d) as
  case
    when y between 1 and 9999 and mo between 1 and 12 and d between 1 and 28
      then make_date(cast(y as bigint), cast(mo as bigint), cast(d as bigint))
    when y between 1 and 9999 and mo between 1 and 12 and d between 29 and bq.month_length(y, mo)
      then make_date(cast(y as bigint), cast(mo as bigint), cast(d as bigint))
  end;

create macro bq.part(text, otherwise) as coalesce(try_cast(text as bigint), otherwise);

create macro bq.civil_parts(x) as
  regexp_extract(
    x,
    '^(\d{4})-(\d{1,2})-(\d{1,2})(?:[ Tt](\d{1,2}):(\d{1,2}):(\d{1,2})(?:\.(\d{0,6}))?)?((?: ?(?:[Zz]|[-+]\d{1,2}(?::?\d{2})?)| [A-Za-z][\w/+-]*)?)$',
    ['y', 'mo', 'd', 'h', 'mi', 's', 'f', 'zone']
  );

-- The parts of a match are valid or not; the year 0 is not.
create macro bq.civil_of(m) as
  case when m.y not in ('', '0000') then try_cast(m.y || '-' || m.mo || '-' || m.d as date) end
  + to_microseconds(
    case
      when m.h = '' then 0
      else bq.time_micros(try_cast(m.h as bigint), try_cast(m.mi as bigint), try_cast(m.s as bigint), m.f)
    end
  );

-- A large expression in a lambda costs time in each chunk of rows, even where no row needs it.
create macro bq.read_timestamp(x) as
  list_transform(
    list_transform([bq.civil_parts(x)], lambda m: {civil: bq.civil_of(m), zone: trim(m.zone)}),
    lambda r: case
      when r.zone in ('', 'Z', 'z') then bq.datetime_to_timestamp(r.civil)
      else bq.from_civil(r.civil, r.zone)
    end
  )[1];

create macro bq.read_civil(x) as
  list_transform([bq.civil_parts(x)], lambda m: case when m.y <> '' and m.zone = '' then bq.civil_of(m) end)[1];

create macro bq.read_time(x) as
  list_transform(
    [regexp_extract(x, '^(\d{1,2}):(\d{1,2}):(\d{1,2})(?:\.(\d{0,6}))?$', ['h', 'mi', 's', 'f'])],
    lambda m: bq.time_micros(try_cast(m.h as bigint), try_cast(m.mi as bigint), try_cast(m.s as bigint), m.f)
  )[1];

create macro bq.string_to_timestamp(x) as
  case
    when regexp_full_match(
        x,
        '[1-9]\d{3}-\d\d-\d\d([ T]([01]\d|2[0-3]):\d\d:[0-5]\d(\.\d{1,6})?(Z|[-+](0\d|1[0-3])(:[0-5]\d)?)?)?'
      )
    then coalesce(try_cast(x as timestamptz), bq.fail_timestamp('Invalid timestamp: ''' || x || ''''))
    when x is not null
      then coalesce(bq.read_timestamp(x), bq.fail_timestamp('Invalid timestamp: ''' || x || ''''))
  end;

-- DATE(text) and DATETIME(text) read a TIMESTAMP
create macro bq.timestamp_text_to_date(x) as cast(timezone('UTC', bq.string_to_timestamp(x)) as date);

create macro bq.timestamp_text_to_datetime(x) as timezone('UTC', bq.string_to_timestamp(x));

-- DuckDB reads the usual form itself.
create macro bq.read_plain_civil(x) as
  case
    when regexp_full_match(x, '[1-9]\d{3}-\d\d-\d\d([ T]([01]\d|2[0-3]):\d\d:[0-5]\d(\.\d{1,6})?)?')
      then try_cast(x as timestamp)
    else bq.read_civil(x)
  end;

create macro bq.string_to_datetime(x) as
  case
    when x is not null
      then coalesce(bq.read_plain_civil(x), bq.fail_datetime('Invalid datetime string "' || x || '"'))
  end;

create macro bq.string_to_date(x) as
  case
    when x is not null
      then cast(
        coalesce(
          case when not contains(x, ':') then bq.read_plain_civil(x) end,
          bq.fail_datetime('Invalid date: ''' || x || '''')
        ) as date
      )
  end;

create macro bq.string_to_time(x) as
  case
    when x is not null
      then cast(
        make_timestamp(coalesce(bq.read_time(x), bq.fail_int64('Invalid time string "' || x || '"'))) as time
      )
  end;

create macro bq.string_without_zone(x) as
  case
    when x is not null then coalesce(bq.read_civil(x), bq.fail_datetime('Invalid timestamp: ''' || x || ''''))
  end;

-- A number in a message, with zeros before it
create macro bq.digits(n, least) as
  lpad(cast(n as varchar), cast(greatest(least, length(cast(n as varchar))) as integer), '0');

-- Constructors: https://cloud.google.com/bigquery/docs/reference/standard-sql/date_functions#date
create macro bq.date_of(y, mo, d) as
  case
    when y is not null and mo is not null and d is not null
      then coalesce(
        bq.civil_date(y, mo, d),
        bq.fail_date(
          'Input calculates to invalid date: '
          || bq.digits(y, 4)
          || '-'
          || bq.digits(mo, 2)
          || '-'
          || bq.digits(d, 2)
        )
      )
  end;

-- Microseconds since midnight; a leap second is the next one
create macro bq.day_micros(h, mi, s) as
  case
    when h between 0 and 23 and mi between 0 and 59 and s between 0 and 60
      then ((h * 60 + mi) * 60 + s) * 1000000
    else bq.fail_int64(
      'Input calculates to invalid time: '
      || bq.digits(h, 2)
      || ':'
      || bq.digits(mi, 2)
      || ':'
      || bq.digits(s, 2)
    )
  end;

create macro bq.time_of(h, mi, s) as
  case
    when h is not null and mi is not null and s is not null
      then cast(make_timestamp(bq.day_micros(h, mi, s)) as time)
  end;

create macro bq.datetime_of(y, mo, d, h, mi, s) as
  case
    when y is not null and mo is not null and d is not null and h is not null and mi is not null and s is not null
      then bq.datetime_checked(
        cast(bq.date_of(y, mo, d) as timestamp) + to_microseconds(bq.day_micros(h, mi, s)),
        'Input calculates to invalid datetime'
      )
  end;

create macro bq.unix_date(x) as cast(cast(x as date) - date '1970-01-01' as bigint);

create macro bq.date_from_unix_date(n) as
  date '1970-01-01'
  + cast(
      case
        when n between -719162 and 2932896 then n
        else bq.fail_int64(
          'DATE_FROM_UNIX_DATE range is [-719162, 2932896]; ' || cast(n as varchar) || ' is outside'
        )
      end as integer
    );

create macro bq.unix_millis(x) as bq.floor_div(epoch_us(x), 1000);
create macro bq.unix_seconds(x) as bq.floor_div(epoch_us(x), 1000000);

create macro bq.timestamp_from_unix(n, unit) as
  make_timestamptz(
    case
      when n between -62135596800000000 // unit and 253402300799999999 // unit then n * unit
      else bq.fail_int64(
        'Timestamp value '
        || cast(n as varchar)
        || ' is out of allowed range: from 0001-01-01 00:00:00.000000+00 to 9999-12-31 23:59:59.999999+00'
      )
    end
  );

-- Truncating to a part of constant length in UTC is arithmetic
create macro bq.timestamp_floor(x, us) as make_timestamptz(epoch_us(x) - ((epoch_us(x) % us) + us) % us);
create macro bq.datetime_floor(x, us) as make_timestamp(epoch_us(x) - bq.positive_mod(epoch_us(x), us));

create macro bq.zoned_floor(x, civil, us) as
  make_timestamptz(epoch_us(x) - bq.positive_mod(epoch_us(civil), us));

-- Weeks that begin `shift` days before a Monday, and parts of formats
create macro bq.week_floor(x, shift) as
  date_trunc('week', cast(x as timestamp) + to_days(shift)) - to_days(shift);

create macro bq.week_number(x, first) as
  (date_part('doy', x) + 6 - (date_part('dow', x) + 7 - first) % 7) // 7;

create macro bq.iso_day_text(x) as
  lpad(cast(date_diff('day', cast(date_trunc('isoyear', x) as timestamp), x) + 1 as varchar), 3, '0');

create macro bq.seconds_text(x, digits) as
  strftime(x, '%S')
  || case
      when digits = 0 then ''
      else '.'
      || rpad(lpad(cast(bq.positive_mod(epoch_us(x), 1000000) as varchar), 6, '0')[:digits], digits, '0')
    end;

create macro bq.all_seconds_text(x) as
  strftime(x, '%S')
  || case
      when epoch_us(x) % 1000000 = 0 then ''
      else '.' || rtrim(lpad(cast(bq.positive_mod(epoch_us(x), 1000000) as varchar), 6, '0'), '0')
    end;
