import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as allowed from '../../../src/engine/verify/allow-list.js';

// Words that read more than the rows of sources, change or keep state, run text as SQL, or crash the engine.
const dangerous = `
  getvariable current_setting query query_table glob summary histogram_values seq_scan
  json_execute_serialized_sql json_serialize_sql json_deserialize_sql json_serialize_plan
  json_structure json_group_structure json_contains json_merge_patch json_each json_tree json_pretty
  nextval currval setseed sql_auto_complete check_peg_parser vector_type stats version
  current_user user session_user current_role current_catalog current_database current_schema
  current_schemas current_query current_connection_id current_query_id current_transaction_id
  txid_current in_search_path has_table_privilege format_type col_description obj_description
  shobj_description table_info show_tables storage_info write_log parse_duckdb_log_message
  enable_logging disable_logging enable_profiling force_checkpoint checkpoint
  test_all_types test_vector_types repeat_row arrow_scan arrow_scan_dumb sniff_csv
  error can_cast_implicitly is_histogram_other_bin
  repeat replace_type list_resize range generate_series format levenshtein damerau_levenshtein
  editdist3 jaccard jaro_similarity jaro_winkler_similarity regexp_replace list_zip`
  .trim()
  .split(/\s+/);

/** Prefixes of such words. */
const families =
  /^(?:getenv|read_|from_json|json_transform|duckdb_|pragma_|pg_|parquet_|write_|copy_|current_|has_|icu_|__internal)/;

const lists = Object.entries(allowed).flatMap(([name, words]) =>
  words instanceof Set ? [[name, words] as const] : [],
);

/** Table functions and macros with the name of an allowed function; verification refuses them in FROM. */
const namesakes = ['histogram table_macro', 'unnest table'];

/** Functions that DuckDB itself defines as macros. */
const macros = ['array_to_string', 'json', 'list_count', 'list_reverse', 'nullif'];

test('the lists include the functions', () => {
  expect(lists.map(([name]) => name)).toContain('allowedFunctions');
});

test.each(lists)('%s contains no dangerous word', (_, words) => {
  expect(dangerous.filter((word) => words.has(word))).toEqual([]);
  expect([...words].filter((word) => families.test(word))).toEqual([]);
});

describe("the engine's own functions", () => {
  let instance: DuckDBInstance;
  let functions: readonly { readonly name: string; readonly type: string; readonly has: string }[];

  beforeAll(async () => {
    instance = await DuckDBInstance.create(':memory:');
    const connection = await instance.connect();
    const reader = await connection.runAndReadAll(
      'select distinct function_name, function_type, coalesce(has_side_effects, false) from duckdb_functions()',
    );
    functions = reader.getRows().map(([name, type, has]) => ({
      name: String(name),
      type: String(type),
      has: String(has),
    }));
    connection.closeSync();
  });
  afterAll(() => instance.closeSync());

  test('include every word of the dangerous list', () => {
    const known = new Set(functions.map(({ name }) => name));
    const asSyntax = new Set(['user', 'current_role', 'current_catalog', 'session_user']);
    expect(dangerous.filter((word) => !known.has(word) && !asSyntax.has(word))).toEqual([]);
  });

  test('if allowed, are scalar or aggregate, or macros listed here', () => {
    const listed = functions.filter(({ name }) => allowed.allowedFunctions.has(name));
    const odd = listed.filter(({ type }) => !['scalar', 'aggregate'].includes(type));
    const known = [...macros.map((name) => `${name} macro`), ...namesakes];
    expect(odd.map(({ name, type }) => `${name} ${type}`).sort()).toEqual(known.sort());
    expect(listed.length).toBeGreaterThan(100);
  });

  test('if allowed, have no side effects except RAND', () => {
    const odd = functions.filter(
      ({ name, has }) => has === 'true' && allowed.allowedFunctions.has(name),
    );
    expect(odd.map(({ name }) => name)).toEqual(['random']);
  });
});
