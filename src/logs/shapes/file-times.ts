import { copied, type Line } from './member.js';

/** Returns the time to store for a record of a project, as JSON. `time` is the record's own. */
export type FindTime = (project: Line, time: Line | undefined) => Line | undefined;

/**
 * Derives times for records without one: the last record gets the file's time, each earlier one a microsecond less.
 * Counts each project separately, so that no time depends on records of other projects.
 * @param otherwise the default for a record without a time whose project has other records with times
 */
export function createFileTimes(writtenMs: number, otherwise: Line | undefined) {
  const projects = new Map<Line, { hasTimes: boolean; records: number; given: number }>();
  const findProject = (project: Line) => {
    const known = projects.get(project);
    if (known !== undefined) return known;
    const counted = { hasTimes: false, records: 0, given: 0 };
    projects.set(copied(project), counted);
    return counted;
  };
  /** Counts a record, and returns its own time or the default. */
  const count: FindTime = (project, time) => {
    const counted = findProject(project);
    counted.hasTimes ||= time !== undefined;
    counted.records += 1;
    return time ?? otherwise;
  };
  /** Returns the record's own time. If no record of its project has a time, returns one derived from the file's. */
  const give: FindTime = (project, time) => {
    const counted = findProject(project);
    if (time !== undefined || counted.hasTimes) return time ?? otherwise;
    counted.given += 1;
    return fileTime(writtenMs, counted.records - counted.given);
  };
  /** Whether the records of some project have no times, so that they get the file's. */
  const areUsed = () => [...projects.values()].some(({ hasTimes }) => !hasTimes);
  return { count, give, areUsed };
}

/** The time of a file in microseconds, minus `less`. */
export function fileTime(writtenMs: number, less = 0): Line {
  return String(Math.floor(writtenMs) * 1000 - Math.max(less, 0));
}
