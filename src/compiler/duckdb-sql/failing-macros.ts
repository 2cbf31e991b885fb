// Generated from sql/bigquery by scripts/macro-arguments.mjs. Do not edit.

import { words } from '../../values/words.js';

/** The macros that fail on some values. */
export const failingMacros: ReadonlySet<string> = words(`
  acos acosh array_first array_last ascii ascii_to_bytes asin at_offset at_ordinal atanh
  base2_to_bytes base64_to_bytes bignumeric_div bignumeric_divide bignumeric_mod
  bignumeric_multiply bignumeric_of_units bignumeric_sum bignumeric_to_int64 bignumeric_to_numeric
  bounded bounded_array bucket byte_hex bytes_and bytes_or bytes_shift_left bytes_shift_right
  bytes_to_ascii bytes_to_string bytes_xor checked_range chr civil_ranges civil_series code_point
  code_points_to_bytes code_points_to_string cosh cosine_distance cot coth csc csch date_checked
  date_from_unix_date date_of datetime_checked days div divide divide_units edit_distance error
  euclidean_distance exact_bignumeric exp fail_bignumeric fail_bool fail_bytes fail_date
  fail_datetime fail_float64 fail_int64 fail_interval fail_numeric fail_string fail_timestamp
  finite_sum fit_bignumeric float64_to_bignumeric float64_to_int64 float64_to_numeric from_base32
  from_base64 from_civil from_hex generate_array generate_array_float64 generate_array_numeric
  generate_range_date generate_range_datetime generate_range_timestamp generate_ranges
  hex_to_bytes instr interval_divide interval_field interval_from interval_times json_object_of
  json_pointer json_to_bool json_to_float64 json_to_float64_exact json_to_int64 json_to_string
  justify_days justify_hours justify_interval left like_pattern limit_bignumeric limit_bytes
  limit_numeric limit_string ln log log10 lpad lpad_bytes make_interval mod net_ip_from_string
  net_ip_net_mask net_ip_to_string net_ip_trunc net_ipv4_from_int64 net_ipv4_to_int64 no_further
  no_months not_negative numeric_div numeric_divide numeric_mod numeric_multiply numeric_of_units
  numeric_sum numeric_to_bignumeric numeric_to_int64 occurrence pad_length pad_pattern
  pad_pattern_bytes parse_bignumeric parse_numeric parsed_datetime parsed_plain parsed_timestamp
  percentile percentile_bignumeric percentile_numeric pow quantile_parts quantile_places
  quote_text range_bucket range_intersect range_of range_parts range_steps read_timestamp
  regexp_all_by regexp_from regexp_instr regexp_instr_arguments regexp_instr_by regexp_instr_group
  regexp_nth regexp_replace regexp_replace_bounded repeat repeat_bytes replace right rpad
  rpad_bytes series series_length shift_left shift_right sinh sqrt step_without
  string_to_bignumeric string_to_bool string_to_date string_to_datetime string_to_float64
  string_to_int64 string_to_interval string_to_numeric string_to_range_date
  string_to_range_datetime string_to_range_timestamp string_to_time string_to_timestamp
  string_without_zone substr time_of timestamp_checked timestamp_from_unix timestamp_series
  timestamp_text_to_date timestamp_text_to_datetime to_civil top_sum top_weight translate
  unequal_bytes zone_name
`);
