import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** The exit code and the output of a program that has ended. */
export interface Ended {
  readonly code: number | null;
  readonly output: string;
}

/** Runs a program of a tester; kills it after that time. */
export async function runProgram(
  [program = '', ...flags]: readonly string[],
  { cwd, timeout = 120_000 }: { readonly cwd: string; readonly timeout?: number },
): Promise<Ended> {
  const { PATH, HOME } = process.env;
  // Their tables are as wide as the terminal.
  const env = { PATH, HOME, COLUMNS: '200', NO_COLOR: '1' };
  const child = spawn(program, flags, { cwd, env, timeout, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  const read = (chunk: Buffer) => {
    output += chunk;
  };
  child.stdout.on('data', read);
  child.stderr.on('data', read);
  const [code] = await once(child, 'close');
  return { code, output };
}
