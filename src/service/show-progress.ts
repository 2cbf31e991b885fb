import type { LoadProgress, OnProgress } from '../logs/load/progress.js';

/** Where the progress of a load goes. */
export interface ProgressOutput {
  /** A terminal, on which a line is written again and again; undefined where there is none. */
  readonly terminal: ((text: string) => void) | undefined;
  /** A log, where there is no terminal: a line now and then, none for a short load. */
  readonly log: ((facts: ProgressFacts) => void) | undefined;
  /** Milliseconds since whenever. */
  readonly now: () => number;
}

/** How far a load is, how fast, and how long it will take. */
export interface ProgressFacts extends LoadProgress {
  readonly bytesPerSecond: number;
  /** Undefined until enough is done to tell. */
  readonly secondsLeft: number | undefined;
}

/** Takes the progress of one load. */
export interface ProgressView {
  readonly show: OnProgress;
  /** Clears the line. */
  readonly end: () => void;
}

const logEveryMs = 5000;
const enough = 0.02;
// Back to the first column, and all after it away.
const clearLine = '\r\u001b[K';

/** Shows the progress of a load that begins now. */
export function createProgressView({ terminal, log, now }: ProgressOutput): ProgressView {
  const start = now();
  let logged = start;
  return {
    show: (progress) => {
      const time = now();
      const facts = { ...progress, ...rateOf(progress, time - start) };
      terminal?.(clearLine + printProgress(facts));
      if (terminal !== undefined || time - logged < logEveryMs) return;
      logged = time;
      log?.(facts);
    },
    end: () => terminal?.(clearLine),
  };
}

function rateOf({ bytes, bytesTotal }: LoadProgress, ms: number) {
  const isEnough = bytes > 0 && bytes >= bytesTotal * enough;
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

/** The terminal of the error output, if it is one; else the log. */
export function progressOutput(log?: ProgressOutput['log']): ProgressOutput {
  const { stderr } = process;
  const terminal = stderr.isTTY ? (text: string) => void stderr.write(text) : undefined;
  return { terminal, log, now: () => performance.now() };
}
