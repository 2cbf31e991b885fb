import type { LoadedLogs } from './logs.js';

/** Describes how the files of the command line were read, in a line for each source. */
export function inputLines(logs: LoadedLogs) {
  const reports = new Map(logs.files.map((report) => [report.file, report]));
  const inputs = logs.inputs.filter(({ name }) => reports.has(name));
  const sources = [...new Set(inputs.map(({ source }) => source))];
  return sources.map((source) => {
    const own = inputs.filter((input) => input.source === source);
    const read = own.flatMap(({ name }) => reports.get(name) ?? []);
    const records = read.reduce((sum, report) => sum + report.records, 0);
    const bad = read.reduce((sum, report) => sum + report.badLines, 0);
    const shapes = new Set(own.map(({ shape = 'as declared' }) => shape));
    const more = own.length > 1 ? ` and ${own.length - 1} more` : '';
    const found = `${own[0]?.name}${more} -> table ${source}: ${[...shapes].join(', ')}`;
    const line = `${found}, ${records} of ${records + bad} lines; --as ${source}=… to change`;
    return { source, line };
  });
}
