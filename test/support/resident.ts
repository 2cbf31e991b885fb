import { readdirSync, readFileSync } from 'node:fs';

/** Resident memory of a process and of all below it, seen again and again. */
export interface Resident {
  /** The most that all of them together had at one look since the last call of {@link reset}, in MiB. */
  peak(): number;
  reset(): void;
  /** The memory that all of them have now, in MiB. */
  now(): number;
  /** The processes below that were ever seen and still live. */
  living(): readonly number[];
  stop(): void;
}

const lookMs = 50;

/** Watches a process and its children, by what Linux tells of them. */
export function watchResident(pid: number): Resident {
  const seen = new Set<number>();
  let peak = 0;
  const look = () => {
    const below = childrenOf(pid);
    for (const child of below) seen.add(child);
    return [pid, ...below].reduce((sum, one) => sum + residentMib(one), 0);
  };
  const timer = setInterval(() => {
    peak = Math.max(peak, look());
  }, lookMs);
  return {
    peak: () => peak,
    reset: () => {
      peak = 0;
    },
    now: look,
    living: () => [...seen].filter((one) => residentMib(one) > 0),
    stop: () => clearInterval(timer),
  };
}

function childrenOf(pid: number): readonly number[] {
  const threads = quietly(() => readdirSync(`/proc/${pid}/task`), []);
  return threads.flatMap((thread) => {
    const text = quietly(() => readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8'), '');
    return text.split(' ').filter(Boolean).map(Number);
  });
}

function residentMib(pid: number): number {
  const status = quietly(() => readFileSync(`/proc/${pid}/status`, 'utf8'), '');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) / 1024;
}

/** A process may end between two looks. */
function quietly<T>(read: () => T, otherwise: T): T {
  try {
    return read();
  } catch {
    return otherwise;
  }
}
