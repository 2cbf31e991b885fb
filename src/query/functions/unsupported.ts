/**
 * GoogleSQL's functions that are not in the table: refused by their name, not as unknown.
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/functions-all
 */
export const unsupportedFunctions: ReadonlySet<string> = new Set(
  `appends
  ascii byte_length
  changes char_length character_length chr code_points_to_bytes code_points_to_string
  collate contains_substr current_time date_add date_bucket date_diff date_from_unix_date date_sub date_trunc datetime_add
  datetime_bucket datetime_diff datetime_sub edit_distance error external_object_transform
  extract farm_fingerprint format format_date format_datetime format_time
  format_timestamp from_base32 from_base64 from_hex generate_date_array
  generate_range_array generate_timestamp_array generate_uuid grouping initcap
  instr json_array_append json_array_insert
  
  json_remove json_set json_strip_nulls
  justify_days justify_hours justify_interval last_day
  left lpad ltrim make_interval md5 net.host
  net.ip_from_string net.ip_net_mask net.ip_to_string net.ip_trunc net.ipv4_from_int64 net.ipv4_to_int64
  net.public_suffix net.reg_domain net.safe_ip_from_string normalize normalize_and_casefold octet_length parse_date parse_datetime parse_time
  parse_timestamp regexp_extract regexp_extract_all regexp_instr regexp_replace regexp_substr repeat reverse right
  rpad rtrim s2_cellidfrompoint safe_convert_bytes_to_string
  sha1 sha256 sha512 soundex split
  string substr substring time time_add time_diff time_sub time_trunc timestamp
  timestamp_bucket timestamp_diff timestamp_millis timestamp_seconds to_base32 to_base64
  to_code_points to_hex translate trim unicode unix_date unix_millis
  unix_seconds`.split(/\s+/),
);
