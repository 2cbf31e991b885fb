import { ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server';
import { shortName } from '../errors/errors.js';
import { didYouMean } from '../errors/suggest.js';
import type { Arguments } from './arguments.js';
import { errorResult } from './results.js';
import type { Session } from './session.js';
import { instructions } from './texts.js';
import { type CallTerms, callerTools, type Report, type Tool } from './tools.js';

/**
 * Creates a server of the Model Context Protocol with the tools of a session. Looks the tools up for each request, so
 * that they match the served endpoints.
 * @see https://modelcontextprotocol.io/specification
 */
export function createMcpServer(session: Session): Server {
  const server = new Server(
    { name: 'log-endpoints', version: session.version },
    { capabilities: { tools: {} }, instructions },
  );
  const tools = async () => {
    const { scope } = session.terms();
    return callerTools(await session.describeEndpoints(scope), session.limits);
  };
  server.setRequestHandler('tools/list', async () => ({
    tools: (await tools()).map(({ definition }) => definition),
  }));
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
    const tool = findTool(params.name, await tools());
    return callTool(tool, params.arguments ?? {}, { session, signal: mcpReq.signal });
  });
  return server;
}

/** @throws ProtocolError for an unknown tool */
function findTool(name: string, tools: readonly Tool[]): Tool {
  const found = tools.find(({ definition }) => definition.name === name);
  if (found !== undefined) return found;
  const names = tools.map(({ definition }) => definition.name);
  const message = `Unknown tool: ${shortName(name)}${didYouMean(name, names)}`;
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}

/** Calls a tool. A failed call returns a result too: the model can read it and correct its call. */
async function callTool(
  tool: Tool,
  given: Arguments,
  { session, signal }: Omit<CallTerms, 'report'>,
) {
  const report: Report = { startMs: performance.now() };
  try {
    return await tool.call(given, { session, report, signal });
  } catch (error) {
    report.failure = error;
    return errorResult(error);
  } finally {
    session.onCall(report);
  }
}
