import { type EventOptions, type EventTemplate, makeEvents } from './events.js';
import { fraction } from './hash.js';
import { loadAt } from './moments.js';
import type { Random } from './world/random.js';
import type { DatabaseFault, Visit } from './world/visits.js';
import { hourMicros, minuteMicros, places, signIn } from './world/world.js';

/** The plot of the logs: which events happen, and how many. */
export interface Story {
  /** The events to choose from at a time, for the project of this rank. */
  readonly at: (at: number, project: number, chance: number) => Chapter;
  /** The traffic at a time, relative to the usual traffic. */
  readonly traffic: (at: number) => number;
  /** All events that it may choose. */
  readonly events: readonly EventTemplate[];
}

/** A set of events; `project` is set if they affect only the project of that rank. */
export interface Chapter {
  readonly events: readonly EventTemplate[];
  readonly project?: number;
}

/** The time of a story: unix microseconds, `to` exclusive. */
export interface StoryOptions extends EventOptions {
  readonly from: number;
  readonly to: number;
}

/** The usual traffic, and nothing else. */
export function steadyStory(options: EventOptions): Story {
  const events = makeEvents(options);
  return { at: () => ({ events }), traffic: () => 1, events };
}

/**
 * Latencies that follow the load of the day, and three incidents of the largest project: a login attack,
 * a slow deploy, and a burst of errors in the last hour.
 */
export function eventfulStory(options: StoryOptions): Story {
  const loads = ([0.8, 1, 1.5] as const).map((factor) => ({
    events: makeEvents(options, { ...size, change: slower(factor) }),
  }));
  const incidents = plans
    .map((plan) => placeIncident(plan, options))
    // An incident may have no records in the chosen sources.
    .filter(({ events }) => events.length > 0);
  const incidentAt = (at: number) => incidents.find(({ from, to }) => at >= from && at < to);
  return {
    at(at, project, chance) {
      const incident = incidentAt(at);
      const isHit = incident !== undefined && (incident.isExtra || project === largest);
      if (isHit && chance < incident.share) return { events: incident.events, project: largest };
      return loads[loadLevel(loadAt(at))] ?? { events: [] };
    },
    traffic: (at) => incidentAt(at)?.traffic ?? 1,
    events: [...loads, ...incidents].flatMap(({ events }) => events),
  };
}

/** The number of events for each load of the day: all are created when the demo starts. */
const size = { visits: 512, machineRecords: 128 } as const;

/** The rank of the project that has the incidents. */
const largest = 0;

function loadLevel(load: number): number {
  if (load <= 2) return 0;
  return load <= 5 ? 1 : 2;
}

/** An incident, by its distance from the end of the logs. */
interface IncidentPlan {
  /** In microseconds; shorter if the logs are shorter than two days. */
  readonly before: number;
  readonly length: number;
  /** The traffic, relative to the usual traffic. */
  readonly traffic: number;
  /**
   * The share of events that belong to the incident: of all events if they are extra, otherwise of the project's
   * events.
   */
  readonly share: number;
  readonly isExtra?: boolean;
  readonly change: (visit: Visit, random: Random) => Visit;
}

const plans: readonly IncidentPlan[] = [
  {
    before: 20 * hourMicros,
    length: 25 * minuteMicros,
    traffic: 6,
    share: 5 / 6,
    isExtra: true,
    change: attempt,
  },
  { before: 6 * hourMicros, length: 40 * minuteMicros, traffic: 1, share: 1, change: afterDeploy },
  { before: 45 * minuteMicros, length: 12 * minuteMicros, traffic: 2, share: 0.6, change: fail },
];

/** Moves an incident back by up to a tenth of its distance from the end, so that each seed has different times. */
function placeIncident(plan: IncidentPlan, options: StoryOptions) {
  const { before, length, change, ...rest } = plan;
  const { from, to, seed } = options;
  const scale = Math.min(1, (to - from) / (24 * hourMicros));
  const moved = 1 + 0.1 * fraction(seed, before, 4);
  const start = to - Math.floor(before * scale * moved);
  const events = makeEvents(options, { visits: 256, machineRecords: 0, change });
  return { ...rest, from: start, to: start + Math.floor(length * scale), events };
}

function slower(factor: number): (visit: Visit) => Visit {
  return (visit) => ({ ...visit, isTraced: true, ms: Math.max(1, Math.round(visit.ms * factor)) });
}

/** A few machines try passwords of many users; the limit of attempts stops some. */
function attempt(visit: Visit, random: Random): Visit {
  const status = random.pick([
    [80, 400],
    [18, 429],
    [2, 200],
  ]);
  const address = `203.0.113.${200 + random.integer(0, 5)}`;
  const [, place] = places[places.length - 1] ?? places[0] ?? [0, visit.user.place];
  const client = { agent: 'python-httpx/0.27.0', bot: 3 };
  const user = { ...visit.user, address, place, client, provider: 'email' };
  return { ...visit, isTraced: true, route: signIn, status, ms: random.integer(60, 160), user };
}

/** A new version, with statements that read whole tables. */
function afterDeploy(visit: Visit, random: Random): Visit {
  const slowed = visit.ms * random.integer(6, 14) + random.integer(200, 900);
  const ms = Math.min(slowed, 60_000);
  const fails = visit.status < 400 && random.chance(0.1);
  const slow = { ...visit, isTraced: true, ms, version: '5' };
  return fails && ['rest', 'graphql'].includes(visit.route.area)
    ? { ...slow, status: 504, ms: 8_000 + random.integer(0, 90) }
    : slow;
}

const noSlots: DatabaseFault = [
  'FATAL',
  '53300',
  'remaining connection slots are reserved for superusers',
];

/** The database accepts no more connections. */
function fail(visit: Visit, random: Random): Visit {
  const { area } = visit.route;
  if (!['rest', 'graphql', 'auth', 'functions'].includes(area)) return visit;
  const failed = { ...visit, isTraced: true, status: 500, ms: random.integer(900, 3_100) };
  return { ...failed, fault: noSlots };
}
