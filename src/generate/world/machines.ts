import type { Random, Weighted } from './random.js';
import { isoFrom, type LogRecord } from './record.js';

/** Writes a record of a project at a time in unix microseconds. */
export type Writer = (random: Random, project: string, at: number) => LogRecord;

const writers: Weighted<Writer> = [
  [40, databaseLog],
  [30, poolerLog],
  [18, restLog],
  [12, realtimeLog],
];

/** Draws a writer of records that no request causes: background work, the pooler, restarts. */
export function pickMachine(random: Random): Writer {
  return random.pick(writers);
}

const databaseLines: Weighted<readonly [severity: string, text: string]> = [
  [30, ['LOG', 'checkpoint complete: wrote 42 buffers (0.3%)']],
  [25, ['LOG', 'connection authorized: user=app_rw host=198.51.100.40:5432 database=app']],
  [20, ['LOG', 'connection received: host=2001:db8::77 port=50122']],
  [12, ['LOG', 'automatic vacuum of table "app.public.orders": index scans: 1']],
  [9, ['FATAL', 'password authentication failed for user "zoë"']],
  [4, ['FATAL', 'remaining connection slots are reserved for superusers']],
  [1, ['PANIC', 'could not write block 12: No space left on device']],
];

const states: Readonly<Record<string, string>> = { FATAL: '28P01', PANIC: '53100' };

function databaseLog(random: Random, project: string, at: number): LogRecord {
  const [severity, message] = random.pick(databaseLines);
  const parsed = {
    backend_type: message.startsWith('checkpoint') ? 'checkpointer' : 'client backend',
    error_severity: severity,
    process_id: random.integer(60, 4200),
    session_line_num: random.integer(1, 9),
    ...(severity === 'LOG' ? {} : { sql_state_code: states[severity], user_name: 'zoë' }),
    timestamp: `${isoFrom(at).slice(0, 23).replace('T', ' ')} UTC`,
  };
  return { source: 'db_logs', at, project, message, metadata: { host: `db-${project}`, parsed } };
}

function poolerLog(random: Random, project: string, at: number): LogRecord {
  const client = `app/app_rw@203.0.113.${random.integer(2, 9)}:${random.integer(40_000, 49_999)}`;
  const message = random.pick([
    [6, `stats: ${random.integer(0, 40)} xacts/s, ${random.integer(0, 90)} queries/s, wait 0 us`],
    [3, `C-0x${random.hex(4)}: ${client} login attempt: db=app user=app_rw tls=no`],
    [3, `C-0x${random.hex(4)}: ${client} closing because: client close request (age=12s)`],
    [1, 'no more connections allowed (max_client_conn)'],
  ]);
  const metadata = { host: `pool-${project}`, project };
  return { source: 'pooler_logs', at, project, message, metadata };
}

function restLog(random: Random, project: string, at: number): LogRecord {
  const message = random.pick([
    [5, `Schema cache loaded in ${random.integer(2, 40)}.${random.integer(0, 9)} milliseconds`],
    [3, 'Listening on port 3000'],
    [2, 'Config reloaded'],
    [1, 'Failed to load the schema cache. {"code":"PGRST002","hint":null}'],
  ]);
  return { source: 'rest_logs', at, project, message, metadata: { host: `rest-${project}-1` } };
}

function realtimeLog(random: Random, project: string, at: number): LogRecord {
  const connected = random.integer(0, 210);
  const full = connected > 200;
  const message = full
    ? 'Tenant has exceeded connections limit'
    : 'Billing metrics: [:realtime, :connections]';
  const measurements = { connected, connected_cluster: connected * 2, limit: 200, sum: 0 };
  const level = full ? 'warning' : 'info';
  const metadata = { external_id: `${project}-realtime`, level, measurements, project };
  return { source: 'realtime_logs', at, message, metadata };
}
