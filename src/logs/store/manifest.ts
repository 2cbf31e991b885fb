import type { SourceSchema } from '../../types/schema.js';
import type { Holding } from '../columns/contents.js';
import type { FileState } from '../files/file-state.js';
import type { LogFile, Place } from '../files/files.js';
import type { FileReport } from '../load/report.js';

/** Some whole lines of a log file; of a file that is not lines of text, all of it. */
export interface Slice {
  /** The file's name relative to the data folder. */
  readonly file: string;
  readonly from: Place;
  readonly to: Place;
  /** What became of them; its faults count lines from the file's start. */
  readonly report: FileReport;
  /** The number of the line behind it, without an end, that is reported as a bad one as long as nothing else is there. */
  readonly restLine?: number;
}

/** A table of one source in a database file: the records of some slices, in order of time. */
export interface StoredPart {
  readonly source: string;
  /** The database file's name, without its folder. */
  readonly database: string;
  readonly slices: readonly Slice[];
  readonly records: number;
  /** What they hold; absent where that is nothing. */
  readonly holds?: Holding;
  /** The project of every record, where there is only one. */
  readonly project?: string | undefined;
}

/** A log file as it was when it was last loaded. */
export interface LoadedFile extends Omit<LogFile, 'path' | 'slice'> {
  readonly state: FileState;
  /** Whether what is written at its end can be loaded alone: it is lines of text. */
  readonly canGrow: boolean;
  /** Whether some of its records have an `id` made from its name. */
  readonly hasMadeIds: boolean;
}

/** What is stored of a data folder: which lines of which files in which tables; plain values. */
export interface Manifest {
  readonly files: readonly LoadedFile[];
  /** At least one for each source. */
  readonly parts: readonly StoredPart[];
  /** How the records of each source are stored, in all of its parts alike: as all that they and `gone` hold asks for. */
  readonly schemas: readonly SourceSchema[];
  /**
   * What records held that are gone, by the name of the source, where the others are still stored
   * with room for it: a file that goes is no reason to load the others anew.
   */
  readonly gone: Readonly<Record<string, Holding>>;
  /** What of a source's files has no place in its table, by its name. */
  readonly warnings: Readonly<Record<string, readonly string[]>>;
}

/** Nothing is stored. */
export const emptyManifest: Manifest = {
  files: [],
  parts: [],
  schemas: [],
  gone: {},
  warnings: {},
};

/** The project of every record of the parts, where there is only one. */
export function onlyProject(parts: readonly StoredPart[]): string | undefined {
  const [first, ...others] = parts.filter(({ records }) => records > 0);
  return others.every(({ project }) => project === first?.project) ? first?.project : undefined;
}

/** What became of each file, all of its slices together. */
export function reportsOf({ files, parts }: Manifest): readonly FileReport[] {
  const slices = inOrder(parts.flatMap((part) => part.slices));
  const known = new Map<string, SliceReport>();
  for (const { file, ...slice } of slices) {
    const before = known.get(file);
    const report =
      before === undefined ? slice.report : together(withoutRest(before), slice.report);
    known.set(file, { ...slice, report });
  }
  return files.flatMap(({ name }) => known.get(name)?.report ?? []);
}

/** The slices of one part, those as one that follow each other in a file. */
export function joinSlices(slices: readonly Slice[]): readonly Slice[] {
  const joined: Slice[] = [];
  const last = new Map<string, number>();
  for (const slice of inOrder(slices)) {
    const place = last.get(slice.file) ?? joined.length;
    const before = joined[place];
    const isNext = before?.to.bytes === slice.from.bytes;
    if (before !== undefined && isNext) {
      const report = together(withoutRest(before), slice.report);
      joined[place] = { ...slice, from: before.from, report };
    } else {
      last.set(slice.file, joined.length);
      joined.push(slice);
    }
  }
  return joined;
}

/** By where they begin in their files; one that is no more than a line without an end is before what became of it. */
function inOrder(slices: readonly Slice[]): readonly Slice[] {
  return slices.toSorted(
    (one, other) => one.from.bytes - other.from.bytes || one.to.bytes - other.to.bytes,
  );
}

/** What became of a slice without the line behind it, of which another is made, or will be. */
export function withoutRest({ report, restLine }: SliceReport): FileReport {
  if (restLine === undefined) return report;
  const faults = report.faults.filter(({ line }) => line !== restLine);
  const badLines = report.badLines - 1;
  return { ...report, badLines, faults, readable: report.records > 0 || badLines === 0 };
}

type SliceReport = { readonly report: FileReport; readonly restLine?: number | undefined };

/** How many faults of a file are told. */
const toldFaults = 5;

function together(one: FileReport, other: FileReport): FileReport {
  const records = one.records + other.records;
  const badLines = one.badLines + other.badLines;
  return {
    ...one,
    records,
    badLines,
    badFields: one.badFields + other.badFields,
    faults: [...one.faults, ...other.faults].slice(0, toldFaults),
    // Of nothing there is nothing that cannot be read; beside bad lines that tells nothing.
    readable: records > 0 || (badLines === 0 && one.readable && other.readable),
  };
}
