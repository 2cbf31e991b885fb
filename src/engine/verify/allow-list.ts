/**
 * The allow-lists for statements, in the vocabulary of DuckDB's own parser: everything that the compiler can print,
 * and nothing else. A missing word turns a legal query into an internal error, so
 * `test/engine/verify/check-expression.nightly.test.ts` checks every function in the compiler's tables.
 */

import { words } from '../../values/words.js';

/** DuckDB's functions, operators and aggregates, as the parser names them. */
export const allowedFunctions: ReadonlySet<string> = words(`
  % & * + - // | || ~ ~~ ~~* abs any_value arg_max_null arg_min arg_min_null array_to_string asinh atan atan2 avg
  base64 bit_and bit_count bit_or bit_xor bool_and bool_or ceil chr concat_ws contains corr count count_star covar_pop
  covar_samp create_sort_key cume_dist date_diff date_part date_trunc dense_rank encode ends_with epoch_us first_value
  flatten floor hex histogram ilike_escape isfinite isinf isnan js_casefold js_cast_number js_cast_time
  js_cast_time_parts js_decimal_statistic js_farm_fingerprint js_format js_integer_statistic js_json_array_append
  js_json_array_insert js_json_elements_at js_json_flatten js_json_keys js_json_member_pointer js_json_part_at
  js_json_pretty js_json_query_lax js_json_remove js_json_scalars_at js_json_set js_json_strip_nulls js_json_up_to
  js_lower js_normalize js_parse_json js_public_suffix js_reg_domain js_search js_sha512 js_sort_members
  js_text_analyze js_undeclared_members js_upper json json_object lag last_value lead left len length like_escape list
  list_count list_extract list_filter list_reduce list_reverse list_slice list_sort list_transform list_value lower
  lpad ltrim make_timestamp make_timestamptz map_entries max md5 min nfc_normalize nth_value ntile nullif octet_length
  percent_rank quantile_cont quantile_disc random rank regexp_extract regexp_matches regr_count replace right round
  row_number rpad rtrim sha1 sha256 sign starts_with stddev_pop stddev_samp strftime strlen strpos struct_concat
  struct_extract struct_pack substring sum tanh timezone to_base64 to_days to_hours to_json to_microseconds
  to_milliseconds to_minutes to_months to_quarters to_seconds to_weeks to_years trim trunc unhex unnest upper var_pop
  var_samp xor`);

/** Functions that the parser substitutes for other syntax; it puts them into the schema `main`. */
export const parserFunctions: ReadonlySet<string> = words('list_value substring trim');

/** The parser's function for `ARRAY(SELECT …)`; only its arguments may refer to columns by index. */
export const arrayFunction = 'array_agg';
/** The names that the parser generates for columns of `ARRAY(SELECT …)`. */
export const arrayKey = /^__array_internal_idx_\d+$/;

/** Functions that take a lambda. */
export const lambdaFunctions: ReadonlySet<string> = words('list_filter list_reduce list_transform');

/** Functions that take only one argument, because a second one would change their meaning. */
export const singleFunctions: ReadonlySet<string> = words('histogram unnest');

/** The schemas of tables that a statement may claim: the sources, and tables that only their connection can see. */
export const tableSchemas: ReadonlySet<string> = words('logs temp');

/** Types of casts and constants without parts. */
export const plainTypes: ReadonlySet<string> = new Set([
  ...['BIGINT', 'BLOB', 'BOOLEAN', 'DATE', 'DOUBLE', 'HUGEINT', 'INTEGER', 'INTERVAL', 'NULL'],
  ...['TIME', 'TIMESTAMP', 'TIMESTAMP WITH TIME ZONE', 'UHUGEINT', 'VARCHAR'],
]);

/** Comparison operators. */
export const allowedComparisons: ReadonlySet<string> = words(`
  COMPARE_DISTINCT_FROM COMPARE_EQUAL COMPARE_GREATERTHAN COMPARE_GREATERTHANOREQUALTO COMPARE_LESSTHAN
  COMPARE_LESSTHANOREQUALTO COMPARE_NOTEQUAL COMPARE_NOT_DISTINCT_FROM`);

/** AND and OR. */
export const conjunctions: ReadonlySet<string> = words('CONJUNCTION_AND CONJUNCTION_OR');

/** Other operators. */
export const allowedOperators: ReadonlySet<string> = words(`
  COMPARE_IN COMPARE_NOT_IN GROUPING_FUNCTION OPERATOR_COALESCE OPERATOR_IS_NOT_NULL OPERATOR_IS_NULL OPERATOR_NOT`);

/** Window functions. */
export const allowedWindows: ReadonlySet<string> = words(`
  WINDOW_AGGREGATE WINDOW_CUME_DIST WINDOW_FIRST_VALUE WINDOW_LAG WINDOW_LAST_VALUE WINDOW_LEAD WINDOW_NTH_VALUE
  WINDOW_NTILE WINDOW_PERCENT_RANK WINDOW_RANK WINDOW_RANK_DENSE WINDOW_ROW_NUMBER`);

/** Bounds of window frames. */
export const frameBounds: ReadonlySet<string> = words(`
  UNBOUNDED_PRECEDING UNBOUNDED_FOLLOWING CURRENT_ROW_RANGE CURRENT_ROW_ROWS EXPR_PRECEDING_ROWS
  EXPR_PRECEDING_RANGE EXPR_FOLLOWING_ROWS EXPR_FOLLOWING_RANGE`);

/** Kinds of subqueries in expressions. */
export const subqueries: ReadonlySet<string> = words('SCALAR EXISTS ANY');

/** Comparisons of a subquery; INVALID if it has none. */
export const subqueryComparisons: ReadonlySet<string> = words('INVALID COMPARE_EQUAL');

/** Kinds of joins. */
export const joins: ReadonlySet<string> = words('INNER LEFT RIGHT FULL');

/** Forms of joins. */
export const joinForms: ReadonlySet<string> = words('REGULAR CROSS');

/** Set operations. */
export const setOperations: ReadonlySet<string> = words('UNION INTERSECT EXCEPT');

/** Directions of ORDER BY. */
export const directions: ReadonlySet<string> = words('ASCENDING DESCENDING');

/** Orders of NULLs in ORDER BY. */
export const nullOrders = new Set(['ORDER_DEFAULT', 'NULLS FIRST', 'NULLS LAST']);

/** Materialization of CTEs. */
export const materializations: ReadonlySet<string> = words(`
  CTE_MATERIALIZE_DEFAULT CTE_MATERIALIZE_ALWAYS CTE_MATERIALIZE_NEVER`);
