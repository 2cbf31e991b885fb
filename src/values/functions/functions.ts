import { elementsAt, memberPointer, partAt, scalarsAt } from '../json-raw.js';
import { parseTree, printTree } from '../json-tree.js';
import { normalizeJson } from '../normalize-json.js';
import { castNumber } from './cast-number.js';
import { castTime, castTimeParts } from './cast-time.js';
import { endOfHost } from './domains.js';
import { formatRow } from './format-row.js';
import { hashFunctions } from './hashes.js';
import * as edit from './json-edit.js';
import { jsonUpTo } from './json-prefix.js';
import { prettyJson } from './json-pretty.js';
import { jsonKeyPaths, laxJsonValues } from './json-values.js';
import { normalizedFold } from './normalize.js';
import type { ScriptFunction, Text, TextFunction } from './script-function.js';
import { analyzeText, searchText } from './search.js';
import { decimalStatistic, integerStatistic } from './statistics.js';
import { undeclaredMembers } from './undeclared-members.js';

/** Functions for which any NULL gives NULL without a call. */
const strictFunctions: Readonly<Record<string, (...texts: string[]) => Text>> = {
  js_casefold: normalizedFold,
  js_cast_number: castNumber,
  js_cast_time: castTime,
  js_cast_time_parts: castTimeParts,
  js_decimal_statistic: decimalStatistic,
  js_integer_statistic: integerStatistic,
  js_json_elements_at: elementsAt,
  js_json_flatten: edit.flattenJson,
  js_json_member_pointer: memberPointer,
  js_json_part_at: partAt,
  js_json_pretty: prettyJson,
  js_json_query_lax: laxJsonValues,
  js_json_scalars_at: scalarsAt,
  js_json_up_to: jsonUpTo,
  js_lower: (text) => text.toLowerCase(),
  js_normalize: (text, form) => text.normalize(form),
  js_parse_json: (text, mode) => normalizeJson(text, mode === 'exact' ? mode : 'round'),
  js_public_suffix: (host) => endOfHost(host, 0),
  js_reg_domain: (host) => endOfHost(host, 1),
  js_sort_members: (text) => printTree(parseTree(text)),
  js_undeclared_members: undeclaredMembers,
  js_upper: (text) => text.toUpperCase(),
};

/** Functions that handle NULL themselves. */
const otherFunctions: Readonly<Record<string, (...texts: Text[]) => Text>> = {
  js_format: formatRow,
  js_json_array_append: edit.appendToJson,
  js_json_array_insert: edit.insertIntoJson,
  js_json_keys: jsonKeyPaths,
  js_json_remove: edit.removeFromJson,
  js_json_set: edit.setInJson,
  js_json_strip_nulls: edit.stripJsonNulls,
  js_text_analyze: analyzeText,
};

const searchFunction: TextFunction = {
  input: 'texts',
  name: 'js_search',
  result: 'BOOLEAN',
  call: ([text = null, query = null, analyzer = null, options = null]) =>
    searchText(text, query, analyzer, options),
};

function textFunction(name: string, call: TextFunction['call']): TextFunction {
  return { input: 'texts', name, result: 'VARCHAR', call };
}

function isComplete(texts: readonly Text[]): texts is readonly string[] {
  return !texts.includes(null);
}

/** All functions in JavaScript; each is on the allow-list of statement verification. */
export const scriptFunctions: readonly ScriptFunction[] = [
  ...hashFunctions,
  ...Object.entries(strictFunctions).map(([name, call]) =>
    textFunction(name, (texts) => (isComplete(texts) ? call(...texts) : null)),
  ),
  ...Object.entries(otherFunctions).map(([name, call]) =>
    textFunction(name, (texts) => call(...texts)),
  ),
  searchFunction,
];
