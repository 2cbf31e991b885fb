import { describe, expect, test } from 'vitest';
import { createEventReader } from '../../../src/explorer/model/event-stream.js';
import { pageTailSource } from '../../../src/explorer/model/matches.js';
import { emptyState } from '../../../src/explorer/model/page-state.js';
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

describe('what a query suggests to follow', () => {
  const other = { name: 'db_logs', schema: { fields: [scalar('id')] } };
  const two = { ...endpoint, sql: 'select 1 from edge_logs', tables: [edgeLogs, other] };

  test.each([
    ['stored', '', 'edge_logs', '', ''],
    ['sql', 'select * from db_logs', 'db_logs', '', ''],
    ['sql', "select * from db_logs where id = 'x'", 'db_logs', '', 'conditions of the SQL'],
    ['lql', 'm.a:1 f:db_logs "b c"', 'db_logs', 'm.a:1  "b c"', ''],
    ['lql', 'f:db_logs c:count(*)', 'db_logs', '', 'the chart,'],
  ] as const)('%s %s', (language, text, source, filter, note) => {
    const found = pageTailSource({ ...emptyState, language, [language]: text }, two);
    expect(found).toMatchObject({ source, filter });
    expect(found.note).toContain(note);
    expect(found.note === '').toBe(note === '');
  });
});
