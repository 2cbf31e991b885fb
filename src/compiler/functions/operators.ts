import { QueryFault } from '../../errors/query-fault.js';
import type * as bound from '../bound/bound.js';
import type { DuckExpression } from '../duckdb-sql/duckdb-sql.js';
import * as d from '../duckdb-sql/duckdb-sql.js';
import { letOnce } from '../duckdb-sql/let.js';
import { mapList } from '../duckdb-sql/plain.js';
import { joinArrays } from './array.js';
import { overBytes } from './bytes.js';
import { betweenBounds, distinctness, equality, inequality, membership } from './compare.js';
import {
  byResult,
  defineFunctions,
  type Emitter,
  macroWithLet,
  nativeOperator,
} from './definition.js';
import { exactMacro, unlessSafe } from './math.js';
import { checkOverflow } from './overflow.js';
import { dateArithmetic, intervalTimes } from './shift.js';

/**
 * Operators. A query cannot call these names itself.
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/operators
 */
export const operators = defineFunctions({
  $AND: ['BOOL... -> BOOL', nativeOperator('AND')],
  $OR: ['BOOL... -> BOOL', nativeOperator('OR')],
  $NOT: ['BOOL -> BOOL', ([operand]) => prefix('NOT', operand)],
  '$IS TRUE': ['BOOL -> BOOL', ([a]) => d.call('coalesce', a ?? d.nullValue, d.falseValue)],
  '$IS FALSE': ['BOOL -> BOOL', ([a]) => d.call('coalesce', prefix('NOT', a), d.falseValue)],
  '$=': ['T, T -> BOOL', equality('=')],
  '$<>': ['T, T -> BOOL', equality('<>')],
  '$<': ['T, T -> BOOL', inequality('<')],
  '$<=': ['T, T -> BOOL', inequality('<=')],
  '$>': ['T, T -> BOOL', inequality('>')],
  '$>=': ['T, T -> BOOL', inequality('>=')],
  '$IS DISTINCT FROM': ['T, T -> BOOL', distinctness('IS DISTINCT FROM')],
  '$IS NOT DISTINCT FROM': ['T, T -> BOOL', distinctness('IS NOT DISTINCT FROM')],
  $BETWEEN: ['T, T, T -> BOOL', betweenBounds],
  $IN: ['T, T... -> BOOL', membership],
  $LIKE: ['TEXT, TEXT -> BOOL', overBytes(like('LIKE'))],
  $ILIKE: ['STRING, STRING -> BOOL', like('ILIKE')],
  '$LIKE ANY': ['TEXT, ARRAY<TEXT> -> BOOL', likeSome('LIKE', 'OR')],
  '$LIKE ALL': ['TEXT, ARRAY<TEXT> -> BOOL', likeSome('LIKE', 'AND')],
  '$ILIKE ANY': ['STRING, ARRAY<STRING> -> BOOL', likeSome('ILIKE', 'OR')],
  '$ILIKE ALL': ['STRING, ARRAY<STRING> -> BOOL', likeSome('ILIKE', 'AND')],
  '$||': [
    'TEXT, TEXT -> TEXT | ARRAY<T>, ARRAY<T> -> ARRAY<T>',
    byResult({ ARRAY: joinArrays }, nativeOperator('||')),
  ],
  '$+': [
    'NUMBER, NUMBER -> NUMBER | DATETIME, INTERVAL -> DATETIME | TIMESTAMP, INTERVAL -> TIMESTAMP | DATE, INTERVAL -> DATETIME | INTERVAL, DATETIME -> DATETIME | INTERVAL, TIMESTAMP -> TIMESTAMP | INTERVAL, DATE -> DATETIME | INTERVAL, INTERVAL -> INTERVAL | DATE, INT64 -> DATE | INT64, DATE -> DATE',
    unlessSafe('add', dateArithmetic('+', checkOverflow('+', nativeOperator('+')))),
  ],
  '$-': [
    'NUMBER, NUMBER -> NUMBER | DATETIME, INTERVAL -> DATETIME | TIMESTAMP, INTERVAL -> TIMESTAMP | DATE, INTERVAL -> DATETIME | INTERVAL, INTERVAL -> INTERVAL | DATE, INT64 -> DATE | DATE, DATE -> INTERVAL | DATETIME, DATETIME -> INTERVAL | TIMESTAMP, TIMESTAMP -> INTERVAL | TIME, TIME -> INTERVAL',
    unlessSafe('subtract', dateArithmetic('-', checkOverflow('-', nativeOperator('-')))),
  ],
  '$*': [
    'NUMBER, NUMBER -> NUMBER | INTERVAL, INT64 -> INTERVAL | INT64, INTERVAL -> INTERVAL',
    byResult(
      { INTERVAL: intervalTimes('interval_times') },
      checkOverflow('*', exactMacro('multiply', nativeOperator('*'))),
    ),
  ],
  '$/': [
    'INT64, INT64 -> FLOAT64 | DECIMAL, DECIMAL -> DECIMAL | FLOAT64, FLOAT64 -> FLOAT64 | INTERVAL, INT64 -> INTERVAL',
    byResult(
      { INTERVAL: intervalTimes('interval_divide') },
      checkOverflow('/', exactMacro('divide', macroWithLet('divide'))),
    ),
  ],
  $negate: ['NUMBER -> NUMBER | INTERVAL -> INTERVAL', ([operand]) => prefix('-', operand)],
  $plus: ['NUMBER -> NUMBER', ([operand = d.nullValue]) => operand],
});

