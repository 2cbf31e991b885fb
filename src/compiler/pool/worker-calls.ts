import type { ChildProcess } from 'node:child_process';
import type { CompileReply, CompileRequest } from './compile-messages.js';

/** Requests to a worker, which answers them in order. */
export interface WorkerCalls {
  /** @throws Error where the worker has ended or ends before it answers: a {@link WorkerEnd} where it did by itself */
  send(request: CompileRequest): Promise<CompileReply>;
  isAlive(): boolean;
  /** Ends the worker now; what it has not answered fails with this error. */
  end(why: Error): void;
  /** Settles when the worker is gone. */
  readonly ended: Promise<void>;
}

interface Call {
  readonly resolve: (reply: CompileReply) => void;
  readonly reject: (why: Error) => void;
}

/** Why a worker's calls fail that has ended by itself. */
export class WorkerEnd extends Error {
  /** The signal, or the exit code. */
  readonly how: NodeJS.Signals | number;

  constructor(how: NodeJS.Signals | number) {
    super(`a compile worker ended by ${how}`);
    this.how = how;
  }
}

/** Takes over the messages of a process. */
export function createCalls(child: ChildProcess): WorkerCalls {
  const waiting: Call[] = [];
  let why: Error | undefined;
  const fail = (error: Error) => {
    why ??= error;
    for (const call of waiting.splice(0)) call.reject(why);
  };
  child.on('message', (reply: CompileReply) => waiting.shift()?.resolve(reply));
  const ended = new Promise<void>((resolve) => {
    child.once('exit', (code, signal) => {
      fail(new WorkerEnd(signal ?? code ?? 1));
      resolve();
    });
    child.on('error', (cause) => {
      fail(new Error('a compile worker cannot be started', { cause }));
      if (child.pid === undefined) resolve();
    });
  });
  return {
    ended,
    isAlive: () => why === undefined,
    send: (request) =>
      new Promise((resolve, reject) => {
        if (why !== undefined) return reject(why);
        waiting.push({ resolve, reject });
        // A process that is gone takes no message: its end is seen elsewhere.
        child.send(request, () => {});
      }),
    end(error) {
      fail(error);
      child.kill('SIGKILL');
    },
  };
}
