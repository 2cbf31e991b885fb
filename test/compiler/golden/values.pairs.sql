-- Literals and coercion: https://cloud.google.com/bigquery/docs/reference/standard-sql/lexical and .../conversion_rules

-- Strings, escapes and quotes
select 'it\'s' as a, r'\d' as b, """two
lines""" as c, b'\x00\xff' as d
;
SELECT 'it''s' AS "a", '\d' AS "b", 'two
lines' AS "c", unhex('00ff') AS "d"
;

-- A literal takes the type of the log field beside it
select id from `logs.web`, unnest(metadata) m where m.status = '200' and m.level = 5
;
SELECT "t1"."id" AS "id"
FROM "logs"."web" AS "t1"
WHERE (struct_extract("t1"."metadata", 'status') = CAST(200 AS BIGINT)) AND (struct_extract("t1"."metadata", 'level') = '5')
;

-- A string beside a TIMESTAMP is one, in UTC
select id from `logs.web` where timestamp > '2026-03-01T02:00:00+02:00'
;
SELECT "t1"."id" AS "id"
FROM "logs"."web" AS "t1"
WHERE ("t1"."timestamp" > CAST('2026-03-01 00:00:00.000000+00:00' AS TIMESTAMPTZ))
;

-- Division is checked
select 7 / 2 as a, safe_divide(1, 0) as b
;
SELECT bq.divide(CAST(7 AS BIGINT), CAST(2 AS BIGINT)) AS "a", bq.safe_divide(CAST(1 AS BIGINT), CAST(0 AS BIGINT)) AS "b"
;

-- Conditional expressions take a common type
select if(true, 1, 2.5) as a, coalesce(null, 'x') as b, case when false then 1 end as c
;
SELECT CASE WHEN TRUE THEN CAST('1' AS DOUBLE) ELSE CAST('2.5' AS DOUBLE) END AS "a", coalesce(CAST(NULL AS VARCHAR), 'x') AS "b", CASE WHEN FALSE THEN CAST(1 AS BIGINT) ELSE CAST(NULL AS BIGINT) END AS "c"
;

-- LIKE escapes with a backslash
select id from `logs.web` where id like '50\\%' or id like 'a%'
;
SELECT "t1"."id" AS "id"
FROM "logs"."web" AS "t1"
WHERE (like_escape("t1"."id", '50\%', '\') OR ("t1"."id" LIKE 'a%'))
;

-- COUNTIF
select countif(m.status >= 500) as errors from `logs.web`, unnest(metadata) m
;
SELECT "t2"."aggregate_1" AS "errors"
FROM (
SELECT count(*) FILTER (WHERE (struct_extract("t1"."metadata", 'status') >= CAST(500 AS BIGINT))) AS "aggregate_1"
FROM "logs"."web" AS "t1"
WHERE ("t1"."metadata" IS NOT NULL)
) AS "t2"
;
