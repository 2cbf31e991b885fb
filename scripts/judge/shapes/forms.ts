/** Expressions with a part that could fail without its guard. */
export const guardedForms = [
  'if(safe_cast({string} as int64) is null, {int}, cast({string} as int64))',
  'if(r.i = 0, null, div({int}, r.i))',
  'case when r.i is null or r.i = 0 then 0.0 else {int} / r.i end',
  'if(regexp_contains(r.s, r"^-?[0-9]+$"), cast(r.s as int64), {int})',
  'coalesce(safe_cast(r.s as float64), cast({int} as float64))',
  'ifnull(safe.parse_date("%F", r.s), {date})',
  'if(array_length(r.ai) > 1, r.ai[offset(1)], {int})',
  'case r.i when 0 then -1 else mod({int}, r.i) end',
  'safe_divide({int}, r.i)',
  'safe.parse_timestamp("%F", r.s)',
  'nullif(safe.substr(r.s, {int}, {n}), "")',
];

/** Aggregates whose result does not depend on the order of rows. */
export const aggregates = [
  'count(*)',
  'count({string})',
  'count(distinct {string})',
  'countif({bool})',
  'sum({int})',
  'sum({numeric})',
  'avg({int})',
  'avg({numeric})',
  'min({string})',
  'max({date})',
  'max({timestamp})',
  'min({float})',
  'logical_and({bool})',
  'logical_or({bool})',
  'string_agg({string}, "," order by r.id)',
  'string_agg(distinct r.s, "," order by r.s)',
  'array_agg(r.id order by {date}, r.id desc limit {positive})',
  'array_agg({string} ignore nulls order by r.id)',
  'array_agg(struct(r.id, r.s) order by r.id desc)',
  'array_concat_agg(r.ai order by r.id)',
  'bit_and({int})',
  'bit_xor({int})',
  'max(if({bool}, {int}, null))',
  'sum(distinct r.i)',
  'stddev_samp({int})',
  'var_pop({int})',
  'corr({int}, r.id)',
  'safe_divide(countif({bool}), count(*))',
  'array_length(array_agg(distinct r.s ignore nulls))',
  'max(r.id) - min(r.id)',
  'any_value(r.s having max r.id)',
];

/** Window functions that take no frame. */
export const windowCalls = [
  'row_number()',
  'rank()',
  'dense_rank()',
  'ntile({positive})',
  'percent_rank()',
  'cume_dist()',
  'lag({string})',
  'lag({int}, {n}, -7)',
  'lead({date}, {n})',
];

/** Window functions with any frame. */
export const framedCalls = [
  'first_value({string})',
  'last_value({int} ignore nulls)',
  'nth_value({string}, {positive})',
  'sum({int})',
  'avg({float})',
  'count(*)',
  'min({date})',
  'max({timestamp})',
  'countif({bool})',
  'string_agg({string})',
  'array_agg(r.id)',
  'logical_or({bool})',
  'sum({numeric})',
];

/** Frames over any order. */
export const rowFrames = [
  '',
  'rows unbounded preceding',
  'rows between {n} preceding and current row',
  'rows between {n} preceding and {n} following',
  'rows between {positive} following and unbounded following',
  'rows between unbounded preceding and {positive} preceding',
];

/** Frames over an order by one INT64. */
export const rangeFrames = [
  'range between {n} preceding and {n} following',
  'range between current row and unbounded following',
  'range between unbounded preceding and {positive} preceding',
];

/** Expressions over arrays and sub-selects of the row at hand. */
export const nestedForms = [
  'array(select as struct x, {string} as s, [x, {int}] is not null as b from unnest({ints}) as x with offset as o order by o)',
  '(select as struct count(*) as n, sum(p.v) as v from unnest({pairs}) as p where p.k >= {string})',
  '(select p.v from unnest({pairs}) as p with offset as o where o = {n})',
  'array(select p.k || cast(x as string) from unnest({pairs}) as p, unnest({ints}) as x where p.k is not null order by 1)',
  '(select array_agg(struct(p.k, x) order by p.k, x, p.v limit 3) from unnest({pairs}) as p cross join unnest({ints}) as x)',
  'exists (select 1 from unnest({pairs}) as p join unnest({ints}) as x on p.v = x)',
  '(select count(distinct p.k) from unnest(array_concat({pairs}, {pairs})) as p)',
  'struct({int} as a, struct({string} as c, {ints} as d) as b)',
  '[struct({int} as a, {string} as b), struct({int} as a, {string} as b)]',
  '(select string_agg(c, "" order by o desc) from unnest(split({string}, "")) as c with offset as o)',
  '(select max(q.id) from data as q where q.i <= r.i)',
  '(select count(*) from data as q where q.s = {string})',
  '{int} in (select q.i from data as q)',
  'array(select q.id from data as q where q.id > r.id order by q.id)',
  'exists (select 1 from data as q, unnest(q.ai) as x where x = {int})',
  '(select sum(s) from (select x * {int} as s from unnest({ints}) as x union all select {int}))',
  'array(select x from unnest(split({string}, ",")) as x where x <> "" order by x desc limit 2)',
  'array_to_string(array(select upper(p.k) from unnest({pairs}) as p order by p.v, p.k), "-", "?")',
];

