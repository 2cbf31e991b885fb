import type { LoadProgress } from '../logs/load/progress.js';

/** The outputs for the progress of a load. */
export interface ProgressOutput {
  /** Writes to a terminal, always on the same line; undefined without one. */
  readonly terminal: ((text: string) => void) | undefined;
  /** Writes to a log if there is no terminal: a line every few seconds, none for a short load. */
  readonly log: ((facts: ProgressFacts) => void) | undefined;
  /** A monotonic clock, in milliseconds. */
  readonly now: () => number;
}

/** The progress of a load, its speed and the time left. */
export interface ProgressFacts extends LoadProgress {
  readonly bytesPerSecond: number;
  /** Undefined until an estimate is possible. */
  readonly secondsLeft: number | undefined;
}

const logEveryMs = 2000;
const minEstimateShare = 0.02;
// Moves to the first column and clears the line.
const clearLine = '\r\u001b[K';

/** Creates a view of a load that begins now. */
export function createProgressView({ terminal, log, now }: ProgressOutput) {
  const start = now();
  let logged = start;
  return {
    show: (progress: LoadProgress): void => {
      const time = now();
      const facts = { ...progress, ...loadRate(progress, time - start) };
      terminal?.(clearLine + printProgress(facts));
      if (terminal !== undefined || time - logged < logEveryMs) return;
      logged = time;
      log?.(facts);
    },
    /** Clears the line. */
    end: (): void => terminal?.(clearLine),
  };
}

function loadRate({ bytes, bytesTotal }: LoadProgress, ms: number) {
  const isEnough = bytes > 0 && bytes >= bytesTotal * minEstimateShare;
  return {
    bytesPerSecond: ms === 0 ? 0 : Math.round((bytes / ms) * 1000),
    secondsLeft: isEnough ? Math.round((ms * (bytesTotal - bytes)) / bytes / 1000) : undefined,
  };
}

/** `loading: 3 of 20 files, 150000 records, 12 %, 118 MB/s, 9 s left`. */
function printProgress(facts: ProgressFacts): string {
  const { files, filesTotal, rows, bytes, bytesTotal, bytesPerSecond, secondsLeft } = facts;
  const percent = bytesTotal === 0 ? 100 : Math.floor((bytes / bytesTotal) * 100);
  return [
    `loading: ${files} of ${filesTotal} files`,
    `${rows} records`,
    `${percent} %`,
    `${Math.round(bytesPerSecond / 1e6)} MB/s`,
    ...(secondsLeft === undefined ? [] : [`${secondsLeft} s left`]),
  ].join(', ');
}

/** Returns the terminal if standard error is one, otherwise the log. */
export function progressOutput(log?: ProgressOutput['log']): ProgressOutput {
  const { stderr } = process;
  const terminal = stderr.isTTY ? (text: string) => void stderr.write(text) : undefined;
  return { terminal, log, now: () => performance.now() };
}
