-- ORDER BY and LIMIT: https://cloud.google.com/bigquery/docs/reference/standard-sql/query-syntax#order_by_clause

-- A query without ORDER BY takes over the order of the one table that it reads
with newest as (select id, timestamp from `logs.web` order by timestamp desc) select id from newest limit 10
;
WITH "newest" AS NOT MATERIALIZED (
SELECT "t2"."id" AS "id", "t2"."timestamp" AS "timestamp"
FROM "logs"."web" AS "t2"
)
SELECT "t1"."id" AS "id"
FROM "newest" AS "t1"
ORDER BY "t1"."timestamp" DESC
LIMIT 10
;

-- ORDER BY of a sub-select without LIMIT is dropped
with newest as (select id, project, timestamp from `logs.web` order by timestamp desc) select project, count(*) as n from newest group by project
;
WITH "newest" AS NOT MATERIALIZED (
SELECT "t3"."id" AS "id", "t3"."project" AS "project", "t3"."timestamp" AS "timestamp"
FROM "logs"."web" AS "t3"
)
SELECT "t2"."key_1" AS "project", "t2"."aggregate_2" AS "n"
FROM (
SELECT "t1"."project" AS "key_1", count(*) AS "aggregate_2"
FROM "newest" AS "t1"
GROUP BY 1
) AS "t2"
;

-- A query of one row is its expressions
with bounds as (select timestamp_sub(@now_, interval 1 hour) as start) select id from bounds cross join `logs.web` where timestamp >= bounds.start
;
SELECT "t1"."id" AS "id"
FROM "logs"."web" AS "t1"
WHERE ("t1"."timestamp" >= bq.timestamp_checked((CAST(coalesce($p_now_, NULL) AS TIMESTAMPTZ) - to_hours(CAST(1 AS BIGINT))), 'Subtracting an interval from a TIMESTAMP causes overflow'))
;
