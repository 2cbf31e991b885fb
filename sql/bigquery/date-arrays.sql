-- GENERATE_DATE_ARRAY and GENERATE_TIMESTAMP_ARRAY. Each element is computed from the start, so that months do not drift (31 January, 28 February, 31 March).
create macro bq.series_length(a, b, months, us) as
  case
    when months <> 0 and us <> 0
      then bq.fail_int64('An array of dates steps by months or by days, not by both')
    when months <> 0
      then case
        when (b - a >= to_days(0)) = (months > 0) or a = b
          then abs(date_diff('month', a, b)) // abs(months) + 1
        else 0
      end
    when us = 0 then bq.fail_int64('Sequence step cannot be 0.')
    when a = b then 1
    when (b > a) = (us > 0) then (epoch_us(b) - epoch_us(a)) // us + 1
    else 0
  end;

create macro bq.civil_series(a, b, months, us) as
  list_filter(
    list_transform(
      range(bq.bounded(bq.series_length(a, b, months, us), 10000)),
      lambda i: a + to_months(i * months) + to_microseconds(i * us)
    ),
    lambda x: case when months + us > 0 then x <= b else x >= b end
  );

create macro bq.series(a, b, step) as
  case
    when a is not null and b is not null and step is not null
      then bq.civil_series(
        a,
        b,
        bq.interval_months(step),
        bq.interval_days(step) * 86400000000 + bq.interval_micros(step)
      )
  end;

create macro bq.timestamp_series(a, b, step) as
  list_transform(
    bq.series(timezone('UTC', a), timezone('UTC', b), bq.no_months(step)),
    lambda x: timezone('UTC', x)
  );