/** Questions of dashboards and of analysts. */
export const clientForms = [
  'select timestamp_trunc(r.ts, {timepart}) as t, count(*) as n, countif({bool}) / count(*) as rate from data as r group by t order by t desc limit 10',
  'select timestamp_trunc(r.ts, {datepart}, {zone}) as t, r.s, sum({int}) as v from data as r where r.ts > {timestamp} group by 1, 2 order by 1, 2, 3',
  'select format_timestamp({instantformat}, r.ts, {zone}) as t, count(*) as n from data as r group by t having n > 0 order by n desc, t',
  'with days as (select day from unnest(generate_date_array("2024-03-08", "2024-03-12")) as day) select day, count(r.id) as n, ifnull(sum({int}), 0) as v from days left join data as r on r.d = day group by day order by day',
  'select t, count(r.id) as n from unnest(generate_timestamp_array("2024-03-10 05:00:00", "2024-03-10 08:00:00", interval {positive} hour)) as t left join data as r on timestamp_trunc(r.ts, hour) = t group by t order by t',
  'select * except (place) from (select r.id, r.s, row_number() over (partition by {bool} order by {date} desc, r.id) as place from data as r) where place = 1',
  'select r.id, timestamp_diff(r.ts, lag(r.ts) over (order by r.ts, r.id), second) as gap, countif({bool}) over (order by r.ts, r.id rows unbounded preceding) as session from data as r',
  'with n as (select {string} as k, count(*) as n from data as r group by k) select k, n, n / sum(n) over () as share, rank() over (order by n desc) as place from n order by k',
  'with a as (select r.id, {int} as x from data as r), b as (select a.id, a.x * 2 as y from a where a.x is not null) select a.id, b.y, (select max(y) from b) as m from a left join b using (id) order by a.id',
  'select case when {int} < 0 then "low" when {int} < 10 then "mid" else "high" end as c, count(distinct {string}) as n, min({timestamp}) as first from data as r group by c order by c',
  'select distinct percentile_cont({float}, 0.5) over (partition by r.b) as p, r.b from data as r',
  'select json_value(r.j, {path}) as v, count(*) as n from data as r where json_value(r.j, {path}) is not null or {bool} group by v order by v',
  'select part, count(*) as n from data as r, unnest(split({string}, ",")) as part group by part order by n desc, part limit 5',
  'select p.k, sum(p.v) as v, array_agg(distinct r.id order by r.id) as ids from data as r, unnest({pairs}) as p where p.v is not null group by p.k order by p.k',
  'select sum(w.n) over win as total, w.k from (select {bool} as k, count(*) as n from data as r group by k) as w window win as (order by w.n, w.k rows between unbounded preceding and current row)',
  'select r.id, (select as struct min(x) as low, max(x) as high from unnest({ints}) as x).* from data as r order by r.id',
  'select coalesce(a.k, b.k) as k, a.n, b.n as m from (select {string} as k, count(*) as n from data as r group by k) as a full join (select {string} as k, count(*) as n from data as r group by k) as b on a.k = b.k',
  'select r.id from data as r where r.id not in (select q.id from data as q where {bool}) and exists (select 1 from data as q where q.s = r.s and q.id <> r.id)',
  'select logical_or({bool}) as any_, logical_and({bool}) as all_, approx from (select *, 1 as approx from data) as r group by approx',
  'select extract(hour from r.ts at time zone {zone}) as h, extract(dayofweek from r.d) as w, avg({numeric}) as v from data as r group by h, w order by h, w',
  'select r.s, r.b, count(*) as n from data as r group by rollup (r.s, r.b)',
  'select * from (select r.id, {string} as k, {int} as v from data as r) where true qualify v = max(v) over (partition by k)',
];
