/**
 * GoogleSQL's functions that are not in the table: refused by their name, not as unknown; `st_*` is
 * every name that begins so.
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/functions-all
 */
export const unsupportedFunctions: ReadonlySet<string> = new Set(
  `ai.* appends bag_of_words changes collate external_object_transform farm_fingerprint gap_fill
  generate_range_array hll_count.* json_array_append json_array_insert json_flatten json_remove json_set
  kll_quantiles.* ml.* net.public_suffix net.reg_domain obj.* range range_contains range_end
  range_intersect range_overlaps range_sessionize range_start s2_* search sha512 st_* text_analyze tf_idf
  vector_search`.split(/\s+/),
);

/** GoogleSQL's functions that tell of the caller, the project or the outside: refused for safety. */
export const refusedFunctions: ReadonlySet<string> = new Set(
  `aead.* catalog_name current_user current_catalog current_role current_schema deterministic_decrypt_bytes
  deterministic_decrypt_string deterministic_encrypt dlp_* external_query keys.* session_user`.split(
    /\s+/,
  ),
);

/** Whether a name, in lower case, is in a list: itself, or the beginning that it shares with others. */
export function isListed(name: string, list: ReadonlySet<string>): boolean {
  const ends = [...name.matchAll(/[._]/g)].map(({ index }) => index + 1);
  return list.has(name) || ends.some((end) => list.has(`${name.slice(0, end)}*`));
}
