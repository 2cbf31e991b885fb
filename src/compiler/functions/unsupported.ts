/**
 * GoogleSQL functions that are not supported; a query gets a message that says so. `st_*` is a prefix.
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/functions-all
 */
export const unsupportedFunctions: ReadonlySet<string> = new Set(
  `ai.* appends bag_of_words changes collate external_object_transform farm_fingerprint gap_fill
  generate_range_array hll_count.* json_array_append json_array_insert json_flatten json_remove json_set
  kll_quantiles.* ml.* net.public_suffix net.reg_domain obj.* range range_contains range_end
  range_intersect range_overlaps range_sessionize range_start s2_* search sha512 st_* text_analyze tf_idf
  vector_search`.split(/\s+/),
);

/** GoogleSQL functions that reveal the caller or the project, or reach outside: refused for safety. */
export const refusedFunctions: ReadonlySet<string> = new Set(
  `aead.* catalog_name current_user current_catalog current_role current_schema deterministic_decrypt_bytes
  deterministic_decrypt_string deterministic_encrypt dlp_* external_query keys.* session_user`.split(
    /\s+/,
  ),
);

/** Whether a list contains a name, in lower case, or a prefix of it such as `st_*`. */
export function isListed(name: string, list: ReadonlySet<string>): boolean {
  const ends = [...name.matchAll(/[._]/g)].map(({ index }) => index + 1);
  return list.has(name) || ends.some((end) => list.has(`${name.slice(0, end)}*`));
}
