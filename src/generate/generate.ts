import type { EventTemplate } from './events.js';
import type { PendingRecord } from './fill.js';
import { fraction, hash } from './hash.js';
import { moments, type Rhythm } from './moments.js';
import type { GenerateOptions } from './options.js';
import { createPickProject } from './projects.js';
import { createReorderBuffer, type ReorderBuffer } from './reorder-buffer.js';
import { eventfulStory, type Story, steadyStory } from './story.js';
import { createTextsOf } from './texts.js';
import type { SourceWriter } from './write-source.js';

/** The hash lanes for the random draws of an event; its holes use those from 8 on. */
const lanes = { template: 0, project: 1, late: 2, chapter: 4 } as const;

/** Draws the records of an event, by its time and number. */
export type Draw = (at: number, count: number) => readonly PendingRecord[];

/** How logs go on after their end. */
export interface Generated {
  readonly draw: Draw;
  readonly rhythm: Rhythm;
  /** The number of events. */
  readonly events: number;
}

/**
 * Writes the records. There are as many moments as records: an event with n records happens at one moment
 * and skips the next n - 1, so the number of records is exact. Memory holds only the records that may
 * still be preceded by an older one.
 */
export async function generate(
  options: GenerateOptions,
  openSource: (source: string) => SourceWriter,
): Promise<Generated> {
  const story = options.incidents ? eventfulStory(options) : steadyStory(options);
  const draw = createDraw(story, options);
  const rhythm = { ...options, count: options.records, traffic: story.traffic };
  const outlets = openOutlets(story.events, openSource);
  let events = 0;
  let skip = 0;
  let left = options.records;
  for (const at of moments(rhythm)) {
    skip -= 1;
    if (skip >= 0) continue;
    const records = draw(at, events).slice(0, left);
    for (const record of records) outlets.get(record.template.source)?.waiting.add(record);
    events += 1;
    left -= records.length;
    skip = records.length - 1;
    for (const outlet of outlets.values()) if (writeDue(outlet, at)) await outlet.writer.flush();
  }
  for (const outlet of outlets.values()) await finish(outlet);
  return { draw, rhythm, events };
}

/** Creates the function that draws the records of the n-th event. */
function createDraw(story: Story, options: GenerateOptions): Draw {
  const { seed, projects, nameOf, from, disorder } = options;
  const pickProject = createPickProject(projects);
  const textsOf = createTextsOf(seed, nameOf);
  return (at, count) => {
    const picked = pickProject(fraction(seed, count, lanes.project));
    const chapter = story.at(at, picked, fraction(seed, count, lanes.chapter));
    const { events, project = picked } = chapter;
    const event = events[hash(seed, count, lanes.template) % events.length];
    if (event === undefined) throw new Error('a chapter without events');
    const texts = textsOf(project, event.user.rank, event.user.email);
    const late = disorder === 0 ? 0 : Math.floor(fraction(seed, count, lanes.late) * disorder);
    return event.records.map((template) => {
      const due = Math.max(from, at - template.lag);
      return { template, count, texts, due, at: Math.max(from, due - late) };
    });
  };
}

/** The output of one source. */
interface Outlet {
  readonly waiting: ReorderBuffer<PendingRecord>;
  readonly writer: SourceWriter;
}

function openOutlets(
  events: readonly EventTemplate[],
  openSource: (source: string) => SourceWriter,
): ReadonlyMap<string, Outlet> {
  const lags = new Map<string, number>();
  for (const { source, lag } of events.flatMap(({ records }) => records)) {
    lags.set(source, Math.max(lag, lags.get(source) ?? 0));
  }
  return new Map(
    [...lags].map(([source, lag]) => [
      source,
      { waiting: createReorderBuffer(lag), writer: openSource(source) },
    ]),
  );
}

/** Writes records that are due; returns true as soon as the writer needs a flush. */
function writeDue({ waiting, writer }: Outlet, now: number): boolean {
  for (let record = waiting.next(now); record !== undefined; record = waiting.next(now)) {
    if (writer.add(record)) return true;
  }
  return false;
}

async function finish(outlet: Outlet): Promise<void> {
  while (writeDue(outlet, Number.POSITIVE_INFINITY)) await outlet.writer.flush();
  await outlet.writer.close();
}
