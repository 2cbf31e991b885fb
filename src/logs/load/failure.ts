import { dirname } from 'node:path';
import { SetupError } from '../../errors/errors.js';

// SIGXFSZ: the file size limit (ulimit -f).
const diskFullTexts = [
  'ENOSPC',
  'EDQUOT',
  'EFBIG',
  'No space left',
  'quota exceeded',
  'File too large',
  'SIGXFSZ',
  // DuckDB leaves a tenth of the disk free and reports this limit instead.
  'max_temp_directory_size',
];

/** Whether an error says that the disk is full. */
export function isDiskFull(error: unknown): boolean {
  const text = errorText(error);
  return diskFullTexts.some((words) => text.includes(words));
}

/** Returns the error to show the user if a load into a database file failed. */
export function loadFailure(error: unknown, database: string): SetupError {
  if (error instanceof SetupError) return error;
  const [line = ''] = errorText(error).split('\n');
  const folder = dirname(database);
  return isDiskFull(error)
    ? new SetupError([
        `the log files cannot be loaded: no space is left for ${folder}; free some, or choose a folder on another disk (--cache-dir, TMPDIR)`,
      ])
    : new SetupError([`the log files cannot be loaded: ${line}`]);
}

function errorText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return 'code' in error ? `${error.message} (${error.code})` : error.message;
}
