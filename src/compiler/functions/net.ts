import { defineFunctions } from './definition.js';

/** @see https://cloud.google.com/bigquery/docs/reference/standard-sql/net_functions */
export const netFunctions = defineFunctions({
  'net.host': ['STRING -> STRING'],
  'net.ip_from_string': ['STRING -> BYTES'],
  'net.ip_net_mask': ['INT64, INT64 -> BYTES'],
  'net.ip_to_string': ['BYTES -> STRING'],
  'net.ip_trunc': ['BYTES, INT64 -> BYTES'],
  'net.ipv4_from_int64': ['INT64 -> BYTES'],
  'net.ipv4_to_int64': ['BYTES -> INT64'],
  'net.safe_ip_from_string': ['STRING -> BYTES'],
});
