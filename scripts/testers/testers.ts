import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fixtures, root } from '../../test/support/paths.js';
import { startService, token } from '../../test/support/start-service.js';
import { installTool, type Tool } from '../install-tool.js';
import { attw, conformance, publint, schemathesis } from './install.js';
import { openRelay, relayOrigin } from './relay.js';
import { type Ended, runProgram } from './run-program.js';

/** The options of a run. */
export interface Options {
  readonly only: readonly TesterName[];
  /** The time limit of schemathesis. */
  readonly seconds: number;
  readonly seed: number;
}

export type TesterName = 'schemathesis' | 'conformance' | 'publint' | 'attw';

/** The result of a tester: a count in words, and the faults that it found. */
export interface Found {
  readonly figure: string;
  readonly faults: readonly string[];
}

interface Tester {
  readonly tool: Tool;
  /** @param folder where the tool is installed; `work` is an empty folder */
  readonly test: (folder: string, work: string, options: Options) => Promise<Found>;
}

/** The tests, by the tool that each needs. */
export const testers: Readonly<Record<TesterName, Tester>> = {
  schemathesis: { tool: schemathesis, test: testOpenApi },
  conformance: { tool: conformance, test: testMcp },
  publint: { tool: publint, test: testExports },
  attw: { tool: attw, test: testTypes },
};

/** Runs the testers and prints what each found; returns how much that is, and how many could not be had. */
export async function run(options: Options): Promise<number> {
  let open = 0;
  for (const name of options.only) {
    const { tool } = testers[name];
    try {
      const { figure, faults } = await runTester(name, options);
      console.log(`${tool.name} ${tool.version}: ${figure}`);
      for (const fault of faults) console.log(fault);
      open += faults.length;
    } catch (error) {
      open += 1;
      console.log(`${tool.name} ${tool.version}: ${error}`);
    }
  }
  return open;
}

/** @throws Error if the tool cannot be installed */
export async function runTester(name: TesterName, options: Options): Promise<Found> {
  const { tool, test } = testers[name];
  const folder = await installTool(tool);
  const work = mkdtempSync(join(tmpdir(), `tester-${name}-`));
  try {
    return await test(folder, work, options);
  } finally {
    rmSync(work, { recursive: true });
  }
}

/** A program that ends with another code than 0 has one fault: its output. */
function exitFaults({ code, output }: Ended): readonly string[] {
  return code === 0 ? [] : [output.trim() || `it ended with ${code}`];
}

async function withService<T>(
  use: (url: string) => Promise<T>,
  environment: NodeJS.ProcessEnv = {},
): Promise<T> {
  // Other tests may keep the machine busy.
  const patience = ['--query-timeout', '3m', '--compile-timeout', '20s'];
  const flags = ['--data', fixtures, '--now', '2026-03-10T12:00:00Z', '--quiet', ...patience];
  const service = await startService([...flags, '--cors-origin', relayOrigin], environment);
  const end = () => void process.kill(service.pid);
  process.once('exit', end);
  try {
    return await use(service.url);
  } finally {
    process.off('exit', end);
    await service.stop();
  }
}

/** Python 3.11 itself sometimes fails so in schemathesis, whatever the service answers. */
const pythonFailure = 'AST constructor recursion depth mismatch';

