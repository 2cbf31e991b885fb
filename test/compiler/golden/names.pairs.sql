-- Names: https://cloud.google.com/bigquery/docs/reference/standard-sql/query-syntax#scope_of_aliases

-- GROUP BY: a select alias beats a column
select timestamp_trunc(t.timestamp, hour) as timestamp, count(*) as n from `logs.web` t group by timestamp order by timestamp
;
SELECT "t2"."key_1" AS "timestamp", "t2"."aggregate_2" AS "n"
FROM (
SELECT bq.timestamp_floor("t1"."timestamp", 3600000000) AS "key_1", count(*) AS "aggregate_2"
FROM "logs"."web" AS "t1"
GROUP BY 1
) AS "t2"
ORDER BY 1 ASC
;

-- GROUP BY and ORDER BY by place
select project, count(*) from `logs.web` group by 1 order by 2 desc
;
SELECT "t2"."key_1" AS "project", "t2"."aggregate_2" AS "_2"
FROM (
SELECT "t1"."project" AS "key_1", count(*) AS "aggregate_2"
FROM "logs"."web" AS "t1"
GROUP BY 1
) AS "t2"
ORDER BY 2 DESC
;

-- HAVING reads an alias
select project, count(*) as n from `logs.web` group by project having n > 1
;
SELECT "t2"."key_1" AS "project", "t2"."aggregate_2" AS "n"
FROM (
SELECT "t1"."project" AS "key_1", count(*) AS "aggregate_2"
FROM "logs"."web" AS "t1"
GROUP BY 1
) AS "t2"
WHERE ("t2"."aggregate_2" > CAST(1 AS BIGINT))
;

-- CTE names are unique in the statement
with web as (select id from `logs.web`), a as (with web as (select id from web) select id from web) select id from a
;
WITH "web" AS NOT MATERIALIZED (
SELECT "t4"."id" AS "id"
FROM "logs"."web" AS "t4"
),
"a" AS NOT MATERIALIZED (
WITH "web_2" AS NOT MATERIALIZED (
SELECT "t3"."id" AS "id"
FROM "web" AS "t3"
)
SELECT "t2"."id" AS "id"
FROM "web_2" AS "t2"
)
SELECT "t1"."id" AS "id"
FROM "a" AS "t1"
;

-- A row as a value
select p from (select id, project from `logs.web`) as p
;
SELECT struct_pack("id" := "t1"."id", "project" := "t1"."project") AS "p"
FROM (
SELECT "t2"."id" AS "id", "t2"."project" AS "project"
FROM "logs"."web" AS "t2"
) AS "t1"
;
