import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type StandIn, startStandIn } from '../../test/support/bigquery-stand-in.js';
import { isObject, type Json, type JsonObject } from '../../test/support/json.js';

/** A request to BigQuery's REST API; `${NAME}` stands for a name, or for what an earlier answer had. */
interface Request {
  readonly method: string;
  readonly path: string;
  readonly body?: JsonObject;
  /** The names to give to parts of its answer, by their paths. */
  readonly capture?: Readonly<Record<string, string>>;
}

type Answer = { readonly http_status: number; readonly body: Json };

/** A comparison of the tests' stand-in with BigQuery's answers to the same requests. */
export interface Exchanges {
  /** Returns the differences in an exchange; undefined for requests that this project never sends. */
  judge(folder: string): Promise<readonly string[] | undefined>;
  close(): Promise<void>;
}

/** Opens the stand-in over a table `tbl`. */
export async function openExchanges(): Promise<Exchanges> {
  const data = mkdtempSync(join(tmpdir(), 'exchanges-'));
  const record = { timestamp: '2026-03-10T12:00:00Z', a: 1, b: 'x' };
  writeFileSync(join(data, 'tbl.ndjson'), `${JSON.stringify(record)}\n`);
  const standIn = await startStandIn({ data, pageRows: 100 });
  return {
    judge: (folder) => judgeExchange(folder, standIn),
    async close() {
      await standIn.close();
      rmSync(data, { recursive: true });
    },
  };
}

/** Whether a folder has a recorded exchange. */
export function isExchange(folder: string): boolean {
  return existsSync(join(folder, 'expected_response.json'));
}

/** The requests that the engine sends. */
const sent = [
  /^POST \/projects\/[^/]+\/queries$/,
  /^GET \/projects\/[^/]+\/queries\/[^/]+$/,
  /^GET \/projects\/[^/]+\/jobs\/[^/]+$/,
  /^POST \/projects\/[^/]+\/jobs\/[^/]+\/cancel$/,
  /^GET \/projects\/[^/]+\/datasets\/[^/]+\/tables\/[^/]+$/,
];

async function judgeExchange(folder: string, { environment }: StandIn) {
  const read = <T>(file: string, otherwise: T): T => {
    const path = join(folder, file);
    return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : otherwise;
  };
  const before = read<readonly Request[]>('setup_requests.json', []);
  const request = read<Request>('request.json', { method: '', path: '' });
  const names = new Map([
    ['PROJECT', 'stand-in'],
    ['DATASET_ID', 'logs'],
  ]);
  const fullPath = ({ path }: Request) =>
    path
      .replace('/bigquery/v2', '')
      .replaceAll(/\$\{(\w+)\}/g, (text, name: string) => names.get(name) ?? text);
  const send = async (each: Request): Promise<Answer> => {
    const { method, body, capture = {} } = each;
    const url = `${environment['BIGQUERY_EMULATOR_HOST']}${fullPath(each)}`;
    const init = body && { headers: { 'content-type': 'application/json' } };
    const response = await fetch(url, {
      method,
      ...init,
      ...(body && { body: JSON.stringify(body) }),
    });
    const answer = (await response.json()) as Json;
    for (const [name, path] of Object.entries(capture))
      names.set(name, String(readPart(answer, path)));
    return { http_status: response.status, body: answer };
  };
  const isSent = (each: Request) => {
    const line = `${each.method} ${fullPath(each).replace(/\?.*$/, '')}`;
    return sent.some((pattern) => pattern.test(line));
  };
  if (![...before, request].every(isSent)) return undefined;
  for (const each of before) {
    // Its setup is no query, but a statement that writes.
    if ((await send(each)).http_status !== 200) return undefined;
  }
  const { http_status, body } = read<Answer>('expected_response.json', {
    http_status: 0,
    body: {},
  });
  const isTable = request.path.includes('/tables/');
  const recorded = { http_status, body: isTable ? withAnyFields(body) : body };
  return differences(recorded, await send(request), '');
}

function readPart(answer: Json, path: string): Json | undefined {
  let part: Json | undefined = answer;
  for (const key of path.split('.')) part = isObject(part) ? part[key] : undefined;
  return part;
}

/** Stands for any value in a recorded answer. */
const any = '<*>';

/** The stand-in's table has other columns than the recorded one: only what each says that is no record is compared. */
function withAnyFields(table: Json): Json {
  if (!isObject(table)) return table;
  return { ...table, schema: { fields: { each: { name: any, type: any } } } };
}

/** The keys that neither Google's client nor the engine reads: the stand-in may leave them out. */
const unread: ReadonlySet<string> = new Set([
  ...['kind', 'etag', 'id', 'selfLink', 'user_email', 'principal_subject', 'configuration'],
  ...['cacheHit', 'queryId', 'jobCreationReason', 'creationTime', 'startTime', 'endTime'],
  ...['statementType', 'location', 'locationType', 'job', 'type', 'tableReference'],
  ...['lastModifiedTime', 'numBytes', 'numRows', 'numLongTermBytes', 'numTotalLogicalBytes'],
  ...['numActiveLogicalBytes', 'numLongTermLogicalBytes'],
]);

/** The parts of one answer that the other lacks, or has with another value. */
function differences(theirs: Json, ours: Json, path: string): readonly string[] {
  if (theirs === any) return [];
  if (isObject(theirs) && 'each' in theirs && Array.isArray(ours)) {
    const plain = ours.filter((one: Json) => isObject(one) && one['type'] !== 'RECORD');
    return plain.flatMap((one: Json) => differences(theirs['each'] ?? null, one, `${path}[]`));
  }
  if (Array.isArray(theirs) && Array.isArray(ours)) {
    if (theirs.length !== ours.length) {
      return [`${path} has ${theirs.length} elements, the stand-in's ${ours.length}`];
    }
    return theirs.flatMap((one: Json, at) => differences(one, ours[at] ?? null, `${path}[${at}]`));
  }
  if (!isObject(theirs) || !isObject(ours)) {
    const [their, own] = [theirs, ours].map((value) => JSON.stringify(value));
    return their === own ? [] : [`${path} is ${their}, the stand-in's ${own}`];
  }
  const added = Object.keys(ours).filter((key) => !(key in theirs));
  return [
    ...added.map((key) => `only the stand-in has ${path}.${key}`),
    ...Object.entries(theirs).flatMap(([key, value]) => {
      if (key in ours) return differences(value, ours[key] ?? null, `${path}.${key}`);
      return unread.has(key) ? [] : [`the stand-in has no ${path}.${key}`];
    }),
  ];
}
