/** An event of a stream. @see https://html.spec.whatwg.org/multipage/server-sent-events.html */
export interface StreamEvent {
  /** `message` unless the server names it. */
  readonly type: string;
  readonly data: string;
  /** The last identifier sent, with this event or an earlier one. */
  readonly id: string;
}

/**
 * Creates a reader of the server's events, which returns the events that end in the next chunk of text; EventSource
 * cannot send the header with the token. An event without an id keeps the previous one. The server writes one line
 * for each field.
 */
export function createEventReader(): (text: string) => readonly StreamEvent[] {
  let rest = '';
  let id = '';
  return (text) => {
    const blocks = (rest + text).split('\n\n');
    rest = blocks.pop() ?? '';
    return blocks.flatMap((block) => {
      const fields = new Map(
        [...block.matchAll(/^(\w+): (.*)$/gm)].map(([, key, value]) => [key, value]),
      );
      id = fields.get('id') ?? id;
      const data = fields.get('data');
      return data === undefined ? [] : [{ type: fields.get('event') ?? 'message', data, id }];
    });
  };
}