/** No answer may be a 5xx or outside its schema. A token for one project, since made-up projects have no rows. */
function testOpenApi(folder: string, work: string, { seconds, seed }: Options): Promise<Found> {
  const bound = 'a-token-for-quarry-0123456789';
  const file = join(work, 'tokens.json');
  writeFileSync(file, JSON.stringify([{ token: bound, project: 'quarry' }]));
  return withService(
    async (url) => {
      const checks = [
        ...['not_a_server_error', 'status_code_conformance', 'content_type_conformance'],
        ...['response_headers_conformance', 'response_schema_conformance'],
      ];
      const send = () =>
        runProgram(
          [
            join(folder, 'bin/st'),
            ...['run', `${url}/api/openapi.json`, '--header', `X-API-KEY: ${bound}`],
            ...['--checks', checks.join(','), '--warnings', 'off', '--request-timeout', '30'],
            ...['--max-time', String(seconds), '--seed', String(seed), '--workers', '1'],
          ],
          { cwd: work, timeout: (seconds + 120) * 1000 },
        );
      const first = await send();
      const ended = first.output.includes(pythonFailure) ? await send() : first;
      const [, requests = '0'] = /(\d+) generated/.exec(ended.output) ?? [];
      const none = requests === '0' && ended.code === 0 ? ['it sent no request'] : [];
      return { figure: `${requests} requests`, faults: [...exitFaults(ended), ...none] };
    },
    { LOG_ENDPOINTS_TOKENS_FILE: file },
  );
}

/** A check of the conformance tests, as they write it to a file. */
interface Check {
  readonly id: string;
  readonly status: string;
  readonly errorMessage?: string;
}

/**
 * The conformance tests ask for the tools, prompts and resources of an example server. A server without them has to say so,
 * with the error that the protocol has for it; everything else must pass.
 */
const absent = /MCP error (?:-32601: Method not found|-32602: Unknown tool: test_)/;

/** A server that loses a method of its own passes fewer. */
const leastPassed = 6;

function testMcp(folder: string, work: string): Promise<Found> {
  return withService(async (url) => {
    const relay = await openRelay(url, token);
    const modules = join(folder, 'node_modules');
    const { output } = await runProgram(
      [
        join(modules, '.bin/node'),
        join(modules, '@modelcontextprotocol/conformance/dist/index.js'),
        ...['server', '--url', `${relay.url}/mcp`, '--output-dir', work],
      ],
      { cwd: work },
    );
    relay.close();
    const checks = readdirSync(work).flatMap(
      (scenario) =>
        JSON.parse(readFileSync(join(work, scenario, 'checks.json'), 'utf8')) as Check[],
    );
    const passed = checks.filter(({ status }) => status === 'SUCCESS');
    const failed = checks.filter(({ status }) => status !== 'SUCCESS' && status !== 'INFO');
    const faults = failed.filter(({ errorMessage = '' }) => !absent.test(errorMessage));
    return {
      figure: `${passed.length} checks passed, ${failed.length - faults.length} ask for what /mcp does not have`,
      faults: [
        ...faults.map(({ id, errorMessage }) => `${id}: ${errorMessage}`),
        ...(passed.length < leastPassed ? [output.trim()] : []),
      ],
    };
  });
}

/** Packs what is published. */
async function pack(work: string): Promise<string> {
  const packed = await runProgram(['node', join(root, 'scripts/pack.mjs'), work], { cwd: root });
  if (packed.code !== 0) throw new Error(packed.output);
  return packed.output.trim();
}

async function testExports(folder: string, work: string): Promise<Found> {
  const program = join(folder, 'node_modules/publint/src/cli.js');
  const flags = ['run', await pack(work), '--level', 'suggestion', '--strict'];
  const ended = await runProgram(['node', program, ...flags], { cwd: work });
  return { figure: ended.output.trim().split('\n').at(-1) ?? '', faults: exitFaults(ended) };
}

async function testTypes(folder: string, work: string): Promise<Found> {
  const program = join(folder, 'node_modules/@arethetypeswrong/cli/dist/index.js');
  // The package is ESM: CommonJS imports it with `import()`, or with `require` since Node 20.19.
  const flags = [await pack(work), '--ignore-rules', 'cjs-resolves-to-esm', '--no-emoji'];
  const ended = await runProgram(['node', program, ...flags], { cwd: work });
  const entries = ended.output.match(/"log-endpoints[^"]*"/g) ?? [];
  const none = entries.length === 0 ? ['it found no entry point'] : [];
  return { figure: `${entries.length} entry points`, faults: [...exitFaults(ended), ...none] };
}
