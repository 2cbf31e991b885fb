import { bindAs, isHeavy } from './bind-once.js';
import type { DuckCall, DuckExpression } from './duck.js';

/**
 * A macro's call with each argument that is not small bound to a name, unless the macro names its
 * arguments once: a macro's body is written out with its arguments in it, as often as it names
 * them, and the engine goes through what stands in a lambda several times. So calls in calls do not
 * grow with every level.
 */
export function bindArguments(node: DuckCall): DuckExpression {
  const isSmall = !node.args.some((arg) => isHeavy(arg));
  if (isSmall || !namesTwice(node)) return node;
  return bindAs('argument', node.args, (args) => ({ ...node, args }));
}

function namesTwice({ path: [first = '', name] }: DuckCall): boolean {
  return name === undefined ? engineMacros.has(first) : first === 'bq' && !namedOnce.has(name);
}

/** Functions of DuckDB's that are macros too, and name their arguments twice. */
export const engineMacros: ReadonlySet<string> = new Set([
  'array_to_string',
  'nullif',
  'split_part',
]);

/** Macros of `sql/bigquery.sql` that may be given anything: each argument stands in the body once, in no lambda. */
export const namedOnce: ReadonlySet<string> = new Set(
  `
    any_true ascii ascii_lower ascii_to_bytes ascii_upper base2_to_bytes bignumeric_to_float64 bits
    byte_ascii bytes_to_ascii bytes_to_base64m bytes_to_string capture_groups casefold chr
    code_points_to_bytes code_points_to_string contains_substr date_to_string date_to_timestamp
    datetime_to_timestamp edit_distance format_cut format_digits format_float64_literal
    format_groups format_size format_zeros from_base32 from_base64 from_bits from_hex from_latin1
    greatest hex_all ieee_divide initcap instr interval_days interval_of json_is_number json_lines
    json_query json_skeleton json_value least least_float64 left
    like_pattern lpad net_ip_from_string net_ip_net_mask net_ip_to_string
    net_ipv4_from_int64 net_ipv4_to_int64 net_safe_ip_from_string no_further numeric_to_float64
    numeric_units occurrence quote_text regexp_all regexp_all_by regexp_from regexp_instr_by repeat
    replace reverse right round_float64 rpad safe_convert_bytes_to_string sech soundex
    string_to_bytes timestamp_to_date timestamp_to_datetime timestamp_to_time to_base32
    to_code_points to_hex to_latin1 top_sum trunc_float64 unicode unix_date url_authority`
    .trim()
    .split(/\s+/),
);
