import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { installTool } from '../install-tool.js';
import type { Emulator } from './install.js';

/** An emulator that runs. */
export interface Running {
  readonly url: string;
  close(): void;
}

/** The time that an emulator may take to start, in milliseconds. */
const patienceMs = 60_000;

/** Starts an emulator, and installs it if it is not; it ends with this process. @throws Error if it does not start */
export async function startEmulator(emulator: Emulator): Promise<Running> {
  const folder = await installTool(emulator);
  const port = await freePort();
  const [program = '', ...flags] = emulator.command(folder, port);
  const { PATH, HOME } = process.env;
  const child = spawn(program, flags, {
    env: { PATH, HOME },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let output = '';
  let failure: unknown;
  child.stderr.on('data', (chunk: Buffer) => {
    output = `${output}${chunk}`.slice(-4000);
  });
  child.once('error', (error) => {
    failure = error;
  });
  const close = () => {
    process.off('exit', close);
    child.kill('SIGKILL');
  };
  process.once('exit', close);
  const url = `http://127.0.0.1:${port}`;
  for (const start = Date.now(); Date.now() - start < patienceMs; await sleep(100)) {
    if (failure !== undefined || child.exitCode !== null) break;
    if (await answers(url)) return { url, close };
  }
  close();
  throw new Error(`${emulator.name} does not start: ${failure ?? output}`);
}

async function answers(url: string): Promise<boolean> {
  try {
    await fetch(`${url}/bigquery/v2/projects/stand-in/datasets`);
    return true;
  } catch {
    return false;
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
