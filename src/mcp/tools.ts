import type { CallToolResult, Tool as ToolDefinition } from '@modelcontextprotocol/server';
import { ServiceError } from '../errors/errors.js';
import type { EndpointDescription } from '../run/describe-endpoints.js';
import type { RunRequest } from '../run/run-request.js';
import { type Arguments, readArguments, readQuery } from './arguments.js';
import { describeTables } from './describe-tables.js';
import { explainResult, explainSchema } from './explain.js';
import { inputSchema, queryProperties } from './input-schema.js';
import { rowsResult, rowsSchema } from './results.js';
import type { AnswerLimits, CallReport, Session } from './session.js';
import { describeTablesText, endpointText, explainText, queryLogsText } from './texts.js';

/** A tool and its implementation. */
export interface Tool {
  readonly definition: ToolDefinition;
  /** @throws ServiceError for errors that the caller may see */
  readonly call: (given: Arguments, terms: CallTerms) => Promise<CallToolResult>;
}

/** The caller of a call, and a report for the log. */
export interface CallTerms {
  readonly session: Session;
  readonly report: Report;
  readonly signal: AbortSignal;
}

/** A report being written. */
export type Report = { -readonly [K in keyof CallReport]: CallReport[K] };

/** The endpoint whose tables `query_logs` reads. */
const logsEndpoint = 'logs.all';

const annotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

/** The tools of each list of endpoints, cached as long as the list itself exists. */
const kept = new WeakMap<Described, Tools>();

/**
 * Returns the tools of a caller: those that query, then one for each endpoint. Created once for each list of
 * endpoints.
 */
export function callerTools(endpoints: Described, limits: AnswerLimits): Tools {
  const tools = kept.get(endpoints) ?? createTools(endpoints, limits);
  kept.set(endpoints, tools);
  return tools;
}

type Described = readonly EndpointDescription[];
type Tools = readonly Tool[];

function createTools(endpoints: Described, limits: AnswerLimits): Tools {
  const logs = endpoints.find(({ name, sandbox }) => name === logsEndpoint && sandbox);
  const queryable = endpoints.filter(({ tables }) => tables.length > 0);
  const querying = [
    ...(logs === undefined ? [] : [queryLogs(logs, limits), explain(logs)]),
    ...(queryable.length === 0 ? [] : [tablesTool(queryable)]),
  ];
  const used = new Set(querying.map(({ definition }) => definition.name));
  return [...querying, ...endpoints.map((endpoint) => endpointTool(endpoint, used))];
}

function queryLogs(endpoint: EndpointDescription, limits: AnswerLimits): Tool {
  return rowsTool(endpoint, {
    name: 'query_logs',
    title: 'Query the logs',
    description: queryLogsText(endpoint, limits),
    hint: 'For the rest count or filter in the query, or page through it: ORDER BY, LIMIT and OFFSET.',
    queries: 'needed',
  });
}

/** Creates the tool of an endpoint; `used` has the names of the others. */
function endpointTool(endpoint: EndpointDescription, used: Set<string>): Tool {
  const takesQueries = endpoint.sandbox && endpoint.name !== logsEndpoint;
  return rowsTool(endpoint, {
    name: toolName(endpoint.name, used),
    title: endpoint.name,
    description: endpointText(endpoint, takesQueries),
    hint: takesQueries
      ? 'For the rest count or filter in sql.'
      : 'For the rest narrow the arguments, or use query_logs if there is such a tool.',
    queries: takesQueries ? 'taken' : 'refused',
  });
}

/** The maximum length of a name that all clients accept. */
const maxLength = 64;

/**
 * Names the tool of an endpoint: `logs.all` -> `logs_all`. Clients accept letters, digits, _ and -; a name that is
 * already used gets a number.
 */
function toolName(endpoint: string, used: Set<string>): string {
  const wanted = endpoint.replace(/[^\w-]/g, '_').slice(0, maxLength);
  let name = wanted;
  for (let n = 2; used.has(name); n++) name = `${wanted.slice(0, maxLength - 6)}_${n}`;
  used.add(name);
  return name;
}

