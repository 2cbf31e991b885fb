import type { ChildProcess } from 'node:child_process';
import type { CompileReply, CompileRequest } from './compile-messages.js';

/** Requests to a worker, which replies in order. */
export interface WorkerCalls {
  /** @throws Error if the worker ends before it replies: a {@link WorkerEnd} unless {@link end} ended it */
  send(request: CompileRequest): Promise<CompileReply>;
  /** Whether the worker accepts requests. */
  isAlive(): boolean;
  /** Ends the worker immediately; pending requests fail with this error. */
  end(why: Error): void;
  /** Settles when the process has ended. */
  readonly ended: Promise<void>;
}

interface Call {
  readonly resolve: (reply: CompileReply) => void;
  readonly reject: (why: Error) => void;
}

/** The error of requests to a worker that exited or was killed by the system. */
export class WorkerEnd extends Error {
  /** The signal that ended it, or its exit code. */
  readonly how: NodeJS.Signals | number;

  constructor(how: NodeJS.Signals | number) {
    super(`a compile worker ended by ${how}`);
    this.how = how;
  }
}

/** Sends requests to a process and matches its messages to them. */
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
        // Sending to a process that has ended fails; its end is handled by the listener above.
        child.send(request, () => {});
      }),
    end(error) {
      fail(error);
      // Otherwise this process may end before `ended` settles.
      child.ref();
      child.kill('SIGKILL');
    },
  };
}
