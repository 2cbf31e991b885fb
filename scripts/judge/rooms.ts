import { join } from 'node:path';
import { createBigQueryTarget } from '../../src/bigquery/target/target.js';
import { createCompiler, type StoredQuery } from '../../src/compiler/compile.js';
import { parse } from '../../src/compiler/syntax/syntax.js';
import { readCommand } from '../../src/config/config.js';
import type { Endpoint } from '../../src/endpoint/endpoint.js';
import { bindParameters } from '../../src/endpoint/parameters.js';
import { openDuckDbEngine } from '../../src/engine/duckdb/duckdb.js';
import { ServiceError } from '../../src/errors/errors.js';
import { openServices } from '../../src/start/start-up.js';
import type { SourceSchema } from '../../src/types/schema.js';
import type { Type } from '../../src/types/types.js';
import { asTable } from '../../test/support/as-table.js';
import { type JsonObject, parseJson } from '../../test/support/json.js';
import { acceptance, root } from '../../test/support/paths.js';
import {
  createQueryRunner,
  openQueryRunner,
  type QueryRunner,
  type RunOptions,
} from '../../test/support/run-query.js';
import { webSource } from '../../test/support/web-source.js';
import { within } from './patience.js';
import { type ReferenceParameter, type ReferenceTable, typeProto } from './protocol.js';
import type { Answer } from './reference.js';
import { fromJson } from './values.js';

/** An environment for queries: tables, parameters, and this project to answer them. */
export interface Room {
  /** The same for rooms of the same tables. */
  readonly key: string;
  readonly parameters: readonly ReferenceParameter[];
  readTables(): Promise<readonly ReferenceTable[]>;
  ask(sql: string): Promise<Ours>;
  /** The query as it is sent to BigQuery, and the room to ask it in; undefined if it is refused. */
  print(sql: string): Printed | undefined;
}

/** A query that is printed for BigQuery. */
export interface Printed {
  readonly sql: string;
  readonly room: Pick<Room, 'key' | 'parameters' | 'readTables'>;
}

/** This project's answer, and whether it depends on the clock; or a fault, as it is in any query. */
export type Ours = (Answer & { readonly readsClock?: boolean }) | Failure;

/** No answer in time, or an error that would be a 500. */
interface Failure {
  readonly error: string;
  readonly fails: 'no answer' | 'broken';
}

/** Twice the time limit of a query. */
const patienceMs = 60_000;
const late: Failure = { error: 'no answer in time', fails: 'no answer' };

/** The instant at which queries run, as the acceptance cases have it. */
const now = '2026-03-10T12:00:00Z';
const maxRows = 100_000;

/** The room of the tests of functions and queries: the table `logs.web`. */
export interface WebRoom extends Room {
  close(): Promise<void>;
}

/** Opens the table `logs.web`. */
export async function openWebRoom(): Promise<WebRoom> {
  const runner = await openQueryRunner();
  const options = {
    parameters: [{ name: 'project', type: 'string' }],
    bindings: { project: 'one' },
  } as const;
  const sources = [webSource('struct')];
  const printer = createPrinter(runner, sources, 'web');
  return {
    key: 'web',
    parameters: referenceParameters(options.parameters, options.bindings),
    readTables: async () => [await readSource(runner, webSource('struct'))],
    ask: (sql) => askRunner(runner, sql, options),
    print: (sql) => printer({ name: 'web', sql, maxRows, parameters: options.parameters }, options),
    close: () => runner.close(),
  };
}

/** A request of an acceptance case: an endpoint, its parameters, and maybe a caller's query. */
export interface Request {
  readonly endpoint: string;
  readonly params: Readonly<Record<string, string>>;
}

/** The logs of the acceptance cases. */
export interface AcceptanceLogs {
  /** The room of a request, and the query to ask there. */
  findRoom(request: Request): { readonly room: Room; readonly sql: string };
  close(): Promise<void>;
}

/** Loads the logs of the acceptance cases. */
export async function openAcceptanceLogs(): Promise<AcceptanceLogs> {
  const folder = join(acceptance, 'fixtures/basic');
  const flags = [
    '--data',
    folder,
    '--now',
    now,
    '--no-disk-cache',
    '--endpoints',
    join(root, 'sql/endpoints'),
  ];
  const command = readCommand(['serve', ...flags], {
    LOG_ENDPOINTS_ID_KEY: 'the key of the rooms',
  });
  if (command.verb !== 'serve') throw new Error('not the verb');
  const opened = await openServices(command.settings, openDuckDbEngine);
  const runner = createQueryRunner(opened.compiler, opened.engine);
  const printer = createPrinter(runner, opened.logs.sources, 'logs');
  return {
    findRoom({ endpoint: name, params }) {
      const endpoint = opened.catalog.find(name);
      const { sql: caller } = params;
      const bindings = bindParameters(endpoint.parameters, new Map(Object.entries(params)));
      const { parameters } = endpoint;
      const options = { parameters, bindings };
      const common = { parameters: referenceParameters(parameters, bindings) };
      if (caller === undefined) {
        const { sources } = opened.logs;
        const readTables = () => Promise.all(sources.map((one) => readSource(runner, one)));
        const ask = (sql: string) => askRunner(runner, sql, options);
        const print = (sql: string) => printer({ ...endpoint, sql, maxRows }, options);
        return { sql: endpoint.sql, room: { ...common, key: 'logs', readTables, ask, print } };
      }
      const room: Room = {
        ...common,
        key: JSON.stringify([name, bindings]),
        readTables: () => readCtes(runner, endpoint, options),
        ask: (sql) => askRunner(runner, endpoint.sql, { ...options, caller: sql }),
        print: (sql) => printer({ ...endpoint, maxRows }, { ...options, caller: sql }),
      };
      return { room, sql: caller };
    },
    async close() {
      await opened.engine.close();
      opened.logs.release();
    },
  };
}

