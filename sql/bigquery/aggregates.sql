-- Aggregate functions: https://cloud.google.com/bigquery/docs/reference/standard-sql/aggregate_functions
-- A list that is used twice is the parameter of a lambda, so that it is aggregated only once.
create macro bq.numeric_ratio(s, n) as
  cast(
    case when s < 0 then '-' else '' end
    || cast((abs(s) * 2 + n) // (2 * n) // 1000000000 as varchar)
    || '.'
    || lpad(cast((abs(s) * 2 + n) // (2 * n) % 1000000000 as varchar), 9, '0') as decimal(38, 9)
  );

-- SUM. A decimal sum can have more digits than its type.
create macro bq.numeric_sum(x) as
  case
    when abs(x) > 99999999999999999999999999999.999999999 then bq.fail_numeric('numeric overflow: SUM')
    else x
  end;

create macro bq.bignumeric_sum(x) as
  case
    when abs(x) > 999999999999999999999999999999.99999999
      then bq.fail_bignumeric('BIGNUMERIC is limited to 30 digits before the point and 8 behind it: a sum')
    else x
  end;

create macro bq.finite_sum(x, all_finite) as
  case when not isfinite(x) and all_finite then bq.fail_float64('double overflow') else x end;

-- A sum of FLOAT64 in any order: in units and in 2^-60ths, which hold zero and all 53 digits of values from 2^-8 on. What they do
-- not hold of other values is the rest. They are NULL for values that no integer holds: CASE takes longer than the sum.
create macro bq.is_summable(x) as
  x >= -9223372036854775808e0 and x < 9223372036854775808e0 and (abs(x) >= 0.00390625e0 or x = 0);

create macro bq.sum_units(x) as try_cast(trunc(x) as bigint);

create macro bq.sum_parts(x) as try_cast((x - trunc(x)) * 1152921504606846976e0 as bigint);

create macro bq.sum_rest(x) as
  x - coalesce(cast(bq.sum_parts(x) as double), 0) / 1152921504606846976e0;

create macro bq.exact_sum(units, parts, rest) as
  case
    when units is null then rest
    else cast(units as double) + cast(parts as double) / 1152921504606846976e0 + coalesce(rest, 0)
  end;

create macro bq.exact_avg(total, n) as total / n;

-- A sorted list with NaN before the numbers, or after them if it is descending
create macro bq.nan_lowest(l, descending) as
  list_transform(
    [l],
    lambda v: list_filter(v, lambda x: x is null and v[1] is null)
    || case when descending then [] else list_filter(v, lambda x: isnan(x)) end
    || list_filter(v, lambda x: not isnan(x))
    || case when descending then list_filter(v, lambda x: isnan(x)) else [] end
    || list_filter(v, lambda x: x is null and v[1] is not null)
  )[1];

create macro bq.numeric_units(x) as
  cast(replace(cast(cast(x as decimal(38, 9)) as varchar), '.', '') as hugeint);

create macro bq.numeric_avg(s, n) as bq.numeric_ratio(bq.numeric_units(s), n);

create macro bq.list_total(list) as list_sum(list);

create macro bq.interval_of(months, days, us) as
  to_months(cast(months as integer)) + to_days(cast(days as integer)) + to_microseconds(cast(us as bigint));

create macro bq.interval_avg(months, days, us, n) as
  bq.interval_of(
    months // n,
    (months % n * 30 + days) // n,
    ((months % n * 30 + days) % n * 86400000000 + us) // n
  );

create macro bq.quantile_parts(n) as
  case
    when n < 1 or n > 100000
      then bq.fail_int64('The last argument of APPROX_QUANTILES must be from 1 to 100000')
    else n
  end;

create macro bq.quantile_places(l, n) as
  list_transform(
    [l],
    lambda kept: list_transform(
      range(0, bq.quantile_parts(n) + 1),
      lambda i: kept[greatest((i * len(kept) + n - 1) // n, 1)]
    )
  )[1];

create macro bq.top_count(entries, nulls, n) as
  list_transform(
    list_sort(
      list_transform(coalesce(entries, []), lambda e: {'c': -cast(e.value as bigint), 'v': e.key})
      || case when nulls > 0 then [{'c': -nulls, 'v': null}] else [] end
    )[1:n],
    lambda e: {'value': e.v, 'count': -e.c}
  );

-- Equal intervals with different parts, such as a day and 24 hours, are one value
create macro bq.merged_entries(entries) as
  list_transform(
    [entries],
    lambda es: list_transform(
      list_filter(es, lambda e, i: len(list_filter(es[1:i - 1], lambda o: o.key = e.key)) = 0),
      lambda e: {
        'key': e.key,
        'value': list_sum(list_transform(list_filter(es, lambda o: o.key = e.key), lambda o: o.value))
      }
    )
  )[1];

-- Percentiles. The lists are sorted; a place counts from 0.
create macro bq.percentile_cont_place(n, p) as floor(greatest(n - 1, 0) * p);
create macro bq.percentile_disc_place(n, p) as greatest(ceil(n * p), 1) - 1;

create macro bq.percentile_between(l, x) as
  case
    when len(l) > 0
      then case
        when floor(x) = x or l[cast(floor(x) as bigint) + 1] is null then l[cast(ceil(x) as bigint) + 1]
        else l[cast(floor(x) as bigint) + 1] * (ceil(x) - x) + l[cast(ceil(x) as bigint) + 1] * (x - floor(x))
      end
  end;

create macro bq.percentile_cont_nulls(l, p) as
  list_transform([l], lambda s: bq.percentile_between(s, (len(s) - 1) * p))[1];

create macro bq.percentile_disc_nulls(l, p) as
  list_transform([l], lambda s: s[cast(bq.percentile_disc_place(len(s), p) as bigint) + 1])[1];

create macro bq.percentile_ends(l, p) as
  list_transform(
    [{'s': l, 'at': cast(len(l) - 1 as decimal(18, 0)) * p}],
    lambda r: {
      'low': r.s[cast(floor(r.at) as bigint) + 1],
      'high': r.s[cast(ceil(r.at) as bigint) + 1],
      'share': r.at - floor(r.at)
    }
  )[1];

create macro bq.percentile_numeric(l, p) as
  list_transform(
    [bq.percentile_ends(l, p)],
    lambda r: case
      when r.low is null or r.share = 0 then r.high
      else cast(
        bq.numeric_multiply(r.low, cast(1 - r.share as decimal(38, 9)))
        + bq.numeric_multiply(r.high, cast(r.share as decimal(38, 9))) as decimal(38, 9)
      )
    end
  )[1];

create macro bq.percentile_bignumeric(l, p) as
  list_transform(
    [bq.percentile_ends(l, p)],
    lambda r: case
      when r.low is null or r.share = 0 then r.high
      else cast(
        bq.bignumeric_multiply(r.low, bq.numeric_to_bignumeric(cast(1 - r.share as decimal(38, 9))))
        + bq.bignumeric_multiply(r.high, bq.numeric_to_bignumeric(cast(r.share as decimal(38, 9)))) as decimal(38, 8)
      )
    end
  )[1];

create macro bq.percentile(p) as
  case when p >= 0 and p <= 1 then p else bq.fail_float64('Percentile must be in the range [0, 1]') end;

create macro bq.top_weight(w) as
  case
    when w < 0 or isnan(cast(w as double))
      then bq.fail_int64('The weight of APPROX_TOP_SUM must not be negative or NaN')
    else w
  end;

create macro bq.top_sum(pairs, n) as (
  select list({'value': v, 'sum': s} order by s desc nulls last, v nulls last)[1:n]
  from (
    select e.v as v, sum(bq.top_weight(e.w) order by e.w) as s
    from (select unnest(pairs) as e)
    group by e.v
  )
);
