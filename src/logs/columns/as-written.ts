import * as raw from '../../common/json-raw.js';
import { otherFields } from '../../types/types.js';

/**
 * The JSON of a stored value as the log has it: a field that is null is one that the record does not have, and those
 * without types are beside the others. `{"a":1,"b":null,"_other_fields":"{\"c\":2}"}` -> `{"a":1,"c":2}`
 */
export function asWritten(json: string, from = 0): string {
  const at = raw.skipBlanks(json, from);
  if (json[at] === '{') return `{${membersAt(json, at).join(',')}}`;
  if (json[at] !== '[') return raw.compact(json.slice(at, raw.endOfValue(json, at)));
  const elements: string[] = [];
  for (let each = raw.firstItem(json, at); !raw.isEnd(json, each); each = raw.nextItem(json, each))
    elements.push(asWritten(json, each));
  return `[${elements.join(',')}]`;
}

function membersAt(json: string, start: number): readonly string[] {
  const members: string[] = [];
  for (let at = raw.firstItem(json, start); !raw.isEnd(json, at); at = raw.nextItem(json, at)) {
    const end = raw.endOfString(json, at);
    const key = json.slice(at, end);
    at = raw.skipBlanks(json, raw.skipBlanks(json, end) + 1);
    if (json.startsWith('null', at)) continue;
    const others = key === `"${otherFields}"` && json[at] === '"';
    members.push(others ? othersAt(json, at) : `${key}:${asWritten(json, at)}`);
  }
  return members;
}

function othersAt(json: string, at: number): string {
  return String(JSON.parse(json.slice(at, raw.endOfString(json, at)))).slice(1, -1);
}
