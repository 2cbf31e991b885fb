import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { main } from './paths.js';

/** The token that {@link startService}'s service knows. */
export const token = 'a-token-of-the-tests-0123456789';

export interface Service {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  readonly pid: number;
  /** The output of the service so far. */
  output(): string;
  /** Asks it to drain and gives its exit code. */
  stop(): Promise<number | null>;
  /** Sends a signal, or none; gives its exit code, or the signal that ended it, once it has ended. */
  kill(signal?: NodeJS.Signals): Promise<number | NodeJS.Signals | null>;
}

/**
 * Starts the built command as a process of its own on a free port, with these variables, too; resolves
 * once it has printed its address.
 * @throws Error with what it wrote, where it ends before that
 */
export async function startService(
  flags: readonly string[],
  environment: NodeJS.ProcessEnv = {},
): Promise<Service> {
  const { PATH, HOME } = process.env;
  // Services over the same logs give the same ids.
  const own = {
    LOG_ENDPOINTS_TOKENS: token,
    LOG_ENDPOINTS_NO_DISK_CACHE: 'true',
    LOG_ENDPOINTS_ID_KEY: 'the key of the tests',
  };
  const child = spawn(process.execPath, [main, 'serve', '--port', '0', ...flags], {
    env: { PATH, HOME, ...own, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'exit');
  let output = '';
  const url = await new Promise<string>((resolve, reject) => {
    const read = (chunk: Buffer) => {
      output += chunk.toString();
      const [address] = /http:\/\/127\.0\.0\.1:\d+/.exec(output) ?? [];
      if (address !== undefined) resolve(address);
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    ended.then(([code]) => reject(new Error(`the service ended with ${code}:\n${output}`)), reject);
  });
  const stop = async () => {
    child.kill('SIGTERM');
    const [code] = await ended;
    return code;
  };
  const kill: Service['kill'] = async (signal) => {
    if (signal !== undefined) child.kill(signal);
    const [code, by] = await ended;
    return code ?? by;
  };
  return { url, pid: child.pid ?? 0, stop, kill, output: () => output };
}
