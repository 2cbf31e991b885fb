import { words } from '../../values/words.js';

/**
 * GoogleSQL functions that are not supported; a query gets a message that says so. `st_*` is a prefix.
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/functions-all
 */
export const unsupportedFunctions: ReadonlySet<string> = words(
  `agg ai.* appends changes collate destination_node_id edges element_id external_object_transform
  hll_count.* kll_quantiles.* labels ml.* nodes obj.* path_first path_last path_length range_sessionize
  s2_* source_node_id st_* tf_idf vector_index.* vector_search`,
);

/** GoogleSQL functions that reveal the caller or the project, or reach outside: refused for safety. */
export const refusedFunctions: ReadonlySet<string> = words(
  `aead.* catalog_name current_user current_catalog current_role current_schema deterministic_decrypt_bytes
  deterministic_decrypt_string deterministic_encrypt dlp_* external_query keys.* session_user`,
);

/** Whether a list contains a name, in lower case, or a prefix of it such as `st_*`. */
export function isListed(name: string, list: ReadonlySet<string>): boolean {
  const ends = [...name.matchAll(/[._]/g)].map(({ index }) => index + 1);
  return list.has(name) || ends.some((end) => list.has(`${name.slice(0, end)}*`));
}
