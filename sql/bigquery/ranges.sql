-- Ranges: https://cloud.google.com/bigquery/docs/reference/standard-sql/range-functions
-- A range is a struct of its bounds, which are never NULL: an open bound is infinite, so that DuckDB compares such structs as
-- BigQuery compares ranges. Where a function needs a type, there is a cast: a field of a constant NULL has none.
create macro bq.range_start(r) as nullif(r.start, '-infinity');
create macro bq.range_end(r) as nullif(r.stop, 'infinity');
create macro bq.range_contains(r, x) as r.start <= x.start and x.stop <= r.stop;
create macro bq.range_contains_value(r, x) as r.start <= x and x < r.stop;
create macro bq.range_overlaps(x, y) as x.start < y.stop and y.start < x.stop;

create macro bq.range_text(r, start, stop) as
  '[' || case when not isfinite(r.start) then 'UNBOUNDED' else start end
  || ', ' || case when not isfinite(r.stop) then 'UNBOUNDED' else stop end || ')';

create macro bq.range_date_to_string(r) as
  bq.range_text(r, bq.date_to_string(r.start), bq.date_to_string(r.stop));

create macro bq.range_datetime_to_string(r) as
  bq.range_text(
    r,
    bq.datetime_to_string(cast(r.start as timestamp)),
    bq.datetime_to_string(cast(r.stop as timestamp))
  );

create macro bq.range_timestamp_to_string(r) as
  bq.range_text(
    r,
    bq.timestamp_to_string(cast(r.start as timestamptz)),
    bq.timestamp_to_string(cast(r.stop as timestamptz))
  );

-- NULL if a bound is NULL
create macro bq.checked_range(r) as
  case
    when case
        when r.start >= r.stop then bq.fail_bool('Range start element must be smaller than range end element')
        else r.start < r.stop
      end
      then r
  end;

create macro bq.range_of(a, b) as
  list_transform(
    [{'start': coalesce(a, '-infinity'), 'stop': coalesce(b, 'infinity')}],
    lambda r: bq.checked_range(r)
  )[1];

create macro bq.range_intersect(x, y) as
  case
    when case
        when not bq.range_overlaps(x, y)
          then bq.fail_bool(
            'Provided RANGE inputs: '
            || bq.range_text(x, cast(x.start as varchar), cast(x.stop as varchar))
            || ' and '
            || bq.range_text(y, cast(y.start as varchar), cast(y.stop as varchar))
            || ' do not overlap'
          )
        else bq.range_overlaps(x, y)
      end
      then {'start': greatest(x.start, y.start), 'stop': least(x.stop, y.stop)}
  end;

-- The texts of the bounds
create macro bq.range_parts(x) as
  list_transform(
    [regexp_extract(x, '^\[([^,\s](?:[^,]*[^,\s])?), ([^,\s](?:[^,]*[^,\s])?)\)$', ['start', 'stop'])],
    lambda v: case
      when case
          when v.start = ''
            then bq.fail_bool(
              'Failed to parse range: range must be formatted exactly as [START, END) (found ' || x || ')'
            )
          else v.start <> ''
        end
        then v
    end
  )[1];

create macro bq.is_open(bound) as upper(bound) in ('UNBOUNDED', 'NULL');

create macro bq.string_to_range_date(x) as
  list_transform(
    list_transform(
      [bq.range_parts(x)],
      lambda v: {
        'start': case when bq.is_open(v.start) then date '-infinity' else bq.string_to_date(v.start) end,
        'stop': case when bq.is_open(v.stop) then date 'infinity' else bq.string_to_date(v.stop) end
      }
    ),
    lambda r: bq.checked_range(r)
  )[1];

