import { describe, expect, test } from 'vitest';
import { createEventReader } from '../../../src/explorer/model/event-stream.js';
import { liveQuery } from '../../../src/explorer/model/live-query.js';
import { emptyState, type Language } from '../../../src/explorer/model/page-state.js';
import { edgeLogs, endpoint, scalar } from '../tables.js';

test('events are read as they come, in any pieces', () => {
  const stream =
    ': hello\n\nid: 7\nevent: rows\ndata: {"a":1}\n\nevent: gap\ndata: x\n\ndata: y: z\n\nevent: none\n\n';
  const expected = [
    { type: 'rows', data: '{"a":1}', id: '7' },
    { type: 'gap', data: 'x', id: '7' },
    { type: 'message', data: 'y: z', id: '7' },
  ];
  for (const size of [1, 2, 3, 1000]) {
    const read = createEventReader();
    const pieces = stream.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
    expect(pieces.flatMap((piece) => read(piece))).toEqual(expected);
  }
});

describe('what Live follows', () => {
  const other = {
    name: 'db_logs',
    schema: { fields: [scalar('timestamp', 'TIMESTAMP'), scalar('id'), scalar('n', 'INT64')] },
  };
  const two = { ...endpoint, sql: 'select id from edge_logs', tables: [edgeLogs, other] };
  const of = (language: Language, text: string) =>
    liveQuery({ ...emptyState, language, [language]: text }, two);
  const response =
    'select r.path from edge_logs cross join unnest(metadata) as m cross join unnest(m.response) as r';

  test.each([
    ['stored', '', 'edge_logs', '', true],
    ['sql', 'select * from db_logs limit 5', 'db_logs', '', true],
    ['sql', "select id from db_logs where id = 'a b' and 1 < n", undefined, '', true],
    ['sql', "select id from db_logs where id = 'a \"b'", 'db_logs', 'id:"a \\"b"', true],
    ['sql', 'select id from db_logs where n >= 5', undefined, '', true],
    [
      'sql',
      "select id from db_logs where id = 'a and b' and id = 'it\\'s'",
      'db_logs',
      'id:"a and b" id:"it\'s"',
      true,
    ],
    ['sql', "select id from db_logs where id = concat('a', 'b')", undefined, '', true],
    ['sql', 'select id from db_logs where id between 1 and 2', undefined, '', true],
    [
      'sql',
      "select e.id from db_logs as e join unnest(items) as i on i.sku = 'a'",
      undefined,
      '',
      true,
    ],
    [
      'sql',
      `${response} where r.status_code < 500`,
      'edge_logs',
      'm.response.status_code:<500',
      true,
    ],
    ['sql', "select id from db_logs where n = 1 or id = 'a'", undefined, '', true],
    ['sql', "select id from db_logs where id != 'a'", undefined, '', true],
    ['sql', "select id from db_logs where lower(id) = 'a'", undefined, '', true],
    ['sql', 'select count(*) from db_logs', undefined, '', true],
    ['lql', 'n:1 f:db_logs', 'db_logs', 'n:1', false],
    ['lql', 'f:db_logs s:id n:1 s:n', 'db_logs', 'n:1', true],
    ['lql', 'f:db_logs c:count(*)', undefined, '', false],
  ] as const)('%s %s', (language, text, source, filter, isOther) => {
    const found = of(language, text);
    if (source === undefined) expect(found).toEqual({ reason: expect.stringMatching(/^Live /) });
    else expect(found).toEqual({ source, filter, isOther });
  });
});
