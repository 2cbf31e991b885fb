import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { micros } from './times.js';

/** The fields that every record has. */
interface Common {
  readonly id: string;
  /** Unix microseconds. */
  readonly at: number;
  readonly message: string;
}

/** A request as the edge saw it. */
export interface EdgeLog extends Common {
  readonly method: string;
  readonly path: string;
  /** The query string with its question mark. */
  readonly search: string | null;
  readonly url: string;
  readonly host: string;
  readonly status: number;
  /** Milliseconds that the origin took. */
  readonly ms: number;
  readonly agent: string;
  readonly accept: string;
  readonly clientInfo: string | null;
  readonly ip: string;
  /** Also the `request_id` of the authentication service. */
  readonly ray: string;
  readonly country: string;
  readonly continent: string;
  readonly city: string;
  readonly timezone: string;
  readonly network: string;
  readonly asn: number;
  readonly colo: string;
  /** Milliseconds. */
  readonly rtt: number;
  readonly bot: number;
  readonly protocol: string;
  readonly worker: string;
  readonly user: string | null;
  readonly session: string | null;
  readonly role: string | null;
  /** Unix seconds. */
  readonly keyExpires: number | null;
  readonly invalid: string | null;
  /** Of the response; digits. */
  readonly length: string | null;
  readonly type: string | null;
  readonly cache: string | null;
  readonly responseRay: string;
}

/** A request to the authentication service. */
export interface AuthLog extends Common {
  readonly path: string;
  readonly method: string;
  readonly level: string;
  readonly msg: string;
  readonly status: string;
  /** Nanoseconds. */
  readonly duration: number;
  readonly ray: string;
  readonly ip: string;
  readonly error: string | null;
  readonly action: string | null;
  readonly actor: string | null;
  readonly email: string | null;
  readonly provider: string | null;
}

/** A line of the database. */
export interface DbLog extends Common {
  readonly severity: string;
  readonly state: string | null;
  readonly backend: string;
  readonly query: string | null;
  readonly process: number;
  readonly line: number | null;
  readonly userName: string | null;
  readonly application: string | null;
}

/** A call of a function. */
export interface CallLog extends Common {
  readonly execution: string;
  readonly fn: string;
  readonly ms: number;
  readonly status: number;
  readonly method: string;
  readonly path: string;
  readonly agent: string;
  readonly deployment: string;
}

/** A line that a function wrote. */
export interface FunctionLog extends Common {
  readonly execution: string;
  readonly fn: string;
  readonly level: string;
  readonly event: string;
  readonly reason: string | null;
}

/** A line of the realtime service. */
export interface RealtimeLog extends Common {
  readonly level: string;
  readonly connected: number;
  readonly limit: number;
  readonly cluster: number | null;
  readonly domain: readonly string[];
  readonly line: number | null;
  readonly node: string | null;
}

/** A request to the storage. */
export interface StorageLog extends Common {
  readonly method: string;
  readonly status: number;
  readonly url: string;
  readonly ms: number;
  readonly size: number;
  readonly level: string;
  readonly ip: string;
  readonly agent: string;
  readonly error: string | null;
  /** A text of JSON. */
  readonly rawError: string | null;
  readonly pid: number;
  readonly request: string;
}

/** All records of one project, each list in the order of its file. */
export interface Logs {
  readonly edge: readonly EdgeLog[];
  readonly auth: readonly AuthLog[];
  readonly db: readonly DbLog[];
  readonly calls: readonly CallLog[];
  readonly functions: readonly FunctionLog[];
  readonly realtime: readonly RealtimeLog[];
  readonly storage: readonly StorageLog[];
  readonly rest: readonly Common[];
  readonly pooler: readonly Common[];
}

/** Reads the records of a project from a folder of NDJSON. */
export function readLogs(folder: string, project: string): Logs {
  const read = <T>(source: string, convert: (record: Record) => T) =>
    recordsOf(join(folder, `${source}.ndjson`), project).map((record) => ({
      ...convert(record),
      ...commonOf(record),
    }));
  return {
    edge: read('edge_logs', edgeOf),
    auth: read('auth_logs', authOf),
    db: read('db_logs', dbOf),
    calls: read('function_edge_logs', callOf),
    functions: read('function_logs', functionOf),
    realtime: read('realtime_logs', realtimeOf),
    storage: read('storage_logs', storageOf),
    rest: read('rest_logs', () => ({})),
    pooler: read('pooler_logs', () => ({})),
  };
}

/** A parsed line, whose metadata is an object. */
interface Record {
  readonly id: string;
  readonly timestamp: string | number;
  readonly event_message: string;
  readonly metadata: unknown;
}

function recordsOf(file: string, project: string): readonly Record[] {
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  const records = lines.map((line) => JSON.parse(line));
  return records
    .map((record) => ({ ...record, metadata: [record.metadata].flat()[0] }))
    .filter(({ project: owner, metadata }) =>
      [owner, metadata.project, metadata.project_ref].includes(project),
    );
}

function commonOf({ id, timestamp, event_message: message }: Record): Common {
  return { id, at: typeof timestamp === 'number' ? timestamp : micros(timestamp), message };
}