function prefix(operator: 'NOT' | '-', operand: DuckExpression = d.nullValue): DuckExpression {
  return { kind: 'prefix', operator, operand };
}

/** A backslash escapes in BigQuery's LIKE; DuckDB's has no escape character by default. */
function like(operator: 'LIKE' | 'ILIKE'): Emitter {
  const name = operator === 'LIKE' ? 'like_escape' : 'ilike_escape';
  return ([value = d.nullValue, pattern = d.nullValue], { at }) => {
    const backslash = d.text('\\');
    if (pattern.kind !== 'text')
      return d.call(name, value, d.macro('like_pattern', pattern), backslash);
    checkPattern(pattern.value, at);
    const isPlain = !pattern.value.includes('\\');
    return isPlain ? d.infix(operator, value, pattern) : d.call(name, value, pattern, backslash);
  };
}

/** Refuses a literal pattern with many wildcards: DuckDB would exceed any time limit. */
function checkPattern(pattern: string, at: number): void {
  if (/^(?:[^\\]|\\[\s\S])*\\$/.test(pattern)) {
    throw new QueryFault('LIKE pattern ends with a backslash', at);
  }
  const wildcards = pattern.replaceAll(/\\[\s\S]|[^%_]/g, '');
  const max = wildcards.includes('%') && wildcards.includes('_') ? 64 : 512;
  if (wildcards.length > max) {
    throw new QueryFault(`A LIKE pattern has at most ${max} wildcards`, at);
  }
}

/** A placeholder of the element type for an array; any other expression unchanged. */
function elementPlaceholder(value: bound.Expression): bound.Expression {
  if (value.type.kind !== 'ARRAY') return value;
  return { kind: 'parameter', name: '', type: value.type.element };
}

/** `LIKE ANY` and `LIKE ALL`. For an empty array, ANY is false and ALL is true. */
function likeSome(operator: 'LIKE' | 'ILIKE', joined: 'AND' | 'OR'): Emitter {
  return ([value = d.nullValue, list = d.nullValue], node, clauses) => {
    const array = list.kind === 'cast' ? list.of : list;
    const patterns = array.kind === 'list' ? array.elements : [];
    const pair = { ...node, args: node.args.map(elementPlaceholder) };
    const test = (one: DuckExpression, pattern: DuckExpression) =>
      overBytes(like(operator))([one, pattern], pair, clauses);
    if (patterns.length > 0) {
      return letOnce([value], ([one = value]) =>
        d.infix(joined, ...patterns.map((pattern) => test(one, pattern))),
      );
    }
    const not = (one: DuckExpression) => (joined === 'OR' ? one : prefix('NOT', one));
    return letOnce(
      [value, list],
      ([one = value, all = list]) => {
        const tests = mapList(all, (each) => not(test(one, each)));
        return not(d.macro('some_true', tests));
      },
      0,
    );
  };
}
