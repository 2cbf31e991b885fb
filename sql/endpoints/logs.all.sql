-- name: logs.all
-- id: 0d5c2b1e-7f0a-4d3b-9a61-3f5a8c2e4b10
-- max-rows: 1000
-- cache-seconds: 0
-- warm-seconds: 0
-- sandbox: true
-- redact-pii: false
-- all-sources: true
-- @project: string, required
-- @iso_timestamp_start: timestamp, optional
-- @iso_timestamp_end: timestamp, optional
--
-- Nine log sources as CTEs, each the project's records in the time window (start exclusive, end
-- inclusive), newest first. A record belongs to a project by its own column, or, where the source
-- keeps it there, by any element of its metadata. Every other source, and every alias of one, is a CTE
-- of this kind too.
with edge_logs as (
  select t.timestamp, t.id, t.event_message, t.identifier, t.metadata
  from `logs.edge_logs` as t
  where t.project = @project
    and (@iso_timestamp_start is null or t.timestamp > @iso_timestamp_start)
    and (@iso_timestamp_end is null or t.timestamp <= @iso_timestamp_end)
  order by t.timestamp desc
),
db_logs as (
  select t.timestamp, t.id, t.event_message, t.identifier, t.metadata
  from `logs.db_logs` as t
  where t.project = @project
    and (@iso_timestamp_start is null or t.timestamp > @iso_timestamp_start)
    and (@iso_timestamp_end is null or t.timestamp <= @iso_timestamp_end)
  order by t.timestamp desc
),
function_edge_logs as (
  select t.timestamp, t.id, t.event_message, t.metadata
  from `logs.function_edge_logs` as t
  where exists (select 1 from unnest(t.metadata) as m where m.project_ref = @project)
    and (@iso_timestamp_start is null or t.timestamp > @iso_timestamp_start)
    and (@iso_timestamp_end is null or t.timestamp <= @iso_timestamp_end)
  order by t.timestamp desc
),
function_logs as (
  select t.timestamp, t.id, t.event_message, t.metadata
  from `logs.function_logs` as t
  where exists (select 1 from unnest(t.metadata) as m where m.project_ref = @project)
    and (@iso_timestamp_start is null or t.timestamp > @iso_timestamp_start)
    and (@iso_timestamp_end is null or t.timestamp <= @iso_timestamp_end)
  order by t.timestamp desc
),
auth_logs as (
  select t.timestamp, t.id, t.event_message, t.metadata
  from `logs.auth_logs` as t
  where t.project = @project
    and (@iso_timestamp_start is null or t.timestamp > @iso_timestamp_start)
    and (@iso_timestamp_end is null or t.timestamp <= @iso_timestamp_end)
  order by t.timestamp desc
),
realtime_logs as (
  select t.timestamp, t.id, t.event_message, t.metadata
  from `logs.realtime_logs` as t
  where exists (select 1 from unnest(t.metadata) as m where m.project = @project)
    and (@iso_timestamp_start is null or t.timestamp > @iso_timestamp_start)
    and (@iso_timestamp_end is null or t.timestamp <= @iso_timestamp_end)
  order by t.timestamp desc
),
storage_logs as (
  select t.timestamp, t.id, t.event_message, t.metadata
  from `logs.storage_logs` as t
  where exists (select 1 from unnest(t.metadata) as m where m.project = @project)
    and (@iso_timestamp_start is null or t.timestamp > @iso_timestamp_start)
    and (@iso_timestamp_end is null or t.timestamp <= @iso_timestamp_end)
  order by t.timestamp desc
),
rest_logs as (
  select t.timestamp, t.id, t.event_message, t.identifier, t.metadata
  from `logs.rest_logs` as t
  where t.project = @project
    and (@iso_timestamp_start is null or t.timestamp > @iso_timestamp_start)
    and (@iso_timestamp_end is null or t.timestamp <= @iso_timestamp_end)
  order by t.timestamp desc
),
pooler_logs as (
  select t.timestamp, t.id, t.event_message, t.file, t.metadata
  from `logs.pooler_logs` as t
  where t.project = @project
    and (@iso_timestamp_start is null or t.timestamp > @iso_timestamp_start)
    and (@iso_timestamp_end is null or t.timestamp <= @iso_timestamp_end)
  order by t.timestamp desc
)
select id, timestamp, event_message, metadata
from edge_logs
order by timestamp desc
limit 100
