import { call, macro, nullValue } from '../duckdb-sql/duckdb-sql.js';
import { letOnce } from '../duckdb-sql/let.js';
import { defineFunctions, type Emitter } from './definition.js';

/** Calls a function in JavaScript with the host of a URL. */
const ofHost =
  (name: string): Emitter =>
  ([url = nullValue]) =>
    letOnce([url], ([one = url]) => call(name, macro('net_host', one)));

/** @see https://cloud.google.com/bigquery/docs/reference/standard-sql/net_functions */
export const netFunctions = defineFunctions({
  'net.host': ['STRING -> STRING'],
  'net.ip_from_string': ['STRING -> BYTES'],
  'net.ip_net_mask': ['INT64, INT64 -> BYTES'],
  'net.ip_to_string': ['BYTES -> STRING'],
  'net.ip_trunc': ['BYTES, INT64 -> BYTES'],
  'net.ipv4_from_int64': ['INT64 -> BYTES'],
  'net.ipv4_to_int64': ['BYTES -> INT64'],
  'net.public_suffix': ['STRING -> STRING', ofHost('js_public_suffix')],
  'net.reg_domain': ['STRING -> STRING', ofHost('js_reg_domain')],
  'net.safe_ip_from_string': ['STRING -> BYTES'],
});
