import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Strings that strangers may write into a log. */
export const hostile = {
  script: '<script>window.wasRun = true</script><img src="x" onerror="window.wasRun = true">',
  long: `start ${'long '.repeat(8000)}end`,
  rightToLeft: 'invoice \u202Efdp.exe \u2067‏שלום',
};

/** The clock of the service: a moment after the last record. */
export const now = '2026-03-10T12:00:00Z';

interface Line {
  readonly id: string;
  readonly project: string;
  readonly timestamp: string;
  readonly event_message: string;
  readonly metadata: object;
}

/** A record of `edge_logs`. */
export function lineOf(
  given: Partial<Line> & { readonly status?: number; readonly path?: string },
): string {
  const { status = 200, path = '/rest/v1/orders', ...fields } = given;
  const line: Line = {
    id: crypto.randomUUID(),
    project: 'acme',
    timestamp: now,
    event_message: `GET | ${status} | ${path}`,
    metadata: { request: { method: 'GET', path }, response: { status_code: status } },
    ...fields,
  };
  return `${JSON.stringify(line)}\n`;
}

/** Writes five days of records of `acme`, one record in ten an error, and the three of `evil`. */
export function writeLogs(): string {
  const folder = mkdtempSync(join(tmpdir(), 'explorer-logs-'));
  const start = Date.parse('2026-03-06T00:00:00Z');
  const paths = ['/rest/v1/orders', '/auth/v1/token', '/storage/v1/object'];
  const lines = Array.from({ length: 1100 }, (_, index) => {
    const timestamp = new Date(start + index * 5.5 * 60_000).toISOString();
    return lineOf({
      timestamp,
      path: paths[index % 3] ?? '',
      status: index % 10 === 0 ? 500 : 200,
    });
  });
  const strange = Object.values(hostile).map((text) =>
    lineOf({ project: 'evil', event_message: text }),
  );
  writeFileSync(join(folder, 'edge_logs.ndjson'), [...lines, ...strange].join(''));
  return folder;
}

/** Writes the logs of sixty programs, a line each. */
export function writeManyLogs(): string {
  const folder = mkdtempSync(join(tmpdir(), 'explorer-many-logs-'));
  const time = Date.parse(now) - 60_000;
  for (let index = 0; index < 60; index++) {
    const line = JSON.stringify({
      level: 30,
      time,
      pid: 1,
      hostname: 'web-1',
      msg: `line ${index}`,
    });
    writeFileSync(join(folder, `app-${index + 10}.log`), `${line}\n`);
  }
  return folder;
}

/** Values of `user-id` in {@link writeOwnLogs}, as users write them. */
export const oddValues = ['a "b"', "c'd`e", 'f\\g', '-- @i\n'] as const;

/**
 * Writes a log of one's own, whose fields have names that SQL and LQL must quote: a line every 20 seconds for the last
 * hour. The edge logs beside it have more records, of the same project.
 */
export function writeOwnLogs(): string {
  const folder = mkdtempSync(join(tmpdir(), 'explorer-own-logs-'));
  const end = Date.parse(now);
  const lines = Array.from({ length: 120 }, (_, index) =>
    JSON.stringify({
      level: [30, 30, 40, 50][index % 4],
      time: end - (120 - index) * 20_000,
      pid: 1,
      hostname: 'web-1',
      'user-id': oddValues[index % 4],
      order: { select: index % 3, tags: index % 2 === 0 ? ['new', 'paid'] : ['paid'] },
      msg: `order ${index} paid`,
    }),
  );
  writeFileSync(join(folder, 'shop.log'), `${lines.join('\n')}\n`);
  const edge = Array.from({ length: 300 }, (_, index) =>
    lineOf({ project: 'default', timestamp: new Date(end - (index + 1) * 10_000).toISOString() }),
  );
  writeFileSync(join(folder, 'edge_logs.ndjson'), edge.join(''));
  return folder;
}
