-- PARSE_DATE, PARSE_TIMESTAMP and so on: `m` is the struct of the parts that the format's regular expression found
create macro bq.month_number(name) as
  (strpos('janfebmaraprmayjunjulaugsepoctnovdec', lower(name[:3])) + 2) // 3;

create macro bq.parsed_year(m) as
  case
    when m.cy <> '' then 2000 + bq.part(m.cy, 0)
    when m.rr <> '' then case when bq.part(m.rr, 0) < 50 then 2000 else 1900 end + bq.part(m.rr, 0)
    when m.yy <> '' or m.century <> ''
      then 100 * bq.part(m.century, case when bq.part(m.yy, 0) < 69 then 20 else 19 end) + bq.part(m.yy, 0)
    else bq.part(m.y, 1970)
  end;

create macro bq.parsed_month(m) as
  case
    when m.monthname <> '' then bq.month_number(m.monthname)
    when m.quarter <> '' then bq.part(m.quarter, 1) * 3 - 2
    else bq.part(m.mo, 1)
  end;

-- The days from Monday to a weekday, given by its name or its number, where Sunday is 0 or 7
create macro bq.days_from_monday(m) as
  case
    when m.weekday = '' then 0
    when regexp_full_match(m.weekday, '\d') then (bq.part(m.weekday, 1) + 6) % 7
    else (strpos('montuewedthufrisatsun', lower(m.weekday[:3])) - 1) // 3
  end;

create macro bq.parsed_iso_year(m) as
  case
    when m.isoyy <> '' then case when bq.part(m.isoyy, 0) < 69 then 2000 else 1900 end + bq.part(m.isoyy, 0)
    when bq.part(m.isoyear, 1) between 0 and 10000 then bq.part(m.isoyear, 1)
  end;

create macro bq.iso_weeks(year) as date_part('week', make_date(year, 12, 28));

-- The ISO year begins with the week of January 4
create macro bq.parsed_iso_date(m) as
  list_transform(
    [make_date(bq.parsed_iso_year(m), 1, 4)],
    lambda d: case
      when bq.part(m.isoweek, 1) between 1 and bq.iso_weeks(bq.parsed_iso_year(m))
        and bq.part(m.isoday, 1) between 1 and 7 * bq.iso_weeks(bq.parsed_iso_year(m))
      then d
      + cast(
        1 - date_part('isodow', d)
        + 7 * (bq.part(m.isoweek, 1) - 1)
        + bq.days_from_monday(m)
        + bq.part(m.isoday, 1) - 1
        as integer
      )
    end
  )[1];

-- Week 1 begins on the first Sunday, or Monday, of the year
create macro bq.first_week(year, isodow) as
  make_date(year, 1, 1) + cast((7 + isodow - date_part('isodow', make_date(year, 1, 1))) % 7 as integer);

-- A week of the year, which must begin in it or be week 0 before a later week 1
create macro bq.week_date(year, week, isodow, days) as
  list_transform(
    [bq.first_week(year, isodow)],
    lambda d: case
      when week > 0 and date_part('year', d + cast(7 * (week - 1) as integer)) = year
        or week = 0 and date_part('day', d) > 1
      then d + cast(7 * (week - 1) + days as integer)
    end
  )[1];

create macro bq.parsed_setter_date(m) as
  case
    when m.sundays <> ''
      then bq.week_date(
        bq.parsed_year(m),
        bq.part(m.sundays, 0),
        7,
        case when m.weekday = '' then 0 else (bq.days_from_monday(m) + 1) % 7 end
      )
    when m.mondays <> ''
      then bq.week_date(bq.parsed_year(m), bq.part(m.mondays, 0), 1, bq.days_from_monday(m))
    when bq.part(m.doy, 0) between 1 and date_part('doy', make_date(bq.parsed_year(m), 12, 31))
      then make_date(bq.parsed_year(m), 1, 1) + cast(bq.part(m.doy, 0) - 1 as integer)
  end;

-- The date that a week or a day of the year gives. Years, months and days that follow it in the format replace its own.
create macro bq.later_parts(date, m) as
  list_transform(
    [date],
    lambda v: case
      when v is not null
        then bq.civil_date(
          case when m.late <> '' then bq.parsed_year(m) else date_part('year', v) end,
          case
            when m.mo <> '' or m.monthname <> '' or m.quarter <> '' then bq.parsed_month(m)
            else date_part('month', v)
          end,
          bq.part(m.d, case when m.quarter <> '' then 1 else date_part('day', v) end)
        )
    end
  )[1];

create macro bq.parsed_date(m) as
  case
    when m.isoyear <> '' or m.isoyy <> '' then bq.parsed_iso_date(m)
    when m.sundays <> '' or m.mondays <> '' or m.doy <> '' then bq.later_parts(bq.parsed_setter_date(m), m)
    else bq.civil_date(bq.parsed_year(m), bq.parsed_month(m), bq.part(m.d, 1))
  end;

create macro bq.parsed_hour(m) as
  case
    when m.hour12 = '' then bq.part(m.h, 0)
    when bq.part(m.hour12, 0) between 1 and 12
      then bq.part(m.hour12, 0) % 12 + case when lower(m.meridian[1]) = 'p' then 12 else 0 end
  end;

create macro bq.parsed_civil(m) as
  case
    when m.epoch <> '' then timestamp '1970-01-01' + to_seconds(try_cast(m.epoch as bigint))
    else bq.parsed_date(m)
    + to_microseconds(bq.time_micros(bq.parsed_hour(m), bq.part(m.mi, 0), bq.part(m.s, 0), m.f))
  end;

create macro bq.in_range(t) as
  list_transform(
    [t],
    lambda v: case when v between timestamp '0001-01-01' and timestamp '9999-12-31 23:59:59.999999' then v end
  )[1];

create macro bq.parsed_datetime(x, m) as
  case
    when x is not null
      then coalesce(
        case when m.found <> '' then bq.in_range(bq.parsed_civil(m)) end,
        bq.fail_datetime('Failed to parse input string "' || x || '"')
      )
  end;

-- The same if all parts are plain: years, months, days, hours, minutes and seconds
create macro bq.plain_civil(m) as
  list_transform(
    [{
      y: bq.part(m.y, 1970),
      mo: bq.part(m.mo, 1),
      d: bq.part(m.d, 1),
      h: bq.part(m.h, 0),
      mi: bq.part(m.mi, 0),
      s: bq.part(m.s, 0),
      f: m.f
    }],
    lambda p: bq.civil_date(p.y, p.mo, p.d) + to_microseconds(bq.time_micros(p.h, p.mi, p.s, p.f))
  )[1];

create macro bq.parsed_plain(x, m) as
  case
    when x is not null
      then coalesce(
        case when m.found <> '' then bq.in_range(bq.plain_civil(m)) end,
        bq.fail_datetime('Failed to parse input string "' || x || '"')
      )
  end;

create macro bq.parsed_timestamp(x, m, zone) as
  case
    when x is not null and zone is not null
      then case
        when m.epoch <> '' then timezone('UTC', bq.parsed_datetime(x, m))
        else bq.from_civil(
          bq.parsed_datetime(x, m),
          case when upper(m.zone) = 'Z' then 'UTC' when m.zone <> '' then m.zone else zone end
        )
      end
  end;
