import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { main, root } from '../support/paths.js';
import { token } from '../support/start-service.js';
import { type Block, findBlocks, type Page } from './markdown.js';

/**
 * Runs the fenced blocks of a page, in order, and gives the page with the answers that came.
 *
 * | Block | Is |
 * |---|---|
 * | `console` | a command after `$ `, then what it prints; a `json` block right after holds the answer instead |
 * | `console serves` | a command that serves; it is stopped after the page's last block, and meets the requests of those below it |
 * | `sql`, `lql` | a caller's query, or one LQL query per line, sent to `logs.all` for the project bluefin; a `json` or `csv` block right after holds the answer; after `refused` a `text` block holds the message |
 * | any, `file=PATH` | a file, written for the blocks below it |
 * | any, `in=PATH` | an excerpt: its lines are in this file of the project |
 * | any, `not-run` | an example that cannot run here; a list in the test says why |
 *
 * In answers and outputs `…` stands for any text.
 */
export interface ExampleRunner {
  /** An empty folder in which the page's commands run. */
  readonly folder: string;
  /** Of a server over the sample logs. */
  readonly url: string;
  /** Whether `console` blocks run. */
  readonly runsCommands: boolean;
}

/** An answer replaces a part of a page. */
interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** A page's blocks so far: where its requests go, and what it has started. */
interface Run extends ExampleRunner {
  url: string;
  readonly started: ChildProcess[];
}

/** @throws Error for a block that fails, with its page and line */
export async function runExamples(page: Page, runner: ExampleRunner): Promise<string> {
  for (const name of ['fixtures', 'sql', 'scripts', 'dist', 'package.json'])
    symlinkSync(join(root, name), join(runner.folder, name));
  writeCommand(runner.folder);
  mkdirSync(join(runner.folder, 'node_modules'));
  symlinkSync(root, join(runner.folder, 'node_modules', 'log-endpoints'));
  const run: Run = { ...runner, started: [] };
  try {
    return await runBlocks(page, run);
  } finally {
    for (const child of run.started) await stop(child);
  }
}

async function runBlocks(page: Page, runner: Run): Promise<string> {
  const blocks = findBlocks(page.text);
  const edits: Edit[] = [];
  for (const [index, block] of blocks.entries()) {
    const next = blocks[index + 1];
    const answer = next !== undefined && isAnswer(page, block, next) ? next : undefined;
    const before = blocks[index - 1];
    if (before !== undefined && isAnswer(page, before, block)) continue;
    try {
      edits.push(...(await runBlock(block, answer, runner)));
    } catch (cause) {
      throw new Error(`${page.path}:${block.line}: ${String(cause)}`, { cause });
    }
  }
  return edits.reduceRight(
    (text, { start, end, text: answer }) => text.slice(0, start) + answer + text.slice(end),
    page.text,
  );
}

/** Whether a block is one that answers the block before it, and is not run. */
function isAnswer(page: Page, block: Block, next: Block): boolean {
  const asks = ['console', 'sql', 'lql'].includes(block.language) && !block.options.has('file');
  const expected = block.options.has('refused') ? ['text'] : ['json', 'csv'];
  const between = page.text.slice(block.end, next.start);
  return asks && expected.some((one) => between === `\`\`\`\n\n\`\`\`${one}\n`);
}

async function runBlock(block: Block, answer: Block | undefined, runner: Run) {
  const { language, options, body } = block;
  const file = options.get('file');
  const source = options.get('in');
  if (options.has('not-run')) return [];
  if (file !== undefined) return writeExample(join(runner.folder, file), body);
  if (source !== undefined) return checkExcerpt(source, body);
  if (language === 'console') return runner.runsCommands ? runConsole(block, answer, runner) : [];
  if (language !== 'sql' && language !== 'lql')
    throw new Error(`a block of ${language} is not run`);
  return askQueries(block, answer, runner.url);
}

async function askQueries(block: Block, answer: Block | undefined, url: string) {
  if (block.language === 'lql' && answer === undefined) {
    for (const line of block.body.trim().split('\n'))
      await askService({ ...block, body: line }, url);
    return [];
  }
  const format = answer?.language === 'csv' ? 'csv' : 'json';
  const text = await askService(block, url, format);
  if (answer === undefined) return [];
  if (format === 'csv') return [editCsv(answer, text)];
  return [block.options.has('refused') ? editMessage(answer, text) : editJson(answer, text)];
}

function writeExample(path: string, body: string): readonly Edit[] {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, body);
  return [];
}

function checkExcerpt(path: string, body: string): readonly Edit[] {
  const text = readFileSync(join(root, path), 'utf8');
  const missing = body
    .split('\n')
    .filter((line) => line.trim() !== '…' && !text.includes(line.trim()));
  if (missing.length > 0) throw new Error(`not in ${path}: ${missing.join('\n')}`);
  return [];
}

async function runConsole(block: Block, answer: Block | undefined, runner: Run) {
  if (block.options.has('serves')) return startServing(block, runner);
  const sessions = readSessions(block.body);
  if (sessions.length === 0) throw new Error('no line begins with "$ "');
  const printed: string[] = [];
  let last = '';
  for (const { command, output } of sessions) {
    const isSilent = output === '';
    const { text, code } = await runCommand(command, runner);
    if (isSilent && code !== 0) throw new Error(`exit code ${code}: ${text}`);
    last = text;
    printed.push(`$ ${command}\n${isSilent || matches(output, text) ? output : text}`);
  }
  if (answer !== undefined) return [editJson(answer, last)];
  return [{ start: block.start, end: block.end, text: printed.join('') }];
}

