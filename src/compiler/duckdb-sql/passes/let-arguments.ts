import type { DuckCall, DuckExpression, DuckQuery } from '../duckdb-sql.js';
import { isHeavy, isLettable, letAs } from '../let.js';
import { mapChildren } from '../map-tree.js';

/**
 * Binds the arguments of a macro call to variables of a lambda, where the macro would repeat them:
 * the engine writes out a macro's body with its arguments in it as often as the body names them, and
 * plans what a lambda holds several times, so the cost of nested calls would multiply. A column that
 * a macro names in a lambda or in a struct would also be out of the engine's sight in a sub-select.
 * `bq.m(f(x))` -> `list_transform([{a0: f(x)}], lambda argument: bq.m(argument.a0))[1]`
 */
export function letArguments(query: DuckQuery): DuckQuery {
  return letIn(query) as DuckQuery;
}

function letIn(node: object): object {
  const bound = isCall(node) ? letCall(node) : node;
  return mapChildren(bound, letIn);
}

function isCall(node: object): node is DuckCall {
  return 'kind' in node && node.kind === 'call';
}

function letCall(node: DuckCall): DuckExpression {
  const { path, args } = node;
  if (path[0] === 'bq' && withSubquery.has(path[1] ?? '')) return node;
  const write = (given: readonly DuckExpression[]) => ({ ...node, args: given });
  const inside = path[0] === 'bq' ? (namedInLambda[path[1] ?? ''] ?? []) : [];
  if (args.some((arg, index) => inside.includes(index) && isLettable(arg))) {
    return letAs('argument', args, write, 0);
  }
  const isHeavyCall = args.some((arg) => isLettable(arg) && isHeavy(arg));
  return isHeavyCall && namesTwice(node) ? letAs('argument', args, write) : node;
}

function namesTwice({ path: [first = '', name] }: DuckCall): boolean {
  return name === undefined ? engineMacros.has(first) : first === 'bq' && !namedOnce.has(name);
}

/** Macros that hold a sub-select: the engine does not allow one in a lambda. */
const withSubquery: ReadonlySet<string> = new Set([
  'json_keys_strict',
  'json_keys_lax',
  'json_keys_lax_recursive',
]);

/** Functions of DuckDB that are macros themselves and name their arguments twice. */
export const engineMacros: ReadonlySet<string> = new Set([
  'array_to_string',
  'nullif',
  'split_part',
]);

/** Macros of `sql/bigquery` that may be given anything: each argument stands in the body once, in no lambda. */
export const namedOnce: ReadonlySet<string> = new Set(
  `
    any_true ascii ascii_lower ascii_to_bytes ascii_upper base2_to_bytes bignumeric_to_float64
    bits byte_ascii bytes_to_ascii bytes_to_base64m bytes_to_string casefold chr
    fail_int64 fail_float64 code_points_to_bytes code_points_to_string contains_substr date_to_string date_to_timestamp
    datetime_to_json datetime_to_timestamp edit_distance format_cut format_digits
    format_float64_literal format_groups format_size format_zeros from_base32 from_base64 from_hex from_latin1 greatest
    hex_all ieee_divide initcap instr interval_days interval_of json_query json_value least
    least_float64 left like_pattern lpad net_ip_from_string net_ip_net_mask net_ip_to_string
    net_ipv4_from_int64 net_ipv4_to_int64 net_safe_ip_from_string no_further numeric_to_float64
    occurrence quote_text regexp_all regexp_all_by regexp_from regexp_instr_by repeat replace
    reverse right round_float64 rpad safe_convert_bytes_to_string sech soundex string_to_bytes
    time_to_json timestamp_to_date timestamp_to_datetime timestamp_to_time to_base32 to_code_points to_hex
    to_latin1 top_sum trunc_float64 unicode unix_date`
    .trim()
    .split(/\s+/),
);

/** The places of what a macro of `sql/bigquery` names in a lambda's body or a struct, itself or through another. */
export const namedInLambda: Readonly<Record<string, readonly number[]>> = {
  array_to_text_by: [1],
  array_to_text_with: [2],
  array_to_text_with_by: [1, 2],
  bignumeric_divide: [0, 1],
  bignumeric_safe_divide: [0, 1],
  carried: [0, 1, 2],
  civil_series: [0, 1, 2, 3],
  edit_distance: [0, 1],
  escape_bytes: [1],
  format_cut: [0, 1],
  format_digits: [0, 1],
  format_groups: [0, 1, 2],
  format_pad: [0, 1, 2],
  format_sign: [1],
  format_zeros: [0, 1, 2],
  generate_array: [0, 2],
  generate_array_float64: [0, 1, 2],
  generate_array_numeric: [0, 2],
  initcap: [0, 1],
  instr: [0, 1, 2, 3],
  instr_places: [0, 1],
  ip6_hex: [0],
  ip6_plain: [0],
  ip6_text: [0],
  ip6_zeros: [0],
  join: [1],
  join_by: [1],
  json_object_of: [0, 1],
  justify_days: [0],
  justify_hours: [0],
  justify_interval: [0],
  net_ip_net_mask: [0, 1],
  net_ip_trunc: [0, 1],
  no_further: [0, 1],
  not_negative: [1],
  number_hex: [0, 1],
  number_parts: [0, 1],
  numeric_divide: [0, 1],
  numeric_safe_divide: [0, 1],
  pad_zeros: [1],
  percentile_cont_nulls: [1],
  percentile_disc_nulls: [1],
  quantile_places: [1],
  range_bucket: [0],
  read_iso_interval: [0],
  regexp_all_by: [0, 1],
  regexp_all_empty: [1, 2],
  regexp_first: [1, 2],
  regexp_from: [0, 1],
  regexp_instr: [0, 1, 2, 3, 4],
  regexp_instr_by: [0, 1, 2, 3, 4],
  regexp_place: [0, 1, 2, 3],
  regexp_replace: [0, 1, 2],
  regexp_replace_bounded: [0, 1, 2],
  repeat: [0, 1],
  replace: [0, 1, 2],
  series: [0, 1, 2],
  split: [0, 1],
  string_to_interval: [0],
  substr: [0, 1, 2],
  timestamp_series: [0, 1, 2],
  top_count: [1],
  without_commas: [0],
};
