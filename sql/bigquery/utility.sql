-- Utility functions: https://cloud.google.com/bigquery/docs/reference/standard-sql/utility-functions
create macro bq.error(message) as cast('ERROR: ' || message as bigint);
create macro bq.generate_uuid() as cast(uuid() as varchar);
