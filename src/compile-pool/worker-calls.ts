import type { Worker } from 'node:worker_threads';
import type { CompileReply, CompileRequest } from './compile-messages.js';

/** Requests to a worker, which answers them in order. */
export interface WorkerCalls {
  /** @throws Error where the worker has ended or ends before it answers; its cause is the worker's error */
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

/** Takes over the messages of a worker. */
export function createCalls(worker: Worker): WorkerCalls {
  const waiting: Call[] = [];
  let why: Error | undefined;
  const fail = (error: Error) => {
    why ??= error;
    for (const call of waiting.splice(0)) call.reject(why);
  };
  worker.on('message', (reply: CompileReply) => waiting.shift()?.resolve(reply));
  // Out of memory, or an exception that nobody caught: the worker exits next.
  worker.on('error', (cause) => fail(new Error('a compile worker failed', { cause })));
  const ended = new Promise<void>((resolve) => {
    worker.on('exit', (code) => {
      fail(new Error(`a compile worker ended with exit code ${code}`));
      resolve();
    });
  });
  return {
    ended,
    isAlive: () => why === undefined,
    send: (request) =>
      new Promise((resolve, reject) => {
        if (why !== undefined) return reject(why);
        waiting.push({ resolve, reject });
        worker.postMessage(request);
      }),
    end(error) {
      fail(error);
      void worker.terminate();
    },
  };
}