/** The names of tables have no dot in the reference implementation's catalog. */
const target = createBigQueryTarget({ tables: 'logs_{source}', sandbox: true });

type Print = (endpoint: StoredQuery, options: RunOptions) => Printed | undefined;

/** Prints queries for BigQuery, over these sources. */
function createPrinter(runner: QueryRunner, sources: readonly SourceSchema[], key: string): Print {
  const compiler = createCompiler(sources, { target });
  const readTables = () =>
    Promise.all(
      sources.map(async (source) => {
        const table = await readSource(runner, asTable(source));
        return { ...table, name: `logs_${source.name}` };
      }),
    );
  return (endpoint, { caller, parameters = [], bindings = {} }) => {
    try {
      const sandbox =
        caller === undefined ? undefined : ({ language: 'sql', text: caller } as const);
      const { sql } = compiler.compile(endpoint, sandbox);
      const own = parameters.map((one) => ({ ...one, name: `p_${one.name}` }));
      const values = Object.entries(bindings).map(([name, value]) => [`p_${name}`, value] as const);
      const times = ['now', 'window_start'].map((name) => ({ name, type: 'timestamp' as const }));
      const all = { ...Object.fromEntries(values), now, window_start: '0001-01-01T00:00:00Z' };
      const room = {
        key: `${key}, printed`,
        parameters: referenceParameters([...own, ...times], all),
        readTables,
      };
      return { sql, room };
    } catch (error) {
      if (error instanceof ServiceError) return undefined;
      throw error;
    }
  };
}

/** Reads a stored table, with the declared fields that no file has. */
async function readSource(
  runner: QueryRunner,
  { name, columns }: SourceSchema,
): Promise<ReferenceTable> {
  const table = `logs.${name}`;
  const sql = `select to_json_string(t) as row from \`${table}\` as t`;
  return jsonRowsTable(table, columns, await runner.runText(sql, { maxRows }));
}

/** Reads the CTEs of a stored query, as callers' queries see them. */
function readCtes(runner: QueryRunner, { sql }: Endpoint, options: RunOptions) {
  const names = parse(sql).ctes.map(({ name }) => name.name);
  return Promise.all(
    names.map(async (name) => {
      const read = (list: string) => {
        return { ...options, maxRows, caller: `select ${list} from \`${name}\` as t` };
      };
      const { columns } = compileAgain(runner, sql, read('*'));
      return jsonRowsTable(
        name,
        columns,
        await runner.runText(sql, read('to_json_string(t) as row')),
      );
    }),
  );
}

/** A table of rows, each a string of JSON in the only column. */
function jsonRowsTable(
  name: string,
  fields: readonly { readonly name: string; readonly type: Type }[],
  rows: string,
): ReferenceTable {
  const columns = fields.map((field) => ({ name: field.name, type: typeProto(field.type) }));
  const cells = (parseJson(rows) as readonly JsonObject[]).map(({ row }) => {
    const values = parseJson(`${row}`) as JsonObject;
    return columns.map((column) => fromJson(values[column.name], column.type));
  });
  return { name, columns, rows: cells };
}

/** The compiled query, which the compiler has cached. */
function compileAgain({ compiler }: QueryRunner, sql: string, options: RunOptions) {
  const { caller, parameters = [], maxRows: max = 1_000 } = options;
  const sandbox = caller === undefined ? undefined : ({ language: 'sql', text: caller } as const);
  return compiler.compile({ name: 'web', sql, maxRows: max, parameters }, sandbox, {
    redact: false,
  });
}

function askRunner(runner: QueryRunner, sql: string, options: RunOptions): Promise<Ours> {
  return within(patienceMs, runOurs(runner, sql, options), late);
}

async function runOurs(runner: QueryRunner, sql: string, options: RunOptions): Promise<Ours> {
  try {
    const whole = { ...options, maxRows };
    const text = await runner.runText(sql, { ...whole, mayQuoteValues: true });
    const { readsClock, steps, columns } = compileAgain(runner, sql, whole);
    return {
      rows: parseJson(text) as readonly JsonObject[],
      columns: columns.map(({ name, type }) => ({ name, type: typeProto(type) })),
      readsClock: readsClock || steps.some((step) => step.readsClock),
    };
  } catch (error) {
    // Two fields of one name are JSON that the judge cannot read.
    const isKnown = error instanceof ServiceError || error instanceof SyntaxError;
    if (isKnown) return { error: error.message };
    return { error: String(error), fails: 'broken' };
  }
}

const parameterTypes = {
  string: 'STRING',
  regexp: 'STRING',
  timestamp: 'TIMESTAMP',
  date: 'DATE',
  integer: 'INT64',
  number: 'FLOAT64',
  boolean: 'BOOL',
} as const;

function referenceParameters(
  declared: readonly { readonly name: string; readonly type: keyof typeof parameterTypes }[],
  bindings: Readonly<Record<string, string | null>>,
): readonly ReferenceParameter[] {
  return declared.map(({ name, type }) => {
    const proto = typeProto({ kind: parameterTypes[type] });
    const text = bindings[name] ?? null;
    return {
      name,
      type: proto,
      value: fromJson(type === 'boolean' ? text === 'true' : text, proto),
    };
  });
}
