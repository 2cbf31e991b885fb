import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { EndpointFolder } from '../endpoint/catalog.js';
import { type FileFault, printFileFault } from '../endpoint/file-fault.js';

/** What `check` found. */
export interface CheckReport {
  readonly endpoints: number;
  /** What does not fail the check. */
  readonly warnings: readonly string[];
  readonly errors: readonly CheckError[];
}

/** An error, in an endpoint file if it has a place; `path` leads to the file. */
export type CheckError =
  | Pick<FileFault, 'message'>
  | (FileFault & { readonly path?: string | undefined });

/** The faults of endpoint files with the paths of these. */
export function withPaths(
  faults: readonly FileFault[],
  folders: readonly EndpointFolder[],
): readonly CheckError[] {
  const has = (folder: EndpointFolder, file: string) =>
    typeof folder === 'string' ? existsSync(join(folder, file)) : folder.endpoints.has(file);
  return faults.map((fault) => {
    const folder = folders.find((each) => has(each, fault.file));
    return {
      ...fault,
      path: typeof folder === 'string' ? join(folder, fault.file) : folder?.where,
    };
  });
}

/** Prints a report: as lines of text, as JSON, or as the commands of GitHub's workflows. */
export function printReport(report: CheckReport, format: string): string {
  return `${(printers[format] ?? printText)(report)}\n`;
}

const printers: Readonly<Record<string, (report: CheckReport) => string>> = {
  json: ({ endpoints, warnings, errors }) =>
    JSON.stringify({
      endpoints,
      warnings,
      errors: errors.map((error) => {
        if (!('file' in error)) return { message: error.message };
        const { path: file = error.file, line, column, message } = error;
        return { file, line, column, message };
      }),
    }),
  github: (report) =>
    [
      ...report.warnings.map((line) => `::warning::${escapeData(line)}`),
      ...report.errors.map((error) => `::error${placeOf(error)}::${escapeData(error.message)}`),
      sumOf(report),
    ].join('\n'),
};

function printText(report: CheckReport): string {
  const errors = report.errors.map((error) =>
    'file' in error ? printFileFault(error) : error.message,
  );
  return [...report.warnings, ...errors, sumOf(report)].join('\n');
}

function sumOf({ endpoints, errors }: CheckReport): string {
  return `${countOf(endpoints, 'endpoint')}, ${countOf(errors.length, 'error')}`;
}

/** `1 error`, `2 errors` */
export function countOf(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`;
}

function placeOf(error: CheckError): string {
  if (!('file' in error)) return '';
  const file = escapeData(error.path ?? error.file)
    .replaceAll(':', '%3A')
    .replaceAll(',', '%2C');
  return ` file=${file},line=${error.line},col=${error.column}`;
}

/** @see https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands */
function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}
