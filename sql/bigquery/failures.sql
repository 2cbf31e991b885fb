-- Failures. A macro fails by a cast of the message that cannot succeed, since SAFE. returns NULL for a failed cast.
-- src/engine/duckdb/engine-error.ts knows the messages.
create macro bq.fail(message) as cast(cast(message as bigint) as varchar);
create macro bq.bad_time(message) as make_timestamp(cast(message as bigint));
