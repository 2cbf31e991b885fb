import { parentPort } from 'node:worker_threads';
import { scanLines } from './scan-lines.js';
import type { ScanAnswer, ScanTask } from './scanners.js';

/** How many bytes are scanned before it is told. */
const tellBytes = 4_194_304;

// A thread that scans one piece of a file after another, as it is told.
parentPort?.on(
  'message',
  (task: ScanTask) => void scan(task).then(tell, () => tell({ failed: true })),
);

async function scan(task: ScanTask): Promise<ScanAnswer> {
  const news = { bytes: 0, lines: 0 };
  const onRead = (bytes: number, lines: number) => {
    news.bytes += bytes;
    news.lines += lines;
    if (news.bytes < tellBytes) return;
    tell({ read: { ...news } });
    news.bytes = 0;
    news.lines = 0;
  };
  const scanned = await scanLines({ ...task, onRead });
  tell({ read: news });
  return { scanned };
}

function tell(answer: ScanAnswer): void {
  parentPort?.postMessage(answer);
}
