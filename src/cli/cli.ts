import { writeFileSync } from 'node:fs';
import { type Command, takeTokenEntries } from '../config/config.js';
import { configFile } from '../config/preset.js';
import { printHelp } from '../config/print-help.js';
import type { Settings } from '../config/settings.js';
import type { Verb } from '../config/verbs.js';
import { withSetupError } from '../errors/errors.js';
import { readVersion } from '../process/package-paths.js';
import type { Companion } from './demo.js';
import { checkOutput, printAside, printOutput } from './output.js';
import { untilOrphaned } from './signals.js';

/** Runs a verb with its positional argument; resolves to the exit code. */
type RunVerb = (settings: Settings, argument: string) => Promise<number>;

// Imported on demand: a verb starts faster without the code of the others.
const verbs: Readonly<Record<Exclude<Verb, 'serve' | 'demo' | 'mcp'>, RunVerb>> = {
  query: async (settings, endpoint) => {
    checkOutput(settings.format, process.stdout.isTTY);
    const { query } = await import('./query.js');
    return printOutput(await query(settings, endpoint, { onWarning: printAside }));
  },
  explain: printing(async () => (await import('./explain.js')).explain),
  check: async (settings) => {
    const { check } = await import('./check.js');
    const { printReport } = await import('./check-report.js');
    const report = await check(settings);
    return printVerdict(report.errors.length === 0, printReport(report, settings.format));
  },
  test: async (settings) => {
    const { runTests } = await import('./run-tests.js');
    const { hasFailed, printJunit, printResults } = await import('./test-report.js');
    const results = await runTests(settings);
    const { junit } = settings;
    if (junit) withSetupError('--junit', () => writeFileSync(junit, printJunit(results)));
    return printVerdict(!results.some(hasFailed), printResults(results));
  },
  new: printing(async () => (await import('./new-endpoint.js')).newEndpoint),
  generate: async (settings) => {
    const { generateLogs } = await import('./generate.js');
    return printOutput(await generateLogs(settings, Date.now()));
  },
  cache: printing(async () => (await import('./manage-cache.js')).manageCache),
  tokens: printing(async () => (await import('./new-token.js')).newToken),
  bigquery: printing(async () => (await import('../bigquery/ddl.js')).printDdl),
  'test-server': async (settings) => {
    const { runTestServer } = await import('./test-server.js');
    const input = process.stdin.setEncoding('utf8');
    const tokens = takeTokenEntries(undefined, settings.allowShortTokens);
    const running = runTestServer({ settings, tokens, input, print: printOutput });
    // A process that the test has started too may keep the pipe open.
    await Promise.race([running, untilOrphaned()]);
    return 0;
  },
};

/** Creates a verb that prints the result of a function. */
function printing(
  load: () => Promise<(settings: Settings, argument: string) => string | Promise<string>>,
): RunVerb {
  return async (settings, argument) => printOutput(await (await load())(settings, argument));
}

async function printVerdict(isGood: boolean, report: string): Promise<number> {
  // Set first, in case the reader closes the pipe.
  process.exitCode = isGood ? 0 : 1;
  await printOutput(report);
  return process.exitCode;
}

/** The verbs that `main.ts` runs: they open the service with its pools, and resolve to the exit code. */
export interface ServingVerbs {
  readonly serve: (settings: Settings, companion?: Companion) => Promise<number>;
  readonly mcp: (settings: Settings) => Promise<number>;
}

/**
 * Runs a command; resolves to the exit code.
 * @throws SetupError, ServiceError
 */
export async function runCommand(command: Command, { serve, mcp }: ServingVerbs): Promise<number> {
  if (command.verb === 'help') return printOutput(`${printHelp(command.of)}\n`);
  if (command.verb === 'version') return printOutput(`${readVersion()}\n`);
  const { verb, argument } = command;
  const settings = await withInput(verb, command.settings);
  if (settings.preset === configFile && !settings.quiet) printAside(`${configFile} is used`);
  if (verb === 'serve') return serve(settings);
  if (verb === 'mcp') return mcp(settings);
  if (verb === 'demo') {
    const { openDemo } = await import('./demo.js');
    const { companion, ...opened } = await openDemo(settings, Date.now());
    return serve(opened.settings, companion);
  }
  return verbs[verb](settings, argument);
}

/**
 * If `-` is among the paths, copies standard input to a file and adds that file to the settings. Reads the input to its
 * end first, except for `serve`.
 */
async function withInput(verb: Verb, settings: Settings): Promise<Settings> {
  if (!settings.paths?.includes('-')) return settings;
  const { followInput, readInput } = await import('../start/standard-input.js');
  const read = verb === 'serve' ? followInput : readInput;
  const piped = await read(process.stdin);
  return { ...settings, piped, noDiskCache: true, watch: settings.watch || verb === 'serve' };
}
