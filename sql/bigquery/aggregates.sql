-- Aggregate functions: https://cloud.google.com/bigquery/docs/reference/standard-sql/aggregate_functions
-- A list that is used twice is the parameter of a lambda, so that it is aggregated only once.
create macro bq.numeric_ratio(s, n) as
  cast(
    case when s < 0 then '-' else '' end
    || cast((abs(s) * 2 + n) // (2 * n) // 1000000000 as varchar)
    || '.'
    || lpad(cast((abs(s) * 2 + n) // (2 * n) % 1000000000 as varchar), 9, '0') as decimal(38, 9)
  );

create macro bq.numeric_units(x) as
  cast(replace(cast(cast(x as decimal(38, 9)) as varchar), '.', '') as hugeint);

create macro bq.numeric_avg(s, n) as bq.numeric_ratio(bq.numeric_units(s), n);

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

create macro bq.percentile_cont_place(l, x) as
  case
    when len(l) > 0
      then case
        when floor(x) = x or l[cast(floor(x) as bigint) + 1] is null then l[cast(ceil(x) as bigint) + 1]
        else l[cast(floor(x) as bigint) + 1] * (ceil(x) - x) + l[cast(ceil(x) as bigint) + 1] * (x - floor(x))
      end
  end;

create macro bq.percentile_cont_nulls(l, p) as
  list_transform(
    [list_sort(l, 'ASC', 'NULLS FIRST')],
    lambda s: bq.percentile_cont_place(s, (len(s) - 1) * p)
  )[1];

create macro bq.percentile_disc_nulls(l, p) as
  list_transform(
    [list_sort(l, 'ASC', 'NULLS FIRST')],
    lambda s: s[greatest(cast(ceil(len(s) * p) as bigint), 1)]
  )[1];

create macro bq.percentile(p) as
  case when p >= 0 and p <= 1 then p else bq.fail_float64('Percentile must be in the range [0, 1]') end;

create macro bq.top_sum(pairs, n) as (
  select list({'value': v, 'sum': s} order by s desc nulls last, v nulls last)[1:n]
  from (
    select e.v as v, sum(e.w) as s
    from (select unnest(pairs) as e)
    group by e.v
  )
);
