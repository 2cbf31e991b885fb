import type { EventTemplate } from './events.js';
import type { PendingRecord } from './fill.js';
import { fraction, hash } from './hash.js';
import { createMinutes } from './moments.js';
import type { GenerateOptions } from './options.js';
import { createPickProject } from './projects.js';
import { eventfulStory, type Story, steadyStory } from './story.js';
import { createUserTexts } from './texts.js';
import type { Target } from './write-lines.js';

/** The hash lanes for the random draws of an event; its holes use those from 8 on. */
const lanes = { template: 0, project: 1, late: 2, chapter: 4 } as const;

/** The continuation of logs after their end, in unix microseconds. */
export type Generated = Awaited<ReturnType<typeof generate>>;

/** Writes the records. Keeps in memory only those that an older record may still precede. */
export async function generate(options: GenerateOptions, openSource: (source: string) => Target) {
  const { records: count, to } = options;
  const story = options.incidents ? eventfulStory(options) : steadyStory(options);
  const nextMinute = createMinutes({ ...options, count, traffic: story.traffic });
  const recordsAt = createEvents(story, options);
  const outlets = openOutlets(story.events, openSource);
  let left = count;
  for (let end = options.from; end < to; ) {
    const minute = nextMinute();
    end = minute.end;
    for (const at of minute.moments) {
      const records = recordsAt(at).slice(0, left);
      for (const record of records) outlets.get(record.template.source)?.waiting.push(record);
      left -= records.length;
      for (const outlet of outlets.values()) {
        if (outlet.waiting.length >= outlet.full) await writeDue(outlet, at);
      }
    }
  }
  for (const outlet of outlets.values()) {
    await writeDue(outlet, Number.POSITIVE_INFINITY);
    await outlet.writer.close();
  }
  return { end: to, nextMinute, recordsAt };
}

/**
 * Creates a function that returns the records of the event at the next moment; none if no event happens then. There are
 * as many moments as records: an event with n records happens at one moment and skips the next n - 1, so the number of
 * records is exact.
 */
function createEvents(story: Story, options: GenerateOptions) {
  const { seed, projects, nameProject, from, disorder } = options;
  const pickProject = createPickProject(projects);
  const userTexts = createUserTexts(seed, nameProject);
  let drawn = 0;
  let skip = 0;
  return (at: number): readonly PendingRecord[] => {
    skip -= 1;
    if (skip >= 0) return [];
    const count = drawn;
    drawn += 1;
    const picked = pickProject(fraction(seed, count, lanes.project));
    const chapter = story.at(at, picked, fraction(seed, count, lanes.chapter));
    const { events, project = picked } = chapter;
    const event = events[hash(seed, count, lanes.template) % events.length];
    if (event === undefined) throw new Error('a chapter without events');
    const texts = userTexts(project, event.user.rank, event.user.email);
    const late = disorder === 0 ? 0 : Math.floor(fraction(seed, count, lanes.late) * disorder);
    skip = event.records.length - 1;
    return event.records.map((template) => {
      const due = Math.max(from, at - template.lag);
      return { template, count, texts, due, at: Math.max(from, due - late) };
    });
  };
}

/** The output of one source. */
interface Outlet {
  /** A record is added at most this many microseconds after a newer one. */
  readonly lag: number;
  readonly writer: Target;
  waiting: PendingRecord[];
  /** The number of records to collect before the due ones are sorted and written. */
  full: number;
}

function openOutlets(
  events: readonly EventTemplate[],
  openSource: (source: string) => Target,
): ReadonlyMap<string, Outlet> {
  const outlets = new Map<string, Outlet>();
  for (const { source, lag } of events.flatMap(({ records }) => records)) {
    const { writer } = outlets.get(source) ?? { writer: openSource(source) };
    const longest = Math.max(lag, outlets.get(source)?.lag ?? 0);
    outlets.set(source, { lag: longest, writer, waiting: [], full: batchSize });
  }
  return outlets;
}

const batchSize = 1_000;

/** Writes the records that no older one can precede; `now` is the time of the newest record. */
async function writeDue(outlet: Outlet, now: number): Promise<void> {
  const { waiting, writer, lag } = outlet;
  waiting.sort((one, other) => one.due - other.due);
  const end = waiting.findIndex(({ due }) => due > now - lag);
  outlet.waiting = end === -1 ? [] : waiting.slice(end);
  outlet.full = 2 * outlet.waiting.length + batchSize;
  for (const record of waiting.slice(0, waiting.length - outlet.waiting.length)) {
    if (writer.add(record)) await writer.flush();
  }
}
