-- Records and arrays: https://cloud.google.com/bigquery/docs/reference/standard-sql/query-syntax#unnest_operator

-- A record that is stored as a struct is no join: its fields are read in place
select r.path from `logs.web` cross join unnest(metadata) as m cross join unnest(m.request) as r
;
SELECT struct_extract(struct_extract("t1"."metadata", 'request'), 'path') AS "path"
FROM "logs"."web" AS "t1"
WHERE (struct_extract(struct_extract("t1"."metadata", 'request'), 'path') IS NOT NULL)
;

-- Fields of an unnested record are in scope by their bare name
select path from `logs.web`, unnest(metadata), unnest(request)
;
SELECT struct_extract(struct_extract("t1"."metadata", 'request'), 'path') AS "path"
FROM "logs"."web" AS "t1"
WHERE (struct_extract(struct_extract("t1"."metadata", 'request'), 'path') IS NOT NULL)
;

-- A range alias hides the column of its name
select metadata.level from `logs.web` cross join unnest(metadata) as metadata
;
SELECT struct_extract("t1"."metadata", 'level') AS "level"
FROM "logs"."web" AS "t1"
WHERE ("t1"."metadata" IS NOT NULL)
;

-- LEFT JOIN asks nothing of the record
select m.level from `logs.web` left join unnest(metadata) as m
;
SELECT struct_extract("t1"."metadata", 'level') AS "level"
FROM "logs"."web" AS "t1"
;

-- LEFT JOIN with ON keeps the row without the element
select r.path from `logs.web` t left join unnest(t.metadata) m left join unnest(m.request) r on r.method = 'GET'
;
SELECT struct_extract(CASE WHEN (struct_extract(struct_extract("t1"."metadata", 'request'), 'method') = 'GET') THEN struct_extract("t1"."metadata", 'request') ELSE NULL END, 'path') AS "path"
FROM "logs"."web" AS "t1"
;

-- A list is unnested in a SELECT list that carries the left row along
select id, i.name from `logs.web` cross join unnest(items) as i with offset as n where n = 0
;
SELECT "t2"."id_1" AS "id", struct_extract(struct_extract("t2"."unnested", 'element'), 'name') AS "name"
FROM (
SELECT "t1"."id" AS "id_1", "t1"."timestamp" AS "timestamp_2", "t1"."project" AS "project_3", "t1"."tags" AS "tags_4", "t1"."metadata" AS "metadata_5", "t1"."items" AS "items_6", unnest(list_transform("t1"."items", lambda "element", "position": struct_pack("element" := "element", "offset" := ("position" - 1)))) AS "unnested"
FROM "logs"."web" AS "t1"
) AS "t2"
WHERE (struct_extract("t2"."unnested", 'offset') = CAST(0 AS BIGINT))
;

-- LEFT JOIN of a list keeps rows without elements
select id, i.name from `logs.web` left join unnest(items) as i on i.price > 1
;
SELECT "t3"."id_1" AS "id", struct_extract("t3"."unnested", 'name') AS "name"
FROM (
SELECT "t1"."id" AS "id_1", "t1"."timestamp" AS "timestamp_2", "t1"."project" AS "project_3", "t1"."tags" AS "tags_4", "t1"."metadata" AS "metadata_5", "t1"."items" AS "items_6", unnest(list_extract(list_transform([struct_pack("a0" := coalesce(list_filter("t1"."items", lambda "t2": (struct_extract("t2", 'price') > CAST(1 AS BIGINT)))))], lambda "once": CASE WHEN (len(struct_extract("once", 'a0')) > 0) THEN struct_extract("once", 'a0') ELSE [NULL] END), 1)) AS "unnested"
FROM "logs"."web" AS "t1"
) AS "t3"
;

-- A field that is only declared is NULL of its type
select m.absent from `logs.web`, unnest(metadata) m
;
SELECT CAST(NULL AS VARCHAR) AS "absent"
FROM "logs"."web" AS "t1"
WHERE ("t1"."metadata" IS NOT NULL)
;

-- An array by its path
select t.id, m.level from `logs.web` t, t.metadata m
;
SELECT "t1"."id" AS "id", struct_extract("t1"."metadata", 'level') AS "level"
FROM "logs"."web" AS "t1"
WHERE ("t1"."metadata" IS NOT NULL)
;

-- EXISTS over a record of the row
select id from `logs.web` t where exists (select 1 from unnest(t.metadata) m where m.level = 'error')
;
SELECT "t1"."id" AS "id"
FROM "logs"."web" AS "t1"
WHERE coalesce((("t1"."metadata" IS NOT NULL) AND (struct_extract("t1"."metadata", 'level') = 'error')), FALSE)
;

-- EXISTS over a list of the row
select id from `logs.web` t where exists (select 1 from unnest(t.items) i where i.price = 3)
;
SELECT "t1"."id" AS "id"
FROM "logs"."web" AS "t1"
WHERE coalesce((len(list_filter("t1"."items", lambda "t2": (struct_extract("t2", 'price') = CAST(3 AS BIGINT)))) > 0), FALSE)
;

-- A field that is compared says that its record is there
select r.path
from `logs.web` as t cross join unnest(t.metadata) as m cross join unnest(m.request) as r
where r.method = 'GET' and starts_with(r.path, '/rest')
;
SELECT struct_extract(struct_extract("t1"."metadata", 'request'), 'path') AS "path"
FROM "logs"."web" AS "t1"
WHERE (struct_extract(struct_extract("t1"."metadata", 'request'), 'method') = 'GET') AND starts_with(struct_extract(struct_extract("t1"."metadata", 'request'), 'path'), '/rest')
;

-- What an absent record may meet says nothing of it
select r.path
from `logs.web` as t cross join unnest(t.metadata) as m cross join unnest(m.request) as r
where (r.method = 'GET' or t.id = 'a') and r.path is null and m.level is null
;
SELECT struct_extract(struct_extract("t1"."metadata", 'request'), 'path') AS "path"
FROM "logs"."web" AS "t1"
WHERE (struct_extract(struct_extract("t1"."metadata", 'request'), 'path') IS NOT NULL) AND ((struct_extract(struct_extract("t1"."metadata", 'request'), 'method') = 'GET') OR ("t1"."id" = 'a')) AND (struct_extract(struct_extract("t1"."metadata", 'request'), 'path') IS NULL) AND (struct_extract("t1"."metadata", 'level') IS NULL)
;

-- A field of the record around says nothing of the one inside
select r.path
from `logs.web` as t cross join unnest(t.metadata) as m cross join unnest(m.request) as r
where m.level = 'info'
;
SELECT struct_extract(struct_extract("t1"."metadata", 'request'), 'path') AS "path"
FROM "logs"."web" AS "t1"
WHERE (struct_extract(struct_extract("t1"."metadata", 'request'), 'path') IS NOT NULL) AND (struct_extract("t1"."metadata", 'level') = 'info')
;

-- Where another condition could fail, it is asked whether the record is there
select m.level from `logs.web` cross join unnest(metadata) as m where 1 / m.status > 1 and m.level <> 'x'
;
SELECT struct_extract("t1"."metadata", 'level') AS "level"
FROM "logs"."web" AS "t1"
WHERE ("t1"."metadata" IS NOT NULL) AND (bq.divide(CAST(1 AS BIGINT), struct_extract("t1"."metadata", 'status')) > CAST('1' AS DOUBLE)) AND (bq.divide(CAST(1 AS BIGINT), struct_extract("t1"."metadata", 'status')) <= CAST('Infinity' AS DOUBLE)) AND (struct_extract("t1"."metadata", 'level') <> 'x')
;
