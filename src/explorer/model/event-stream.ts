/** An event of a stream. @see https://html.spec.whatwg.org/multipage/server-sent-events.html */
export interface StreamEvent {
  /** `message` unless the server names it. */
  readonly type: string;
  readonly data: string;
  /** The last identifier that was sent, with this event or before. */
  readonly id: string;
}

/**
 * Reads the text of an event stream as it comes. EventSource would, but it cannot send the header with the
 * token.
 */
export function createEventReader(): (text: string) => readonly StreamEvent[] {
  let rest = '';
  let id = '';
  let type = '';
  let data: string[] = [];
  const end = (): readonly StreamEvent[] => {
    const event = { type: type || 'message', data: data.join('\n'), id };
    const isEmpty = data.length === 0;
    type = '';
    data = [];
    return isEmpty ? [] : [event];
  };
  const take = (line: string): readonly StreamEvent[] => {
    if (line === '') return end();
    const { name, value } = fieldOf(line);
    if (name === 'data') data.push(value);
    if (name === 'event') type = value;
    if (name === 'id') id = value;
    return [];
  };
  return (text) => {
    // A carriage return at the end may be the first half of a line's end.
    const lines = (rest + text).split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? '';
    return lines.flatMap(take);
  };
}

/** Reads `name: value`; a comment has no name. */
function fieldOf(line: string): { readonly name: string; readonly value: string } {
  const [, name = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/.exec(line) ?? [];
  return { name, value };
}
