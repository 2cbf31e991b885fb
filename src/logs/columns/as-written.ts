import {
  compact,
  endOfString,
  endOfValue,
  firstItem,
  isEnd,
  nextItem,
  skipBlanks,
} from '../../common/json-raw.js';
import { otherFields } from '../../types/types.js';

/**
 * The JSON of a stored value as the log has it: a field that is null is one that the record does not have, and those
 * without types are beside the others. `{"a":1,"b":null,"_other_fields":"{\"c\":2}"}` -> `{"a":1,"c":2}`
 */
export function asWritten(json: string, from = 0): string {
  const at = skipBlanks(json, from);
  if (json[at] === '{') return `{${membersAt(json, at).join(',')}}`;
  if (json[at] !== '[') return compact(json.slice(at, endOfValue(json, at)));
  const elements: string[] = [];
  for (let each = firstItem(json, at); !isEnd(json, each); each = nextItem(json, each))
    elements.push(asWritten(json, each));
  return `[${elements.join(',')}]`;
}

function membersAt(json: string, start: number): readonly string[] {
  const members: string[] = [];
  for (let at = firstItem(json, start); !isEnd(json, at); at = nextItem(json, at)) {
    const end = endOfString(json, at);
    const key = json.slice(at, end);
    at = skipBlanks(json, skipBlanks(json, end) + 1);
    if (json.startsWith('null', at)) continue;
    const others = key === `"${otherFields}"` && json[at] === '"';
    members.push(others ? othersAt(json, at) : `${key}:${asWritten(json, at)}`);
  }
  return members;
}

function othersAt(json: string, at: number): string {
  return String(JSON.parse(json.slice(at, endOfString(json, at)))).slice(1, -1);
}
