import { call, castTo, choose, type DuckExpression, macro, text } from './duckdb-sql.js';
import { letOnce } from './let.js';

/** The JSON value of a text, printed as BigQuery prints it; fails for a text that is not JSON. */
export function parseJson(value: DuckExpression, mode: 'exact' | 'round'): DuckExpression {
  return castTo(call('js_parse_json', value, text(mode)), 'JSON');
}

/**
 * The text of a JSON value. DuckDB's functions print a few numbers otherwise than BigQuery, such as
 * `1e21` for `1e+21`. Only values with such a number are printed again, by a function in JavaScript.
 */
export function jsonToText(value: DuckExpression): DuckExpression {
  return letOnce([value], ([one = value]) =>
    choose(macro('has_other_number', one), printed(one), castTo(one, 'VARCHAR')),
  );
}

/** The text of a JSON scalar: of a string, its value; of null, NULL. */
export function jsonScalarToText(scalar: DuckExpression): DuckExpression {
  return letOnce([scalar], ([one = scalar]) =>
    choose(macro('is_other_number', one), printed(one), macro('json_scalar', one)),
  );
}

/** JSON with its items on lines of their own. */
export function jsonLines(value: DuckExpression): DuckExpression {
  return call('js_json_pretty', printed(value));
}

function printed(value: DuckExpression): DuckExpression {
  return call('js_parse_json', castTo(value, 'VARCHAR'), text('round'));
}