interface Session {
  readonly command: string;
  /** The output that the page shows; empty if it shows none. */
  readonly output: string;
}

/** The commands of a block, each with the output below it. */
function readSessions(body: string): readonly Session[] {
  const sessions: { command: string; output: string }[] = [];
  let isOpen = false;
  for (const line of body.split('\n').slice(0, -1)) {
    const last = sessions.at(-1);
    if (isOpen && last !== undefined) last.command += `\n${line}`;
    else if (line.startsWith('$ ')) sessions.push({ command: line.slice(2), output: '' });
    else if (last !== undefined) last.output += `${line}\n`;
    const command = sessions.at(-1)?.command ?? '';
    isOpen = sessions.at(-1)?.output === '' && goesOn(command);
  }
  return sessions;
}

/** Whether a command goes on in the next line: after a backslash, or inside quotes. */
function goesOn(command: string): boolean {
  const quoted = /\\.|'[^']*'|"(?:[^"\\]|\\.)*"/gs;
  return /\\$|['"]/.test(command.replace(quoted, ''));
}

function environmentOf(folder: string): NodeJS.ProcessEnv {
  const { PATH } = process.env;
  const path = `${join(folder, '.bin')}:${PATH}`;
  const npm = { npm_config_update_notifier: 'false' };
  return { PATH: path, HOME: folder, TOKEN: token, PROJECT: root, ...npm };
}

/** Starts the one command of a block, on a free port, and waits for the address and the output that the page shows. */
async function startServing({ body, start, end }: Block, run: Run): Promise<readonly Edit[]> {
  const [session, ...others] = readSessions(body);
  if (session === undefined || others.length > 0) throw new Error('expected one command');
  const ports = { LOG_ENDPOINTS_PORT: '0', LOG_ENDPOINTS_TOKENS: token };
  const env = { ...environmentOf(run.folder), ...ports };
  // In a group of its own, which ends with what npm has started.
  const child = spawn('bash', ['-uc', session.command], { cwd: run.folder, env, detached: true });
  run.started.push(child);
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (printed += text));
  const isUp = () => {
    const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(printed) ?? [];
    if (url !== undefined) run.url = url;
    const shown = printed.replaceAll(run.url, 'http://127.0.0.1:4000');
    return url !== undefined && (session.output === '' || matches(`${session.output}…`, shown));
  };
  for (let tries = 0; !isUp(); tries += 1) {
    if (tries > 300 || child.exitCode !== null) throw new Error(printed);
    await sleep(100);
  }
  return [{ start, end, text: body }];
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.pid === undefined) return;
  const ended = once(child, 'exit');
  process.kill(-child.pid, 'SIGTERM');
  await ended;
}

async function runCommand(command: string, { folder, url }: ExampleRunner) {
  const script = `exec 2>&1; ${command.replaceAll('http://127.0.0.1:4000', url)}`;
  const env = environmentOf(folder);
  const run = promisify(execFile)('bash', ['-uc', script], { cwd: folder, env, timeout: 60_000 });
  const { stdout, code } = await run.then(
    ({ stdout }) => ({ stdout, code: 0 }),
    (error: { readonly stdout: string; readonly code: number }) => error,
  );
  const text = stdout.replaceAll(url, 'http://127.0.0.1:4000').replaceAll('\r\n', '\n');
  return { text: text === '' || text.endsWith('\n') ? text : `${text}\n`, code };
}

/** The built command under the name that an installed package gives it. */
function writeCommand(folder: string): void {
  mkdirSync(join(folder, '.bin'));
  const script = `#!/bin/sh\nexec '${process.execPath}' '${main}' "$@"\n`;
  writeFileSync(join(folder, '.bin', 'log-endpoints'), script, { mode: 0o755 });
}

async function askService(
  { language, options, body }: Block,
  url: string,
  format = 'json',
): Promise<string> {
  const { endpoint = 'logs.all', refused: _, ...others } = Object.fromEntries(options);
  const parameters = { project: 'bluefin', format, ...others, [language]: body };
  const response = await fetch(`${url}/api/endpoints/query/${endpoint}`, {
    method: 'POST',
    headers: { 'x-api-key': token, 'content-type': 'application/json', 'x-request-id': 'example' },
    body: JSON.stringify(parameters),
  });
  const text = await response.text();
  const isRefused = options.has('refused');
  if (response.ok === isRefused) throw new Error(`status ${response.status}: ${text}`);
  return text;
}

/** Keeps the page's answer where it is right, however it is laid out. */
function editJson(answer: Block, text: string): Edit {
  const { start, end, body } = answer;
  const isRight = matches(squeeze(body), squeeze(text));
  const printed = isRight ? body : `${JSON.stringify(JSON.parse(text), null, 2)}\n`;
  return { start, end, text: printed };
}

function editCsv({ start, end, body }: Block, text: string): Edit {
  const printed = text.replaceAll('\r\n', '\n');
  return { start, end, text: matches(body, printed) ? body : printed };
}

/** Wraps the message as the page's other lines. */
function editMessage({ start, end, body }: Block, text: string): Edit {
  const { error } = JSON.parse(text) as { readonly error: { readonly message: string } };
  const isRight = body.replaceAll('\n', ' ').trim() === error.message;
  return { start, end, text: isRight ? body : `${error.message}\n` };
}

function squeeze(json: string): string {
  return JSON.stringify(JSON.parse(json));
}

/** Whether a text is the one that was expected, in which `…` is any text. */
function matches(expected: string, actual: string): boolean {
  const parts = expected.split('…').map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return new RegExp(`^${parts.join('[^]*?')}$`).test(actual);
}
