import type { CompileData } from './compile-child.js';
import type { CompileProcess } from './compile-process.js';

/** The compile processes: one, and a second for a while after a query had to wait. */
export interface CompileProcesses {
  /** Sends data to all processes, and starts the first one; those that start later get the latest data. */
  open(data: CompileData): void;
  /** Takes an idle process, or a new one if none is idle or it must be new; it may still be starting. */
  take(mustBeNew: boolean): CompileProcess;
  /** Returns a process, which may have ended. */
  giveBack(one: CompileProcess): void;
  /** Replaces the processes that have ended, if any; settles when the new ones are ready. */
  replaceEnded(): Promise<unknown> | undefined;
  /** Starts the second process unless it runs. */
  grow(): void;
  /** The number of processes that have ended, other than unneeded ones and by {@link end}. */
  restarts(): number;
  /** Ends all processes; settles when they have ended. */
  end(why: Error): Promise<unknown>;
}

/** The maximum number of processes. */
const maxProcesses = 2;

/** How long the second process is kept after it was last asked for, in milliseconds. */
const keptMs = 60_000;

/** Manages processes that `start` starts; calls `onResize` with the number that queries may use at once. */
export function createCompileProcesses(
  start: () => CompileProcess,
  onResize: (count: number) => void,
): CompileProcesses {
  const open = createOpenSet(start);
  /** The most recently used is last. */
  const idle = new Set<CompileProcess>();
  let wanted = 1;

  const giveBack = (one: CompileProcess) => void (one.isAlive() && idle.add(one));
  const replaceEnded = () => {
    const missing = Math.max(0, wanted - open.alive());
    const starting = Array.from({ length: missing }, () => open.startReady().then(giveBack));
    return missing > 0 ? Promise.all(starting) : undefined;
  };
  const shrinking = setTimeout(() => {
    const [one] = idle;
    if (wanted === 1) return;
    if (one === undefined) return void shrinking.refresh();
    wanted = 1;
    onResize(wanted);
    idle.delete(one);
    open.retire(one);
  }, keptMs).unref();
  return {
    open(data) {
      open.send(data);
      if (open.alive() < Math.min(wanted, 1)) idle.add(open.start());
    },
    take(mustBeNew) {
      const usable = mustBeNew ? [] : [...idle].filter((one) => one.isAlive());
      const one = usable.at(-1) ?? open.start();
      idle.delete(one);
      return one;
    },
    giveBack,
    replaceEnded,
    grow() {
      shrinking.refresh();
      if (wanted === maxProcesses) return;
      wanted = maxProcesses;
      void replaceEnded()?.then(() => onResize(maxProcesses));
    },
    restarts: open.restarts,
    end(why) {
      wanted = 0;
      clearTimeout(shrinking);
      return open.end(why);
    },
  };
}

/** The processes that have not ended, and the number of others. */
function createOpenSet(startOne: () => CompileProcess) {
  const all = new Set<CompileProcess>();
  const unneeded = new WeakSet<CompileProcess>();
  let latest: CompileData | undefined;
  let restarts = 0;
  const start = () => {
    const one = startOne();
    all.add(one);
    void one.ended.then(() => {
      all.delete(one);
      restarts += unneeded.has(one) ? 0 : 1;
    });
    if (latest !== undefined) void one.open(latest).catch(() => {});
    return one;
  };
  const retire = (one: CompileProcess, why?: Error) => {
    unneeded.add(one);
    one.end(why);
  };
  return {
    start,
    retire,
    alive: () => [...all].filter((one) => one.isAlive()).length,
    restarts: () => restarts,
    send(data: CompileData): void {
      latest = data;
      for (const one of all) void one.open(data).catch(() => {});
    },
    async startReady(): Promise<CompileProcess> {
      const one = start();
      if (latest !== undefined) await one.open(latest).catch(() => {});
      return one;
    },
    end(why: Error): Promise<unknown> {
      const left = [...all];
      for (const one of left) retire(one, why);
      return Promise.all(left.map(({ ended }) => ended));
    },
  };
}
