import { typeName } from '../../types/types.js';
import { castTo, macro, nullValue, text } from '../duckdb-sql/duckdb-sql.js';
import { duckType } from '../duckdb-sql/duckdb-type.js';
import { defineFunctions } from './definition.js';

/**
 * ERROR has the type that its context expects; `coerce` sets it.
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/utility-functions
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/debugging_functions
 */
export const utilityFunctions = [
  ...defineFunctions({
    error: [
      'STRING -> INT64',
      ([message = nullValue], { type }) => {
        const raised = macro('error', message);
        // No condition encloses it: DuckDB would evaluate a constant condition while planning.
        return type.kind === 'INT64' ? raised : castTo(castTo(raised, 'VARCHAR'), duckType(type));
      },
    ],
    typeof: ['ANY -> STRING', (_, { args }) => text(args.map(({ type }) => typeName(type)).join())],
  }),
  ...defineFunctions({ generate_uuid: ['-> STRING'] }, { isStable: false }),
];
