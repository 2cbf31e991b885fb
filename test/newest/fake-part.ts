import type { SourceSchema } from '../../src/types/schema.js';
import { createFakeEngine } from '../support/fake-engine.js';

/** A row of a fake part. */
export interface FakeRow {
  readonly time: number;
  readonly project: string | null;
  readonly message?: string;
}

/** A source with a project and a message. */
export const source: SourceSchema = {
  name: 'app_logs',
  columns: [
    { name: 'timestamp', type: { kind: 'TIMESTAMP' }, stored: true },
    { name: 'project', type: { kind: 'STRING' }, stored: true },
    { name: 'event_message', type: { kind: 'STRING' }, stored: true },
  ],
  projectPath: ['project'],
  parts: [{ file: 'a.duckdb', view: 'app_logs/0' }],
};

/** An engine whose only part has these rows, in the order of their times. */
export function engineOver(rows: readonly FakeRow[]) {
  return createFakeEngine(({ values }) => {
    if (values['p_end'] === undefined) return [JSON.stringify({ n: rows.length })];
    return rows.slice(Number(values['p_start']), Number(values['p_end'])).map(printRow);
  });
}

function printRow({ time, project, message = 'x' }: FakeRow): string {
  return JSON.stringify({ c0: time, c1: project, c2: time, c3: project, c4: message });
}
