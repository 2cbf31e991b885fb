import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { EndpointFolder } from '../endpoint/catalog.js';
import type { FileFault } from '../endpoint/file-fault.js';
import { withoutControls } from './output.js';

/** The findings of `check`. */
export interface CheckReport {
  readonly endpoints: number;
  /** A line on how each log file is read. */
  readonly inputs?: readonly string[];
  /** Findings that do not fail the check. */
  readonly warnings: readonly string[];
  readonly errors: readonly CheckError[];
}

/** An error, with its position if it is in an endpoint file; `path` leads to the file. */
export interface CheckError extends Partial<FileFault> {
  readonly message: string;
  readonly path?: string | undefined;
}

/** Adds the paths of endpoint files to their faults. */
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

/** Prints a report: as lines of text, as JSON, or as GitHub workflow commands. */
export function printReport(report: CheckReport, format: string): string {
  return `${(printers[format] ?? printText)(report)}\n`;
}

const printers: Readonly<Record<string, (report: CheckReport) => string>> = {
  json: ({ endpoints, inputs, warnings, errors }) =>
    JSON.stringify({
      endpoints,
      inputs,
      warnings,
      errors: errors.map(({ path, isOfLogs: _, file, ...error }) => {
        return { file: path ?? file, ...error };
      }),
    }),
  github: (report) =>
    [
      ...(report.inputs ?? []).map((line) => `::notice::${escapeData(line)}`),
      ...report.warnings.map((line) => `::warning::${escapeData(line)}`),
      ...report.errors.map(
        (error) => `::error${annotationPlace(error)}::${escapeData(error.message)}`,
      ),
      summaryLine(report),
    ].join('\n'),
};

function printText(report: CheckReport): string {
  const errors = report.errors.map(({ file, line, column, message }) =>
    file === undefined ? message : `${file}:${line}:${column}: ${message}`,
  );
  const lines = [...(report.inputs ?? []), ...report.warnings, ...errors, summaryLine(report)];
  return withoutControls(lines.join('\n'));
}

function summaryLine({ endpoints, errors }: CheckReport): string {
  return `${printCount(endpoints, 'endpoint')}, ${printCount(errors.length, 'error')}`;
}

/** `1 error`, `2 errors` */
export function printCount(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`;
}

function annotationPlace({ file, path = file, line, column }: CheckError): string {
  if (path === undefined) return '';
  const escaped = escapeData(path).replaceAll(':', '%3A').replaceAll(',', '%2C');
  return ` file=${escaped},line=${line},col=${column}`;
}

/** @see https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands */
function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}
