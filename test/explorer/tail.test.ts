import { describe, expect, test } from 'vitest';
import { createEventReader } from '../../src/explorer/model/event-stream.js';
import { emptyState } from '../../src/explorer/model/page-state.js';
import { tailSourceOf } from '../../src/explorer/model/tail-source.js';
import { edgeLogs, endpoint, scalar } from './tables.js';

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
  const two = { ...endpoint, tables: [edgeLogs, other] };

  test.each([
    ['stored', '', { source: 'edge_logs', filter: '' }],
    ['sql', "select * from db_logs where id = 'x'", { source: 'db_logs', filter: '' }],
    ['sql', 'select', { source: 'edge_logs', filter: '' }],
    ['lql', 'm.a:1 f:db_logs "b c"', { source: 'db_logs', filter: 'm.a:1  "b c"' }],
    ['lql', 'f:db_logs c:count(*)', { source: 'db_logs', filter: '' }],
  ] as const)('%s %s', (language, text, expected) => {
    expect(tailSourceOf({ ...emptyState, language, [language]: text }, two)).toEqual(expected);
  });
});
