/**
 * GoogleSQL's functions that are not in the table: refused by their name, not as unknown.
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/functions-all
 */
export const unsupportedFunctions: ReadonlySet<string> = new Set(
  `appends changes collate external_object_transform farm_fingerprint generate_range_array
  json_array_append json_array_insert json_remove json_set
  net.public_suffix net.reg_domain s2_cellidfrompoint search sha512`.split(/\s+/),
);

/** GoogleSQL's functions that tell of the caller, the project or the outside: refused for safety. */
export const refusedFunctions: ReadonlySet<string> = new Set(
  `session_user external_query catalog_name current_user current_catalog current_role current_schema
  keys.new_keyset aead.encrypt aead.decrypt_string aead.decrypt_bytes`.split(/\s+/),
);