type OwnTexts = Readonly<Record<'name' | 'title' | 'description', string>>;

/** Whether a call needs, accepts or refuses a query. */
type Queries = 'needed' | 'taken' | 'refused';

/** Creates a tool that returns rows; `hint` says how to ask for omitted rows. */
function rowsTool(
  endpoint: EndpointDescription,
  { hint, queries, ...own }: { readonly hint: string; readonly queries: Queries } & OwnTexts,
): Tool {
  const further = queries === 'refused' ? {} : queryProperties;
  return {
    definition: define(own, inputSchema(endpoint.parameters, further), rowsSchema),
    call: async (given, terms) => {
      const { session, report } = terms;
      const run = readRunRequest({ ...terms, endpoint, given, queries });
      const answer = await session.runEndpoint(run, (failed) => {
        report.failedRun = failed;
      });
      report.answer = answer;
      return rowsResult(answer, session.limits, hint);
    },
  };
}

function explain(endpoint: EndpointDescription): Tool {
  const own = { name: 'explain', title: 'Check a query', description: explainText };
  return {
    definition: define(own, inputSchema(endpoint.parameters, queryProperties), explainSchema),
    call: async (given, terms) => {
      const { session } = terms;
      const run = readRunRequest({ ...terms, endpoint, given, queries: 'needed' });
      const parameters = new Map([...run.parameters, ['explain', 'true'] as const]);
      const inspection = await session.inspectEndpoint({ ...run, parameters });
      return explainResult(inspection, session.limits);
    },
  };
}

function tablesTool(endpoints: Described): Tool {
  const names = endpoints.map(({ name }) => name);
  const properties = {
    tables: {
      type: 'array',
      items: { type: 'string' },
      description: 'the names of the tables to describe; by default all',
    },
    endpoint: {
      ...{ type: 'string', enum: names },
      description: `the endpoint whose tables to describe; by default ${defaultEndpoint(endpoints).name}`,
    },
  };
  const title = 'Describe the log tables';
  const own = { name: 'describe_tables', title, description: describeTablesText };
  return {
    definition: define(own, inputSchema([], properties)),
    call: async (given, { session: { limits } }) => {
      readArguments(given, Object.keys(properties));
      return describeTables(defaultEndpoint(endpoints), endpoints, { given, limits });
    },
  };
}

function defaultEndpoint(endpoints: readonly EndpointDescription[]): EndpointDescription {
  const [first] = endpoints;
  const found = endpoints.find(({ name }) => name === logsEndpoint) ?? first;
  if (found === undefined) throw new Error('no endpoint takes queries');
  return found;
}

/** Creates a tool's definition for clients. */
function define(
  own: OwnTexts,
  inputSchema: ToolDefinition['inputSchema'],
  outputSchema?: ToolDefinition['outputSchema'],
): ToolDefinition {
  return { ...own, inputSchema, ...(outputSchema && { outputSchema }), annotations };
}

interface Call extends CallTerms {
  readonly endpoint: EndpointDescription;
  readonly given: Arguments;
  readonly queries: Queries;
}

/** @throws ServiceError `required` if a required query is missing */
function readRunRequest(call: Call): RunRequest {
  const { endpoint, given, session, report, signal, queries } = call;
  report.endpoint = endpoint.name;
  const declared = endpoint.parameters.map(({ name }) => name);
  const isTaken = queries !== 'refused';
  const known = isTaken ? [...declared, ...Object.keys(queryProperties)] : declared;
  const parameters = readArguments(given, known);
  const sandbox = isTaken ? readQuery(given) : undefined;
  const run = {
    ...session.terms(),
    ...{ endpoint: endpoint.name, parameters, signal },
    ...(sandbox === undefined ? {} : { sandbox }),
  };
  report.run = run;
  if (queries !== 'needed' || sandbox !== undefined) return run;
  const message = 'A query is needed: sql with a SELECT, or lql';
  throw new ServiceError('required', message, { location: 'sql' });
}
