/** The language options of a query, in the reference implementation's protocol. */
export interface LanguageOptions {
  readonly productMode: string;
  readonly enabledLanguageFeatures: readonly string[];
  readonly supportedStatementKinds: readonly string[];
  readonly reservedKeywords: readonly string[];
}

/** Features that the reference implementation has and BigQuery lacks. */
const notInBigQuery = new Set([
  'FEATURE_TIMESTAMP_NANOS',
  'FEATURE_V_1_1_ARRAY_EQUALITY',
  'FEATURE_V_1_1_CAST_DIFFERENT_ARRAY_TYPES',
  'FEATURE_V_1_3_ARRAY_GREATEST_LEAST',
  'FEATURE_V_1_3_ARRAY_ORDERING',
  'FEATURE_V_1_3_UNNEST_AND_FLATTEN_ARRAYS',
  'FEATURE_V_1_4_FIRST_AND_LAST_N',
  'FEATURE_V_1_4_NULLIFZERO_ZEROIFNULL',
  'FEATURE_V_1_4_PI_FUNCTIONS',
]);

/** Features that BigQuery has and the reference implementation does not count among its ready ones. */
const alsoInBigQuery = [
  'FEATURE_INTERVAL_TYPE',
  'FEATURE_INVERSE_TRIG_FUNCTIONS',
  'FEATURE_TIME_BUCKET_FUNCTIONS',
  'FEATURE_V_1_4_GROUPING_BUILTIN',
  'FEATURE_V_1_4_GROUPING_SETS',
  'FEATURE_V_1_4_LIKE_ANY_SOME_ALL_ARRAY',
  'FEATURE_V_1_4_LIKE_ANY_SOME_ALL_SUBQUERY',
  'FEATURE_V_1_4_SET_OPERATION_COLUMN_PROPAGATION_MODE',
];

/** The options of a query in BigQuery's dialect, of those with every ready feature. */
export function bigQueryOptions(most: LanguageOptions): LanguageOptions {
  const features = most.enabledLanguageFeatures.filter((feature) => !notInBigQuery.has(feature));
  return {
    ...most,
    productMode: 'PRODUCT_EXTERNAL',
    enabledLanguageFeatures: [...features, ...alsoInBigQuery],
  };
}
