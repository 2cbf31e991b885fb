// Generated from sql/bigquery by scripts/macro-arguments.mjs. Do not edit.

import { words } from '../../../values/words.js';

/** DuckDB's built-in functions that are macros and repeat their arguments. */
export const engineMacros: ReadonlySet<string> = words(`
  array_to_string nullif split_part
`);

/** The macros that use each argument at most once, and never in a lambda; here and below, so do their twins. */
export const macrosUsingArgumentsOnce: ReadonlySet<string> = words(`
  abs add any_true ascii ascii_lower ascii_to_bytes ascii_upper bag_of_words base2_to_bytes bits
  byte_ascii byte_hex bytes_to_ascii bytes_to_base64m capture_groups characters civil_parts
  code_point code_points_to_bytes code_points_to_string convert_bytes_to_string date_to_string
  date_to_timestamp datetime_to_json datetime_to_timestamp edit_distance error escape_latin1
  exact_avg fail_bignumeric fail_bool fail_bytes fail_date fail_datetime fail_float64 fail_int64
  fail_interval fail_numeric fail_string fail_timestamp format_float64_literal format_sign
  format_zeros from_base32 from_base64 from_bits from_hex from_latin1 greatest has_other_number
  has_written_number hex_all ieee_divide in_range initcap instr instr_start interval_days
  interval_of ip4_text ip6_groups is_json is_offset is_open is_other_number iso_micros iso_sum
  iso_weeks json_elements json_is_number json_query json_scalar json_scalar_at json_skeleton
  json_texts json_value least least_float64 like_pattern list_total long_whole may_hold_address
  merged_entries month_number multiply negate net_ip_from_string net_ip_net_mask net_ip_to_string
  net_ipv4_from_int64 net_ipv4_to_int64 net_safe_ip_from_string no_further numeric_units
  occurrence opens_json pad_length pad_pattern pad_pattern_bytes part percentile_cont_place
  percentile_disc_place pii_classes pii_either pii_ending pii_escape_signs pii_fence pii_hints
  pii_mark_escapes pii_marked pii_names pii_quoted_with pii_signs pii_unfence pii_unmark
  plain_number quote_text range_of read_civil read_month_interval read_time read_timestamp
  redact_emails redact_groups redact_ipv4 redact_ipv4_once redact_ipv6 redact_json_text
  redact_mapped regexp_all regexp_all_by regexp_from regexp_instr_by repeat repeat_bytes replace
  reverse sech soundex soundex_digits split step_without string_to_bytes subtract sum_units
  time_to_json timestamp_to_date timestamp_to_datetime timestamp_to_time to_base32 to_code_points
  to_hex to_latin1 top_sum unequal_bytes unescape_latin1 unicode unix_date url_authority vector
  wildcards
`);

/** The macros with a sub-select, which DuckDB does not allow in a lambda. */
export const macrosWithSubselects: ReadonlySet<string> = words(`
  top_sum
`);

/** The macros that use arguments in a lambda or a struct, themselves or through another macro, with the indexes of the arguments. */
export const argumentsInLambdas: ReadonlySet<string> = words(`
  array_to_text_by.1 array_to_text_with.2 array_to_text_with_by.12 bignumeric_divide.01 bucket.012
  carried.012 civil_ranges.01234 civil_series.0123 edit_distance.01 escape_bytes.1
  exact_bignumeric.01 format_pad.012 format_zeros.012 generate_array.02 generate_array_float64.012
  generate_array_numeric.02 generate_range_date.012 generate_range_datetime.012
  generate_range_timestamp.012 generate_ranges.012 initcap.01 instr.0123 instr_places.01 ip6_hex.0
  ip6_plain.0 ip6_text.0 ip6_zeros.0 join.1 join_by.1 json_object_of.01 justify_days.0
  justify_hours.0 justify_interval.0 later_parts.1 lpad_bytes.012 month_bucket.012 nan_lowest.1
  net_ip_net_mask.01 net_ip_trunc.01 no_further.01 not_negative.1 numeric_divide.01
  parse_bignumeric.0 parsed_civil.0 parsed_date.0 parsed_datetime.1 parsed_iso_date.0
  parsed_plain.1 parsed_setter_date.0 parsed_timestamp.1 percentile_bignumeric.01
  percentile_cont_nulls.1 percentile_disc_nulls.1 percentile_ends.01 percentile_numeric.01
  plain_civil.0 quantile_places.1 quote_bytes.0 range_bucket.1 range_intersect.01 range_of.01
  range_parts.0 read_interval.0 read_iso_interval.0 redact_bytes.0 regexp_all_any.12
  regexp_all_by.01 regexp_all_empty.12 regexp_first.12 regexp_from.01 regexp_group_place.0123
  regexp_instr.01234 regexp_instr_arguments.0234 regexp_instr_by.01234 regexp_instr_group.01234
  regexp_instr_place.0 regexp_nth.1 regexp_place.0123 regexp_replace.012
  regexp_replace_bounded.012 repeat.01 repeat_bytes.01 replace.012 rpad_bytes.012 series.012
  split.01 string_to_bignumeric.0 string_to_interval.0 string_to_range_date.0
  string_to_range_datetime.0 string_to_range_timestamp.0 substr.012 timestamp_series.012
  top_count.1 week_date.013 word_places.0
`);
