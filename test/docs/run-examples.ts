import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
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
 * | `sql`, `lql` | a caller's query, or one LQL query per line, sent to `logs.all` for the project bluefin; a `json` block right after holds the answer; after `refused` a `text` block holds the message |
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

/** @throws Error for a block that fails, with its page and line */
export async function runExamples(page: Page, runner: ExampleRunner): Promise<string> {
  for (const name of ['fixtures', 'sql']) symlinkSync(join(root, name), join(runner.folder, name));
  writeCommand(runner.folder);
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
  const expected = block.options.has('refused') ? 'text' : 'json';
  const between = page.text.slice(block.end, next.start);
  return asks && between === `\`\`\`\n\n\`\`\`${expected}\n`;
}

async function runBlock(block: Block, answer: Block | undefined, runner: ExampleRunner) {
  const { language, options, body } = block;
  const file = options.get('file');
  const source = options.get('in');
  if (options.has('not-run')) return [];
  if (file !== undefined) return writeExample(join(runner.folder, file), body);
  if (source !== undefined) return checkExcerpt(source, body);
  if (language === 'console') return runner.runsCommands ? runConsole(block, answer, runner) : [];
  if (language !== 'sql' && language !== 'lql')
    throw new Error(`a block of ${language} is not run`);
  if (language === 'lql' && answer === undefined) {
    for (const line of body.trim().split('\n'))
      await askService({ ...block, body: line }, runner.url);
    return [];
  }
  const text = await askService(block, runner.url);
  if (answer === undefined) return [];
  return [options.has('refused') ? editMessage(answer, text) : editJson(answer, text)];
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

async function runConsole(block: Block, answer: Block | undefined, runner: ExampleRunner) {
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
  /** What the page says that it prints; empty where it says nothing. */
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

async function runCommand(command: string, { folder, url }: ExampleRunner) {
  const { PATH } = process.env;
  const script = `exec 2>&1; ${command.replaceAll('http://127.0.0.1:4000', url)}`;
  const path = `${join(folder, '.bin')}:${PATH}`;
  const env = { PATH: path, HOME: folder, TOKEN: token, PROJECT: root };
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

async function askService({ language, options, body }: Block, url: string): Promise<string> {
  const { endpoint = 'logs.all', refused: _, ...others } = Object.fromEntries(options);
  const parameters = { project: 'bluefin', ...others, [language]: body };
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
