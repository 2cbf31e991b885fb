-- name: usage.api-counts
-- id: 5d9d7c1e-2b44-4b6f-8c1c-9a7f3f5b6e02
-- max-rows: 1000
-- cache-seconds: 900
-- warm-seconds: 300
-- sandbox: true
-- redact-pii: false
-- @interval: string, required, one of minutely hourly daily
-- @project: regexp, required
--
-- Requests per time bucket in four areas of the API, since the window's start. A project is a
-- pattern found anywhere in a request's URL; a bucket without such a request has no row.
with dates as (
  select
    case @interval
      when 'minutely' then timestamp_sub(current_timestamp(), interval 60 minute)
      when 'hourly' then timestamp_sub(current_timestamp(), interval 1 hour)
      when 'daily' then timestamp_sub(current_timestamp(), interval 7 day)
    end as start
),
chart_counts as (
  select
    datetime(
      case @interval
        when 'minutely' then timestamp_trunc(t.timestamp, minute)
        when 'hourly' then timestamp_trunc(t.timestamp, hour)
        when 'daily' then timestamp_trunc(t.timestamp, day)
      end
    ) as timestamp,
    countif(regexp_contains(request.path, '/rest')) as total_rest_requests,
    countif(regexp_contains(request.path, '/storage')) as total_storage_requests,
    countif(regexp_contains(request.path, '/auth')) as total_auth_requests,
    countif(regexp_contains(request.path, '/realtime')) as total_realtime_requests
  from dates
  cross join `logs.edge_logs` as t
  cross join unnest(t.metadata) as metadata
  cross join unnest(metadata.request) as request
  where t.timestamp >= dates.start
    and regexp_contains(request.url, @project)
  group by timestamp
)
select
  timestamp,
  total_rest_requests,
  total_storage_requests,
  total_auth_requests,
  total_realtime_requests
from chart_counts
order by timestamp
