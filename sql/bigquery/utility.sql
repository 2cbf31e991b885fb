-- Utility functions: https://cloud.google.com/bigquery/docs/reference/standard-sql/utility-functions
create macro bq.error(message) as bq.fail_int64('ERROR: ' || message);
create macro bq.generate_uuid() as cast(uuid() as varchar);
