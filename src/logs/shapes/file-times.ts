import { copied, type Line } from './member.js';

/** Gives the time of a record of a project, as JSON; `time` is the one that it has. */
export type TimeOf = (project: Line, time: Line | undefined) => Line | undefined;

/** The times of the records of a file without times. */
export interface FileTimes {
  /** Counts a record; gives its own time, or the one that it has if another record of its project has one. */
  readonly count: TimeOf;
  /** Gives a counted record its own time, or that of the file if no record of its project has one. */
  readonly give: TimeOf;
  /** Whether the file's time is that of some project's records. */
  readonly areUsed: () => boolean;
}

interface Counted {
  hasTimes: boolean;
  records: number;
  given: number;
}

/**
 * Creates the times of a file's records: the file's for the last one, and a microsecond less for each before it. Projects are
 * counted by themselves, so that no time depends on records of others.
 * @param otherwise the time of a record whose project has other records with times
 */
export function createFileTimes(writtenMs: number, otherwise: Line | undefined): FileTimes {
  const projects = new Map<Line, Counted>();
  const countedOf = (project: Line) => {
    const known = projects.get(project);
    if (known !== undefined) return known;
    const counted = { hasTimes: false, records: 0, given: 0 };
    projects.set(copied(project), counted);
    return counted;
  };
  return {
    count(project, time) {
      const counted = countedOf(project);
      counted.hasTimes ||= time !== undefined;
      counted.records += 1;
      return time ?? otherwise;
    },
    give(project, time) {
      const counted = countedOf(project);
      if (time !== undefined || counted.hasTimes) return time ?? otherwise;
      counted.given += 1;
      return fileTime(writtenMs, counted.records - counted.given);
    },
    areUsed: () => [...projects.values()].some(({ hasTimes }) => !hasTimes),
  };
}

/** The time of a file in microseconds, less some. */
export function fileTime(writtenMs: number, less = 0): Line {
  return String(Math.floor(writtenMs) * 1000 - Math.max(less, 0));
}
