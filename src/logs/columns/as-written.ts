import { otherFields } from '../../types/types.js';
import { compact } from '../../values/json-raw.js';
import { sliceJson } from '../../values/slice-json.js';
import { recordMembers } from '../shapes/member.js';

/**
 * Returns the JSON of a stored value as the log has it: leaves out null fields, which the record does not have, and
 * puts fields without types back beside the others. `{"a":1,"b":null,"_other_fields":"{\"c\":2}"}` -> `{"a":1,"c":2}`
 */
export function asWritten(json: string): string {
  if (json.startsWith('[')) {
    const elements = sliceJson(json).map(({ raw }) => asWritten(raw));
    return `[${elements.join(',')}]`;
  }
  if (!json.startsWith('{')) return compact(json);
  const members = recordMembers(json, String).filter(({ raw }) => raw !== 'null');
  const written = members.map(({ key, raw }) => {
    const others = key === `"${otherFields}"` && raw.startsWith('"');
    return others ? String(JSON.parse(raw)).slice(1, -1) : `${key}:${asWritten(raw)}`;
  });
  return `{${written.join(',')}}`;
}
