import { call, castTo, choose, type DuckExpression, macro, text } from './duckdb-sql.js';
import { letOnce } from './let.js';

/** Parses a string to a JSON value, printed as BigQuery prints it; fails for a string that is not JSON. */
export function parseJsonCall(value: DuckExpression, mode: 'exact' | 'round'): DuckExpression {
  return castTo(call('js_parse_json', value, text(mode)), 'JSON');
}

/**
 * Converts a JSON value to a string. DuckDB prints a few numbers differently from BigQuery, such as `1e21`
 * for `1e+21`. A JavaScript function prints the values with such a number again.
 */
export function jsonToText(value: DuckExpression): DuckExpression {
  return letOnce([value], ([one = value]) =>
    choose(macro('has_other_number', one), printed(one), castTo(one, 'VARCHAR')),
  );
}

/**
 * Converts a JSON scalar to a string: a string to its value, and null to NULL. A number of a log's JSON that is beyond
 * FLOAT64 stays as it is written.
 */
export function jsonScalarToText(scalar: DuckExpression): DuckExpression {
  return letOnce([scalar], ([one = scalar]) => {
    const written = castTo(one, 'VARCHAR');
    const shown = call('coalesce', call('js_safe_parse_json', written, text('round')), written);
    return choose(macro('is_other_number', one), shown, macro('json_scalar', one));
  });
}

/** Prints JSON with each item on a separate line. */
export function jsonLines(value: DuckExpression): DuckExpression {
  return call('js_json_pretty', printed(value));
}

function printed(value: DuckExpression): DuckExpression {
  return call('js_parse_json', castTo(value, 'VARCHAR'), text('round'));
}
