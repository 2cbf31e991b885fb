-- The files of this folder define macros in the database bq: BigQuery's functions, as far as macros can express them. order.json lists
-- the files in the order in which they are run. The compiler calls the macros by name; a caller's text reaches them only as
-- values. `npm run build` creates them once.

-- Failures. A macro fails by calling bq.fail_<type>(message), where the type is the one that it returns. The engine reports the message in
-- the error of a failed cast, between 'bq.fail(' and ')'; src/engine/duckdb/engine-error.ts passes it on to the caller.
-- A NULL message does not fail: the result is NULL.

-- SAFE. and SAFE_CAST call total twins, which give NULL instead of failing: bq.safe_x is the twin of bq.x. The build writes most
-- of them from the same text, into twins.sql: a twin calls twins, and its casts are TRY_CAST. So everything that can fail calls
-- bq.fail_<type>, or has a twin of its own here. There is no TRY: it runs a failed vector again, row by row.
create macro bq.fail_int64(message) as cast('bq.fail(' || message || ')' as bigint);
create macro bq.fail_bool(message) as cast(bq.fail_int64(message) as boolean);
create macro bq.fail_float64(message) as cast(bq.fail_int64(message) as double);
create macro bq.fail_numeric(message) as cast(bq.fail_int64(message) as decimal(38,9));
create macro bq.fail_bignumeric(message) as cast(bq.fail_int64(message) as decimal(38,8));
create macro bq.fail_string(message) as cast(bq.fail_int64(message) as varchar);
create macro bq.fail_bytes(message) as encode(bq.fail_string(message));
create macro bq.fail_datetime(message) as make_timestamp(bq.fail_int64(message));
create macro bq.fail_timestamp(message) as make_timestamptz(bq.fail_int64(message));
create macro bq.fail_date(message) as cast(bq.fail_datetime(message) as date);
create macro bq.fail_interval(message) as to_microseconds(bq.fail_int64(message));

create macro bq.safe_fail_int64(message) as cast(null as bigint);
create macro bq.safe_fail_bool(message) as cast(null as boolean);
create macro bq.safe_fail_float64(message) as cast(null as double);
create macro bq.safe_fail_numeric(message) as cast(null as decimal(38, 9));
create macro bq.safe_fail_bignumeric(message) as cast(null as decimal(38, 8));
create macro bq.safe_fail_string(message) as cast(null as varchar);
create macro bq.safe_fail_bytes(message) as cast(null as blob);
create macro bq.safe_fail_datetime(message) as cast(null as timestamp);
create macro bq.safe_fail_timestamp(message) as cast(null as timestamptz);
create macro bq.safe_fail_date(message) as cast(null as date);
create macro bq.safe_fail_interval(message) as cast(null as interval);
