import { parentPort } from 'node:worker_threads';
import { scanLines } from './scan-lines.js';
import type { ScanAnswer, ScanTask } from './scanners.js';

/** How many bytes are scanned between progress reports. */
const reportBytes = 4_194_304;

// A worker thread that scans one piece of a file after another on request.
parentPort?.on(
  'message',
  (task: ScanTask) => void scan(task).then(send, () => send({ failed: true })),
);

async function scan(task: ScanTask): Promise<ScanAnswer> {
  const pending = { bytes: 0, lines: 0 };
  const onRead = (bytes: number, lines: number) => {
    pending.bytes += bytes;
    pending.lines += lines;
    if (pending.bytes < reportBytes) return;
    send({ read: { ...pending } });
    pending.bytes = 0;
    pending.lines = 0;
  };
  const scanned = await scanLines({ ...task, onRead });
  send({ read: pending });
  return { scanned };
}

function send(answer: ScanAnswer): void {
  parentPort?.postMessage(answer);
}