/** Reads the value at a path of keys; null if there is none. */
function reader({ metadata }: Record) {
  const at = (path: string) =>
    path.split('.').reduce<unknown>((value, key) => Object(value)[key], metadata) ?? null;
  return {
    text: (path: string) => at(path) as string,
    number: (path: string) => at(path) as number,
    texts: (path: string) => (at(path) ?? []) as readonly string[],
    textOrNull: (path: string) => at(path) as string | null,
    numberOrNull: (path: string) => at(path) as number | null,
  };
}

function edgeOf(record: Record): Omit<EdgeLog, keyof Common> {
  const { text, number, textOrNull, numberOrNull } = reader(record);
  return {
    method: text('request.method'),
    path: text('request.path'),
    search: textOrNull('request.search'),
    url: text('request.url'),
    host: text('request.host'),
    status: number('response.status_code'),
    ms: number('response.origin_time'),
    agent: text('request.headers.user_agent'),
    accept: text('request.headers.accept'),
    clientInfo: textOrNull('request.headers.x_client_info'),
    ip: text('request.headers.cf_connecting_ip'),
    ray: text('request.headers.cf_ray'),
    country: text('request.cf.country'),
    continent: text('request.cf.continent'),
    city: text('request.cf.city'),
    timezone: text('request.cf.timezone'),
    network: text('request.cf.asOrganization'),
    asn: number('request.cf.asn'),
    colo: text('request.cf.colo'),
    rtt: number('request.cf.clientTcpRtt'),
    bot: number('request.cf.botManagement.score'),
    protocol: text('request.cf.httpProtocol'),
    worker: text('logflare_worker.worker_id'),
    user: textOrNull('request.sb.auth_user'),
    session: textOrNull('request.sb.jwt.authorization.payload.session_id'),
    role: textOrNull('request.sb.jwt.authorization.payload.role'),
    keyExpires: numberOrNull('request.sb.jwt.apikey.payload.expires_at'),
    invalid: textOrNull('request.sb.jwt.authorization.invalid'),
    length: textOrNull('response.headers.content_length'),
    type: textOrNull('response.headers.content_type'),
    cache: textOrNull('response.headers.cf_cache_status'),
    responseRay: text('response.headers.cf_ray'),
  };
}

function authOf(record: Record): Omit<AuthLog, keyof Common> {
  const { text, number, textOrNull } = reader(record);
  return {
    path: text('path'),
    method: text('method'),
    level: text('level'),
    msg: text('msg'),
    status: text('status'),
    duration: number('duration'),
    ray: text('request_id'),
    ip: text('remote_addr'),
    error: textOrNull('error'),
    action: textOrNull('auth_event.action'),
    actor: textOrNull('auth_event.actor_id'),
    email: textOrNull('auth_event.actor_username'),
    provider: textOrNull('auth_event.traits.provider'),
  };
}

function dbOf(record: Record): Omit<DbLog, keyof Common> {
  const { text, number, textOrNull, numberOrNull } = reader(record);
  return {
    severity: text('parsed.error_severity'),
    state: textOrNull('parsed.sql_state_code'),
    backend: text('parsed.backend_type'),
    query: textOrNull('parsed.query'),
    process: number('parsed.process_id'),
    line: numberOrNull('parsed.session_line_num'),
    userName: textOrNull('parsed.user_name'),
    application: textOrNull('parsed.application_name'),
  };
}

function callOf(record: Record): Omit<CallLog, keyof Common> {
  const { text, number } = reader(record);
  return {
    execution: text('execution_id'),
    fn: text('function_id'),
    ms: number('execution_time_ms'),
    status: number('response.status_code'),
    method: text('request.method'),
    path: text('request.pathname'),
    agent: text('request.headers.user_agent'),
    deployment: text('deployment_id'),
  };
}

function functionOf(record: Record): Omit<FunctionLog, keyof Common> {
  const { text, textOrNull } = reader(record);
  return {
    execution: text('execution_id'),
    fn: text('function_id'),
    level: text('level'),
    event: text('event_type'),
    reason: textOrNull('reason'),
  };
}

function realtimeOf(record: Record): Omit<RealtimeLog, keyof Common> {
  const { text, number, texts, textOrNull, numberOrNull } = reader(record);
  return {
    level: text('level'),
    connected: number('measurements.connected'),
    limit: number('measurements.limit'),
    cluster: numberOrNull('measurements.connected_cluster'),
    domain: texts('context.domain'),
    line: numberOrNull('context.line'),
    node: textOrNull('context.vm.node'),
  };
}

function storageOf(record: Record): Omit<StorageLog, keyof Common> {
  const { text, number, textOrNull } = reader(record);
  return {
    method: text('req.method'),
    status: number('res.statusCode'),
    url: text('req.url'),
    ms: number('responseTime'),
    size: number('res.headers.content_length'),
    level: text('level'),
    ip: text('req.remoteAddress'),
    agent: text('req.headers.user_agent'),
    error: textOrNull('error.message'),
    rawError: textOrNull('error.raw'),
    pid: number('context.pid'),
    request: text('reqId'),
  };
}
