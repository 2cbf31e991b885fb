import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Json } from '../../test/support/json.js';
import { bigQueryOptions, type LanguageOptions } from './features.js';
import { installReference, serverFiles } from './install.js';
import type { ColumnProto, ReferenceParameter, ReferenceTable, ValueProto } from './protocol.js';
import { rowToJson } from './values.js';

/** The answer of an engine to a query. */
export type Answer = Rows | { readonly error: string };

/** Rows, with the columns' names and types. */
export interface Rows {
  readonly rows: readonly Json[];
  readonly columns: readonly Column[];
}

/** A column of an answer. */
export interface Column {
  /** Empty if the query gives it no name. */
  readonly name: string;
  readonly type: ColumnProto['type'];
}

/** The reference implementation, running. */
export interface Reference {
  /** Registers tables and returns the number of their catalog. */
  register(tables: readonly ReferenceTable[]): Promise<string>;
  ask(sql: string, catalog: string, parameters: readonly ReferenceParameter[]): Promise<Answer>;
  stop(): void;
}

const answerTimeoutMs = 20_000;
const startTimeoutMs = 20_000;
/** The limit of a message, which may hold a catalog and its rows. */
const maxMessageBytes = 500_000_000;

type Call = (name: string, request: object) => Promise<never>;

interface Connection {
  readonly call: Call;
  close(): void;
}

/** Installs and starts the reference implementation, on a port of this machine. */
export async function startReference(): Promise<Reference> {
  const modules = installReference();
  const { program, protos } = serverFiles(modules);
  const port = await freePort();
  const child = spawn(program, ['localhost', `${port}`], { stdio: 'ignore' });
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  const { call, close } = await connect({ modules, protos, address: `localhost:${port}` });
  const most: LanguageOptions = await call('GetLanguageOptions', { maximumFeatures: true });
  const languageOptions = bigQueryOptions(most);
  return {
    register: (tables) => register(call, tables, languageOptions),
    ask: (sql, catalog, parameters) =>
      ask(call, {
        sql,
        options: analyzerOptions(languageOptions, parameters),
        catalog,
        parameters,
      }),
    stop() {
      close();
      kill();
      process.off('exit', kill);
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, 'localhost');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  if (address === null || typeof address === 'string') throw new Error('no free port');
  return address.port;
}

/** Connects by the packages that were installed with the reference implementation. */
async function connect({
  modules,
  protos,
  address,
}: Record<'modules' | 'protos' | 'address', string>): Promise<Connection> {
  const require = createRequire(join(modules, 'index.js'));
  const grpc = require('@grpc/grpc-js');
  const definition = require('@grpc/proto-loader').loadSync('local_service.proto', {
    longs: String,
    enums: String,
    includeDirs: [protos],
  });
  const { ZetaSqlLocalService } = grpc.loadPackageDefinition(definition).zetasql.local_service;
  const client = new ZetaSqlLocalService(address, grpc.credentials.createInsecure(), {
    'grpc.max_send_message_length': maxMessageBytes,
    'grpc.max_receive_message_length': maxMessageBytes,
  });
  const waitForReady = promisify<number, void>(client.waitForReady.bind(client));
  await waitForReady(Date.now() + startTimeoutMs);
  const call = (name: string, request: object) => {
    const method = promisify<object, object, never>(client[name].bind(client));
    return method(request, { deadline: Date.now() + answerTimeoutMs });
  };
  return { call, close: () => client.close() };
}

function analyzerOptions(
  languageOptions: LanguageOptions,
  parameters: readonly ReferenceParameter[],
) {
  return {
    languageOptions,
    defaultTimezone: 'UTC',
    errorMessageMode: 'ERROR_MESSAGE_ONE_LINE',
    queryParameters: parameters.map(({ name, type }) => ({ name, type })),
  };
}

async function register(
  call: Call,
  tables: readonly ReferenceTable[],
  languageOptions: LanguageOptions,
): Promise<string> {
  const table = tables.map(({ name, columns }) => ({ name, column: columns }));
  const contents = tables.map(({ name, rows }) => {
    return [name, { tableData: { row: rows.map((cell) => ({ cell })) } }] as const;
  });
  const { registeredId }: { readonly registeredId: string } = await call('RegisterCatalog', {
    simpleCatalog: { name: 'logs', builtinFunctionOptions: { languageOptions }, table },
    tableContent: Object.fromEntries(contents),
  });
  return registeredId;
}

interface Question {
  readonly sql: string;
  readonly options: object;
  readonly catalog: string;
  readonly parameters: readonly ReferenceParameter[];
}

interface QueryAnswer {
  readonly content?: { readonly tableData?: { readonly row?: readonly RowProto[] } };
  readonly prepared: { readonly columns?: readonly ColumnProto[] };
}

interface RowProto {
  readonly cell?: readonly ValueProto[];
}

async function ask(call: Call, { sql, options, catalog, parameters }: Question): Promise<Answer> {
  const params = parameters.map(({ name, value }) => ({ name, value }));
  try {
    const request = { sql, options, registeredCatalogId: catalog, params };
    const { content, prepared }: QueryAnswer = await call('EvaluateQuery', request);
    const columns = (prepared.columns ?? []).map(({ name, type }) => {
      return { name: name.startsWith('$') ? '' : name, type };
    });
    const rows = content?.tableData?.row ?? [];
    return { columns, rows: rows.map(({ cell = [] }) => rowToJson(cell, columns)) };
  } catch (error) {
    return { error: referenceMessage(error) };
  }
}

/** The error of a query that ended the reference implementation. */
export const crashed = 'the reference implementation crashed';

/** The error of a query that the reference implementation is still busy with. */
export const unanswered = 'the reference implementation did not answer in time';

/** Statuses of calls: the deadline is over, and the server is gone. */
const lost = new Map<unknown, string>([
  [4, unanswered],
  [14, crashed],
]);

function referenceMessage(error: unknown): string {
  if (typeof error !== 'object' || error === null || !('details' in error)) return String(error);
  const [line = ''] = `${error.details}`.split('\n');
  return ('code' in error ? lost.get(error.code) : undefined) ?? line;
}
