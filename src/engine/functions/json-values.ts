import { elementsAt, memberPointer, partAt, scalarsAt } from '../../common/json-raw.js';
import { JsonFault, normalizeJson } from '../../common/normalize-json.js';
import { jsonUpTo } from './json-prefix.js';
import { prettyJson } from './json-pretty.js';
import { ScriptFault, type TextFunction } from './script-function.js';

type Texts = Parameters<TextFunction['call']>[0];

function textFunction(name: string, call: (args: Texts) => string | null): TextFunction {
  return { name, input: 'texts', result: 'VARCHAR', call: (args) => withFaults(() => call(args)) };
}

/** Makes a fault of JSON one that callers see. */
function withFaults<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof JsonFault ? new ScriptFault(error.message) : error;
  }
}

/** `(text, mode)` */
function parseJson([json = null, mode = null]: Texts): string | null {
  return json === null ? null : normalizeJson(json, mode === 'exact' ? mode : 'round');
}

/** `(JSON, depth)` */
function pretty([json = null, depth = null]: Texts): string | null {
  return json === null ? null : prettyJson(json, Number(depth));
}

/** `(text, pointer)`, with a reader of what is there. */
function read(reader: (text: string, pointer: string) => string | null) {
  return ([json = null, pointer = null]: Texts) =>
    json === null || pointer === null ? null : reader(json, pointer);
}

/** Functions that read and print JSON where DuckDB prints numbers otherwise than BigQuery. */
export const jsonValueFunctions: readonly TextFunction[] = [
  textFunction('js_json_elements_at', read(elementsAt)),
  textFunction('js_json_member_pointer', read(memberPointer)),
  textFunction('js_json_part_at', read(partAt)),
  textFunction('js_json_pretty', pretty),
  textFunction('js_json_scalars_at', read(scalarsAt)),
  textFunction('js_json_up_to', read(jsonUpTo)),
  textFunction('js_parse_json', parseJson),
];
