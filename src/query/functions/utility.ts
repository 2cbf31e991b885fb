import { castTo, choose, duckNull, isNull, macro } from '../duck.js';
import { duckType } from '../duck-type.js';
import { rows } from './row.js';

/**
 * ERROR has the type of the place where it stands, which `coerce` gives it.
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/utility-functions
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/debugging_functions
 */
export const utilityFunctions = [
  ...rows({
    error: [
      'STRING -> INT64',
      ([message = duckNull], { type }) => {
        const raised = macro('error', message);
        const none = castTo(duckNull, duckType(type));
        return type.kind === 'INT64' ? raised : choose(isNull(raised), none, none);
      },
    ],
  }),
  ...rows({ generate_uuid: ['-> STRING'] }, { isStable: false }),
];