create macro bq.string_to_range_datetime(x) as
  list_transform(
    list_transform(
      [bq.range_parts(x)],
      lambda v: {
        'start': case when bq.is_open(v.start) then timestamp '-infinity' else bq.string_to_datetime(v.start) end,
        'stop': case when bq.is_open(v.stop) then timestamp 'infinity' else bq.string_to_datetime(v.stop) end
      }
    ),
    lambda r: bq.checked_range(r)
  )[1];

create macro bq.string_to_range_timestamp(x) as
  list_transform(
    list_transform(
      [bq.range_parts(x)],
      lambda v: {
        'start': case when bq.is_open(v.start) then timestamptz '-infinity' else bq.string_to_timestamp(v.start) end,
        'stop': case when bq.is_open(v.stop) then timestamptz 'infinity' else bq.string_to_timestamp(v.stop) end
      }
    ),
    lambda r: bq.checked_range(r)
  )[1];

-- GENERATE_RANGE_ARRAY. Each bound is computed from the start, so that months do not drift.
create macro bq.range_steps(r, months, days, us, part) as
  case
    when not isfinite(r.start) or not isfinite(r.stop)
      then bq.fail_int64('input RANGE cannot have UNBOUNDED endpoints')
    when least(months, days, us) < 0 then bq.fail_int64('step cannot be negative')
    when months > 0 and (days > 0 or us > 0)
      then bq.fail_int64('step should either have the Y-M part or the ' || part || ' part')
    when months > 0 then date_diff('month', r.start, r.stop) // months + 1
    when days > 0 or us > 0
      then (epoch_us(r.stop) - epoch_us(r.start) - 1) // (days * 86400000000 + us) + 1
    when months = 0 then bq.fail_int64('step cannot be 0')
  end;

create macro bq.civil_ranges(r, months, days, us, partial, part) as
  list_transform(
    list_filter(
      list_transform(
        range(bq.bounded(bq.range_steps(r, months, days, us, part), 10000)),
        lambda i: {
          'start': r.start + to_months(i * months) + to_microseconds(i * (days * 86400000000 + us)),
          'stop': r.start
            + to_months((i + 1) * months)
            + to_microseconds((i + 1) * (days * 86400000000 + us))
        }
      ),
      lambda x: x.start < r.stop and (partial or x.stop <= r.stop)
    ),
    lambda x: {'start': x.start, 'stop': least(x.stop, r.stop)}
  );

create macro bq.generate_ranges(r, step, partial, part) as
  case
    when r.start is not null and step is not null and partial is not null
      then bq.civil_ranges(
        r,
        bq.interval_months(step),
        bq.interval_days(step),
        bq.interval_micros(step),
        partial,
        part
      )
  end;

create macro bq.generate_range_datetime(r, step, partial) as
  bq.generate_ranges(
    {'start': cast(r.start as timestamp), 'stop': cast(r.stop as timestamp)},
    step,
    partial,
    'D (H:M:S[.F])'
  );

create macro bq.step_without(part, step, message) as
  case when part <> 0 then bq.fail_interval(message) else step end;

create macro bq.generate_range_date(r, step, partial) as
  list_transform(
    bq.generate_ranges(
      {'start': cast(r.start as timestamp), 'stop': cast(r.stop as timestamp)},
      bq.step_without(
        bq.interval_micros(step), step, 'step with non-zero (H:M:S[.F]) part is not supported'
      ),
      partial,
      'DAY'
    ),
    lambda x: {'start': cast(x.start as date), 'stop': cast(x.stop as date)}
  );

create macro bq.generate_range_timestamp(r, step, partial) as
  list_transform(
    bq.generate_ranges(
      {
        'start': timezone('UTC', cast(r.start as timestamptz)),
        'stop': timezone('UTC', cast(r.stop as timestamptz))
      },
      bq.step_without(
        bq.interval_months(step), step, 'step with non-zero MONTH or YEAR part is not supported'
      ),
      partial,
      'D (H:M:S[.F])'
    ),
    lambda x: {'start': timezone('UTC', x.start), 'stop': timezone('UTC', x.stop)}
  );
